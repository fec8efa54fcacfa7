package caddymodule

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/hathi-server/hathi/worker"
)

// plan is what one configuration of the user's means for processes.
type plan struct {
	// generation is the worker package's part, without Listen and Log.
	generation worker.Config
	// serving is the configuration that every serving process runs.
	serving []byte
	// addresses are the listen addresses in the user's words, for messages.
	addresses []string
	// rotatesLogs tells that a log file was to be rotated.
	rotatesLogs bool
}

// newPlan reads a configuration in Caddy's JSON. Relative paths are below dir.
// A configuration of null or nothing has no plan.
func newPlan(config []byte, dir string) (*plan, error) {
	tree, err := decodeConfig(config)
	if tree == nil || err != nil {
		return nil, err
	}
	absolutePaths(tree, dir)
	apps, _ := tree["apps"].(object)
	if apps == nil {
		apps = object{}
		tree["apps"] = apps
	}

	app, err := planApp(apps, dir)
	if err != nil {
		return nil, err
	}
	scripts := newScriptSet()
	for _, w := range app.Workers {
		scripts.add(w)
	}
	p := new(plan)
	http, _ := apps["http"].(object)
	servers, _ := http["servers"].(object)
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		server, _ := servers[name].(object)
		if err := scripts.addHandlers(server, dir); err != nil {
			return nil, fmt.Errorf("server %s: %w", name, err)
		}
		defaultRoots(server, dir)
		if err := p.rewriteListeners(server); err != nil {
			return nil, fmt.Errorf("server %s: %w", name, err)
		}
	}
	if err := keepAppWorkers(apps, app); err != nil {
		return nil, err
	}

	p.rotatesLogs = stopRotation(tree)
	quietAdmin(tree)
	tree["admin"] = object{"disabled": true, "config": object{"persist": false}}
	apps[servingAppID] = object{"directory": dir}
	shareTickets(apps)
	stripIDs(tree)
	if p.serving, err = json.Marshal(tree); err != nil {
		return nil, err
	}
	p.generation = generationConfig(app, scripts.scripts, http)
	p.generation.Payload = p.serving
	return p, nil
}

func decodeConfig(config []byte) (object, error) {
	if len(bytes.TrimSpace(config)) == 0 {
		return nil, nil
	}
	var v any
	dec := json.NewDecoder(bytes.NewReader(config))
	dec.UseNumber() // durations are nanoseconds
	if err := dec.Decode(&v); err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	if v == nil {
		return nil, nil
	}
	tree, ok := v.(object)
	if !ok {
		return nil, errors.New("configuration: not a JSON object")
	}
	return tree, nil
}

// planApp decodes and completes the App of a configuration.
func planApp(apps object, dir string) (*App, error) {
	app := new(App)
	found := ""
	for _, id := range appIDs {
		if apps[id] == nil {
			continue
		}
		if found != "" {
			return nil, fmt.Errorf("apps: %s and %s are two names of one app, use one of them", found, id)
		}
		found = id
		if err := decodeInto(apps[id], app); err != nil {
			return nil, fmt.Errorf("%s: %w", id, err)
		}
	}
	for _, w := range app.Workers {
		w.FileName = absolutePath(w.FileName, dir)
		if err := w.provision(dir); err != nil {
			return nil, err
		}
	}
	if err := app.Validate(); err != nil {
		return nil, err
	}
	return app, nil
}

// keepAppWorkers writes completed workers back.
func keepAppWorkers(apps object, app *App) error {
	for _, id := range appIDs {
		o, ok := apps[id].(object)
		if !ok || len(app.Workers) == 0 {
			continue
		}
		workers, err := encodeTree(app.Workers)
		if err != nil {
			return err
		}
		o["workers"] = workers
	}
	return nil
}

// rewriteListeners moves a server to the networks of serving processes.
func (p *plan) rewriteListeners(server object) error {
	listen, _ := server["listen"].([]any)
	for i, e := range listen {
		addr, ok := e.(string)
		if !ok {
			return fmt.Errorf("listen address %v is not a string", e)
		}
		serving, err := servingAddress(addr)
		if err != nil {
			return err
		}
		listen[i] = serving
		p.addresses = append(p.addresses, addr)
	}
	return nil
}

// stopRotation turns off the rotation of log files: several processes append to
// one file, and one that renames it would not take the others along.
func stopRotation(v any) (found bool) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			found = stopRotation(e) || found
		}
	case object:
		if v["output"] == "file" && v["filename"] != nil {
			found = v["roll"] != false
			v["roll"] = false
		}
		for _, e := range v {
			found = stopRotation(e) || found
		}
	}
	return found
}

// quietAdmin keeps every serving process from warning that it has no admin endpoint.
func quietAdmin(tree object) {
	log := tree
	for _, key := range []string{"logging", "logs", "default"} {
		next, _ := log[key].(object)
		if next == nil {
			next = object{}
			log[key] = next
		}
		log = next
	}
	if log["include"] == nil {
		exclude, _ := log["exclude"].([]any)
		log["exclude"] = append(exclude, "admin")
	}
}

// stripIDs removes the "@id" fields, which are the admin endpoint's.
func stripIDs(v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			stripIDs(e)
		}
	case object:
		delete(v, "@id")
		for _, e := range v {
			stripIDs(e)
		}
	}
}

// generationConfig is the worker package's part of a configuration.
func generationConfig(app *App, scripts []worker.Script, http object) worker.Config {
	c := worker.Config{
		Scripts:   scripts,
		User:      app.User,
		Group:     app.Group,
		PHPThread: app.PHPThread,
		Grace:     stopTimeout(app, http),
	}
	for _, key := range slices.Sorted(maps.Keys(app.PHPIni)) {
		c.PHPIni = append(c.PHPIni, worker.INI{Key: key, Value: app.PHPIni[key]})
	}
	interpreters := app.NumThreads
	if len(scripts) > 0 {
		interpreters = scripts[0].Num
	}
	c.Processes = servingProcesses(app.Processes, interpreters, runtime.GOMAXPROCS(0))
	return c
}

// servingProcesses decides how many serving processes there are; 0 leaves it to
// the worker package. interpreters is FrankenPHP's count of threads: serving
// processes come first, so a count below the CPUs is theirs.
func servingProcesses(processes, interpreters, cpus int) int {
	if processes > 0 {
		return processes
	}
	if interpreters > 0 && interpreters < cpus {
		return interpreters
	}
	return 0
}

// stopTimeout decides how long requests may take to finish.
func stopTimeout(app *App, http object) time.Duration {
	if app.StopTimeout > 0 {
		return time.Duration(app.StopTimeout)
	}
	var caddyApp struct {
		Grace caddy.Duration `json:"grace_period"`
		Delay caddy.Duration `json:"shutdown_delay"`
	}
	limits := object{"grace_period": 0, "shutdown_delay": 0}
	for key := range limits {
		if http[key] != nil {
			limits[key] = http[key]
		}
	}
	grace := time.Duration(defaultStopTimeout)
	if decodeInto(limits, &caddyApp) != nil {
		return grace // Caddy says what is wrong with it
	}
	if caddyApp.Grace > 0 {
		grace = time.Duration(caddyApp.Grace)
	}
	return grace + time.Duration(caddyApp.Delay)
}

// decodeInto decodes a part of a configuration; unknown keys are errors.
func decodeInto(part, v any) error {
	raw, err := json.Marshal(part)
	if err != nil {
		return err
	}
	if err := caddy.StrictUnmarshalJSON(caddy.RemoveMetaFields(raw), v); err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	return nil
}

// encodeTree is v as decoded JSON.
func encodeTree(v any) (any, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var tree any
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	err = dec.Decode(&tree)
	return tree, err
}
