// Package worker runs PHP in processes: the master's side (templates, serving
// processes, supervision) and the serving process's side (its interpreter, the
// queue in front of it). It knows nothing of Caddy or net/http.
package worker

import (
	"os"
	"time"

	"go.uber.org/zap"
)

// INI is one php.ini entry of the configuration.
type INI struct{ Key, Value string }

// Script is a worker script: it boots an application once and then loops over
// frankenphp_handle_request().
type Script struct {
	Name string // label in logs, metrics and the process list
	File string // absolute path, symlinks resolved
	Env  []INI  // seen in $_SERVER and by getenv() while the script boots
	Num  int    // serving processes that run it; 0 means all

	// MaxConsecutiveFailures is how often the script may fail to reach its loop in a
	// row during start before the start fails. 0 means at the first, -1 never.
	MaxConsecutiveFailures int
}

// Config is what one generation runs.
type Config struct {
	Processes int      // serving processes; 0 means the CPUs of the cgroup
	PHPIni    []INI    // applied at module startup, over php.ini
	Scripts   []Script // the first one is resident in the serving processes
	User      string   // what the PHP processes become when the master is root; "" stays
	Group     string   // "" means the user's primary group
	PHPThread string   // "any", "pinned", or "" to decide by the loaded extensions

	// Grace is how long running requests may take to finish at a stop. Default 30 s.
	Grace time.Duration

	// Payload goes to every serving process as it is.
	Payload []byte

	// Listen binds (or finds) the listening socket of one slot, in the master.
	// network is "tcp", "udp" or "unix".
	Listen func(network, address string, slot int) (*os.File, error)

	Log *zap.Logger
}
