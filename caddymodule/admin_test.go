package caddymodule

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/hathi-server/hathi/worker"
)

// generations records what the master starts and stops.
type generations struct {
	mu      sync.Mutex
	started []worker.Config
	stopped int
	fail    error // the next start fails with it
	bind    []string
}

type fakeGeneration struct{ g *generations }

func (f *fakeGeneration) Processes() int { return 2 }

func (f *fakeGeneration) Stop(context.Context) error {
	f.g.mu.Lock()
	defer f.g.mu.Unlock()
	f.g.stopped++
	return nil
}

func (g *generations) start(_ context.Context, cfg worker.Config) (generation, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.fail; err != nil {
		g.fail = nil
		return nil, err
	}
	for _, address := range g.bind {
		for slot := range 2 {
			if _, err := cfg.Listen("tcp", address, slot); err != nil {
				return nil, err
			}
		}
	}
	g.started = append(g.started, cfg)
	return &fakeGeneration{g}, nil
}

func (g *generations) counts() (started, stopped int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.started), g.stopped
}

// waitStopped waits for a generation that ends beside a new one.
func (g *generations) waitStopped(t *testing.T, n int) {
	t.Helper()
	for end := time.Now().Add(5 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if _, stopped := g.counts(); stopped == n {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%d generations have not stopped", n)
		}
	}
}

// endpoint is the admin endpoint of a master in this process.
type endpoint struct {
	address string
	g       *generations
}

func startMaster(t *testing.T, config string) endpoint {
	t.Helper()
	e := endpoint{freePort(t), new(generations)}
	saved, autosavePath := startGeneration, caddy.ConfigAutosavePath
	startGeneration = e.g.start
	caddy.ConfigAutosavePath = filepath.Join(t.TempDir(), "caddy", "autosave.json")
	t.Cleanup(func() {
		_ = caddy.Stop()
		draining.Wait()
		startGeneration, caddy.ConfigAutosavePath = saved, autosavePath
	})
	if err := Load([]byte(e.expand(config)), true); err != nil {
		t.Fatal(err)
	}
	return e
}

// expand puts the admin endpoint and quiet logs into a configuration.
func (e endpoint) expand(config string) string {
	return strings.Replace(config, "ADMIN", `"admin": {"listen": "`+e.address+`"}, "logging": {"logs": {"default": {"writer": {"output": "discard"}}}}`, 1)
}

func (e endpoint) do(t *testing.T, method, path, body string, headers ...string) (int, string, http.Header) {
	t.Helper()
	req, err := http.NewRequest(method, "http://"+e.address+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	req.Close = true
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, strings.TrimSpace(string(b)), resp.Header
}

const adminConfig = `{ADMIN, "apps": {
	"frankenphp": {"num_threads": 2},
	"http": {"servers": {"srv0": {"listen": [":0"], "routes": [
		{"@id": "hello", "handle": [{"handler": "static_response", "body": "hello"}]}
	]}}}
}}`

func TestAdminShowsTheUsersConfiguration(t *testing.T) {
	e := startMaster(t, adminConfig)
	for path, want := range map[string]string{
		"/config/apps/frankenphp":                               `{"num_threads":2}`,
		"/config/apps/frankenphp/":                              `{"num_threads":2}`,
		"/config/apps/frankenphp/num_threads":                   `2`,
		"/config/apps/http/servers/srv0/routes/0/handle/0/body": `"hello"`,
		"/config/nothing":                                       `null`,
		"/id/hello/@id":                                         `"hello"`,
		"/id/hello/handle/0":                                    `{"body":"hello","handler":"static_response"}`,
		"/config/admin/listen":                                  `"` + e.address + `"`,
		"/config/apps/hathi":                                    `null`,
		"/config/apps/http/nil":                                 `null`,
	} {
		status, body, header := e.do(t, "GET", path, "")
		if status != 200 || body != want {
			t.Errorf("%s: have %d, %s, want %s", path, status, body, want)
		}
		if header.Get("Etag") == "" || header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: have %v", path, header)
		}
	}
	_, whole, _ := e.do(t, "GET", "/config/", "")
	if strings.Contains(whole, "hathi.master") || !strings.Contains(whole, `"@id":"hello"`) {
		t.Errorf("have %s", whole)
	}
	if status, body, _ := e.do(t, "GET", "/id/none", ""); status != 404 {
		t.Errorf("have %d, %s", status, body)
	}
	// Routes without "@id" fields reach the processes.
	if payload := string(e.g.started[0].Payload); strings.Contains(payload, "@id") || !strings.Contains(payload, "hathi/:0") {
		t.Errorf("have %s", payload)
	}
}

func TestAdminLoadReplacesTheConfiguration(t *testing.T) {
	e := startMaster(t, adminConfig)
	config := e.expand(`{ADMIN, "apps": {"hathi": {"processes": 3}}}`)
	if status, body, _ := e.do(t, "POST", "/load", config); status != 200 {
		t.Fatalf("have %d, %s", status, body)
	}
	e.g.waitStopped(t, 1)
	if have := e.g.started[1].Processes; have != 3 {
		t.Errorf("have %d processes", have)
	}
	// The same again changes nothing, unless it has to.
	if status, body, _ := e.do(t, "POST", "/load", " "+config); status != 200 {
		t.Fatalf("have %d, %s", status, body)
	}
	if started, _ := e.g.counts(); started != 2 {
		t.Errorf("an unchanged configuration started generation %d", started)
	}
	if status, body, _ := e.do(t, "POST", "/load", config, "Cache-Control: must-revalidate"); status != 200 {
		t.Fatalf("have %d, %s", status, body)
	}
	e.g.waitStopped(t, 2)

	saved, err := os.ReadFile(caddy.ConfigAutosavePath)
	if err != nil {
		t.Fatal(err)
	}
	var have, want bytes.Buffer
	_ = json.Compact(&have, saved)
	canonical, _ := canonicalJSON([]byte(config))
	_ = json.Compact(&want, canonical)
	if have.String() != want.String() {
		t.Errorf("saved for --resume: have %s, want %s", &have, &want)
	}
}

func TestAdminLoadAdaptsACaddyfile(t *testing.T) {
	e := startMaster(t, adminConfig)
	caddyfile := "{\n\tadmin " + e.address + "\n\thathi {\n\t\tprocesses 5\n\t}\n}\n"
	if status, body, _ := e.do(t, "POST", "/load", caddyfile, "Content-Type: text/caddyfile"); status != 200 {
		t.Fatalf("have %d, %s", status, body)
	}
	if _, body, _ := e.do(t, "GET", "/config/apps/hathi/processes", ""); body != "5" {
		t.Errorf("have %s", body)
	}
	status, body, _ := e.do(t, "POST", "/load", "{\n\thathi {\n\t\tx\n\t}\n}\n", "Content-Type: text/caddyfile")
	if status != 400 || !strings.Contains(body, "unknown subdirective") {
		t.Errorf("have %d, %s", status, body)
	}
}

func TestLIFE02FailedLoadLeavesTheOldOneServing(t *testing.T) {
	e := startMaster(t, adminConfig)
	e.g.fail = errors.New("worker /app/index.php: PHP Fatal error: boom in /app/index.php on line 3")
	status, body, _ := e.do(t, "POST", "/load", e.expand(`{ADMIN, "apps": {"hathi": {"processes": 3}}}`))
	if status != 400 || !strings.Contains(body, "loading config: worker /app/index.php: PHP Fatal error: boom in /app/index.php on line 3") {
		t.Errorf("have %d, %s", status, body)
	}
	for _, config := range []string{
		`{ADMIN, "apps": {"hathi": {"processes": -1}}}`,
		`{ADMIN, "apps": {"http": {"servers": {"s": {"routes": [{"handle": [{"handler": "none"}]}]}}}}}`,
		`{ADMIN, "apps": {"nothing": {}}}`,
		`{ADMIN, "x": 1}`,
	} {
		if status, body, _ := e.do(t, "POST", "/load", e.expand(config)); status != 400 {
			t.Errorf("%s: have %d, %s", config, status, body)
		}
	}
	if started, stopped := e.g.counts(); started != 1 || stopped != 0 {
		t.Errorf("%d started, %d stopped", started, stopped)
	}
	if _, body, _ := e.do(t, "GET", "/config/apps/frankenphp/num_threads", ""); body != "2" {
		t.Errorf("have %s", body)
	}
}

// Octane's reload is GET and PATCH of the same value with must-revalidate.
func TestAdminPatchReloadsAsOctaneDoes(t *testing.T) {
	e := startMaster(t, adminConfig)
	_, app, _ := e.do(t, "GET", "/config/apps/frankenphp", "")
	status, body, _ := e.do(t, "PATCH", "/config/apps/frankenphp", app, "Cache-Control: must-revalidate")
	if status != 200 {
		t.Fatalf("have %d, %s", status, body)
	}
	e.g.waitStopped(t, 1)
	if started, _ := e.g.counts(); started != 2 {
		t.Errorf("%d generations", started)
	}
}

func TestAdminChangesTheConfigurationInPlace(t *testing.T) {
	e := startMaster(t, adminConfig)
	const routes = "/config/apps/http/servers/srv0/routes"
	for _, c := range []struct {
		method, path, body string
		status             int
	}{
		{"PUT", "/config/apps/hathi", `{}`, 400}, // two names of one app
		{"DELETE", "/config/apps/frankenphp", "", 200},
		{"PUT", "/config/apps/hathi/processes", `4`, 200}, // makes the way there
		{"PUT", "/config/apps/hathi/processes", `5`, 409},
		{"PATCH", "/config/apps/hathi/processes", `6`, 200},
		{"PATCH", "/config/apps/hathi/none", `6`, 404},
		{"POST", routes, `{"handle": [{"handler": "static_response", "body": "second"}]}`, 200},
		{"POST", routes + "/...", `[{"@id": "x", "handle": []}, {"handle": []}]`, 200},
		{"PUT", routes + "/0", `{"handle": [{"handler": "static_response", "body": "zero"}]}`, 200},
		{"PATCH", "/id/hello/handle/0/body", `"bye"`, 200},
		{"DELETE", routes + "/4", "", 200},
		{"DELETE", routes + "/9", "", 400},
		{"POST", "/id/hello", `{"@id": "x", "handle": []}`, 400}, // an "@id" twice
		{"PATCH", "/config/apps/hathi/processes", `{`, 400},
	} {
		if status, body, _ := e.do(t, c.method, c.path, c.body); status != c.status {
			t.Errorf("%s %s: have %d, %s, want %d", c.method, c.path, status, body, c.status)
		}
	}
	_, have, _ := e.do(t, "GET", "/config/apps", "")
	want := `{"hathi":{"processes":6},"http":{"servers":{"srv0":{"listen":[":0"],"routes":[` +
		`{"handle":[{"body":"zero","handler":"static_response"}]},` +
		`{"@id":"hello","handle":[{"body":"bye","handler":"static_response"}]},` +
		`{"handle":[{"body":"second","handler":"static_response"}]},` +
		`{"@id":"x","handle":[]}]}}}}`
	if have != want {
		t.Errorf("have %s\nwant %s", have, want)
	}
}

func TestAdminIfMatchGuardsAChange(t *testing.T) {
	e := startMaster(t, adminConfig)
	_, _, header := e.do(t, "GET", "/config/apps/frankenphp", "")
	etag := header.Get("Etag")
	if status, body, _ := e.do(t, "PATCH", "/config/apps/frankenphp", `{"num_threads": 3}`, "If-Match: "+etag); status != 200 {
		t.Fatalf("have %d, %s", status, body)
	}
	if status, body, _ := e.do(t, "PATCH", "/config/apps/frankenphp", `{"num_threads": 4}`, "If-Match: "+etag); status != 412 {
		t.Errorf("have %d, %s", status, body)
	}
	if status, _, _ := e.do(t, "PATCH", "/config/apps/frankenphp", `{"num_threads": 4}`, "If-Match: x"); status != 400 {
		t.Errorf("have %d", status)
	}
}

func TestReloadKeepsTheSockets(t *testing.T) {
	g := &generations{}
	address := freePort(t)
	g.bind = []string{address}
	saved := startGeneration
	startGeneration = g.start
	autosavePath := caddy.ConfigAutosavePath
	caddy.ConfigAutosavePath = filepath.Join(t.TempDir(), "autosave.json")
	t.Cleanup(func() {
		_ = caddy.Stop()
		draining.Wait()
		startGeneration, caddy.ConfigAutosavePath = saved, autosavePath
	})
	config := `{"admin": {"disabled": true}, "apps": {"hathi": {"processes": 2}}}`
	if err := Load([]byte(config), true); err != nil {
		t.Fatal(err)
	}
	key := socketKey{"tcp", address, 1}
	first := sockets.sockets[key].file
	if err := Load([]byte(config), true); err != nil {
		t.Fatal(err)
	}
	g.waitStopped(t, 1)
	draining.Wait()
	if have := sockets.sockets[key]; have == nil || have.file != first {
		t.Error("the socket was bound again")
	}
	g.bind = nil
	if err := Load([]byte(config), true); err != nil {
		t.Fatal(err)
	}
	draining.Wait()
	if have := sockets.sockets[key]; have != nil {
		t.Error("a socket that no generation uses stays open")
	}
}

func TestStopOfTheServerWaitsForTheGeneration(t *testing.T) {
	e := startMaster(t, adminConfig)
	SetExiting()
	defer exiting.Store(false)
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	if _, stopped := e.g.counts(); stopped != 1 {
		t.Error("stop returned before the generation")
	}
}
