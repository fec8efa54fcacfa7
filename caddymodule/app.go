package caddymodule

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
)

func init() {
	caddy.RegisterModule(App{})
}

// defaultStopTimeout is how long running requests may take to finish at a stop.
const defaultStopTimeout = 30 * time.Second

// App is the global configuration of PHP, `apps.hathi` in JSON and the global
// option `hathi` in a Caddyfile. It concerns every process of the server.
type App struct {
	// Processes is the number of serving processes, each a whole server with one
	// PHP inside. Default: the CPUs that the cgroup allows.
	Processes int `json:"processes,omitempty"`

	// PHPIni has php.ini entries that are applied at PHP's start, over php.ini.
	// A change needs a reload.
	PHPIni map[string]string `json:"php_ini,omitempty"`

	// Workers are the worker scripts that every site can use: a request whose
	// script is one of these files runs in the booted application.
	Workers []*Worker `json:"workers,omitempty"`

	// User is what the PHP processes become when Hathi is started as root.
	// Default: they stay what they are.
	User string `json:"user,omitempty"`

	// Group goes with User. Default: the user's primary group.
	Group string `json:"group,omitempty"`

	// PHPThread is "any" (PHP may run on any OS thread, the fastest) or "pinned"
	// (always on the same one, for extensions that keep state per thread).
	// Default: decided by the extensions that are loaded.
	PHPThread string `json:"php_thread,omitempty"`

	// StopTimeout is how long running requests may take to finish when a process
	// stops. Default: Caddy's grace_period if that is set, else 30 s.
	StopTimeout caddy.Duration `json:"stop_timeout,omitempty"`

	// NumThreads is the number of PHP interpreters in the whole server. Fewer than
	// the CPUs means as many serving processes; more are not kept warm yet.
	// Default: one per serving process.
	NumThreads int `json:"num_threads,omitempty"`

	// MaxThreads is the most PHP interpreters the server may start under load, -1
	// for as many as memory allows. Checked and kept; not in force yet.
	MaxThreads int `json:"max_threads,omitempty"`

	// MaxWaitTime is how long a request may wait for an interpreter before it is
	// answered with 503. Checked and kept; not in force yet. Default: no limit.
	MaxWaitTime caddy.Duration `json:"max_wait_time,omitempty"`

	// MaxIdleTime is how long an interpreter beyond NumThreads stays without work.
	// Checked and kept; not in force yet.
	MaxIdleTime caddy.Duration `json:"max_idle_time,omitempty"`

	// MaxRequests renews an interpreter after so many requests, 0 never. Checked
	// and kept; not in force yet.
	MaxRequests int `json:"max_requests,omitempty"`
}

// autoThreads is MaxThreads for "auto".
const autoThreads = -1

// CaddyModule returns the Caddy module information.
func (App) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "hathi",
		New: func() caddy.Module { return new(App) },
	}
}

// Provision completes the workers: absolute files, names.
func (a *App) Provision(caddy.Context) error {
	for _, w := range a.Workers {
		if err := w.provision(""); err != nil {
			return err
		}
	}
	return nil
}

// Validate checks what can be checked without PHP.
func (a *App) Validate() error {
	for _, v := range []struct {
		key   string
		value int64
		least int64
	}{
		{"processes", int64(a.Processes), 0},
		{"num_threads", int64(a.NumThreads), 0},
		{"max_threads", int64(a.MaxThreads), autoThreads},
		{"max_requests", int64(a.MaxRequests), 0},
		{"max_wait_time", int64(a.MaxWaitTime), 0},
		{"max_idle_time", int64(a.MaxIdleTime), 0},
		{"stop_timeout", int64(a.StopTimeout), 0},
	} {
		if v.value < v.least {
			return fmt.Errorf("%s: %d is less than %d", v.key, v.value, v.least)
		}
	}
	if a.MaxThreads > 0 && a.NumThreads > a.MaxThreads {
		return fmt.Errorf("max_threads: %d is less than num_threads, which is %d", a.MaxThreads, a.NumThreads)
	}
	switch a.PHPThread {
	case "", "any", "pinned":
	default:
		return fmt.Errorf("php_thread: %q is neither any nor pinned", a.PHPThread)
	}
	if a.Group != "" && a.User == "" {
		return errors.New("group: set without user")
	}
	for key, value := range a.PHPIni {
		if key == "" || strings.ContainsAny(key, "=\r\n\x00") || strings.ContainsAny(value, "\r\n\x00") {
			return fmt.Errorf("php_ini: %q = %q is not one php.ini entry", key, value)
		}
	}
	seen := make(map[string]bool, len(a.Workers))
	for _, w := range a.Workers {
		if err := w.validate(); err != nil {
			return err
		}
		if seen[w.FileName] {
			return fmt.Errorf("worker: two global workers have the file %s", w.FileName)
		}
		seen[w.FileName] = true
	}
	return nil
}

// Start does nothing: PHP runs before the configuration is loaded.
func (*App) Start() error { return nil }

// Stop does nothing.
func (*App) Stop() error { return nil }

// appIDs are the names under which a configuration may have the App, the
// native one first.
var appIDs = []string{"hathi", "frankenphp"}

// configuredApp returns the App of a configuration, an empty one if it has none.
func configuredApp(ctx caddy.Context) (*App, error) {
	for _, id := range appIDs {
		v, err := ctx.AppIfConfigured(id)
		switch {
		case errors.Is(err, caddy.ErrNotConfigured):
			continue
		case err != nil:
			return nil, err
		}
		if a, ok := v.(interface{ app() *App }); ok {
			return a.app(), nil
		}
	}
	return new(App), nil
}

func (a *App) app() *App { return a }

// fileExists tells a regular file from a missing one, with an error that names
// what the file is for.
func fileExists(what, file string) error {
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("%s: the file %s does not exist", what, file)
	case err != nil:
		return fmt.Errorf("%s: %w", what, err)
	case info.IsDir():
		return fmt.Errorf("%s: %s is a directory", what, file)
	}
	return nil
}

var (
	_ caddy.App         = (*App)(nil)
	_ caddy.Provisioner = (*App)(nil)
	_ caddy.Validator   = (*App)(nil)
)
