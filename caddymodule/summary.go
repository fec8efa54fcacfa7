package caddymodule

import (
	"sync/atomic"

	"github.com/caddyserver/caddy/v2"
)

// Summary says what the server runs.
type Summary struct {
	Processes int      // serving processes; 0 when there is no configuration
	Addresses []string // as the configuration has them
	Workers   []string // names of the worker scripts
}

var summary atomic.Pointer[Summary]

// Running returns what the server runs.
func Running() Summary {
	if s := summary.Load(); s != nil {
		return *s
	}
	return Summary{}
}

// ReopenLogs is for SIGUSR1: log files that were renamed are to be created anew.
func ReopenLogs() {
	caddy.Log().Info("log files are written in append mode and are not reopened yet; use logrotate with copytruncate")
}
