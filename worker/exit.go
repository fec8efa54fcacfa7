package worker

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// describeExit says how a process ended, and nothing that is not known.
func describeExit(status unix.WaitStatus, known bool) string {
	switch {
	case !known:
		return "ended; its status is not known"
	case status.Signaled():
		s := fmt.Sprintf("was killed by signal %d (%s)", int(status.Signal()), unix.SignalName(status.Signal()))
		if status.CoreDump() {
			s += ", core dumped"
		}
		return s
	case status.ExitStatus() == 2:
		// Go turns a fatal signal inside C into a dump on stderr and status 2.
		return "exited with status 2 (a fatal signal in PHP or a panic in Go: see its last output)"
	default:
		return fmt.Sprintf("exited with status %d", status.ExitStatus())
	}
}

// respawnDelay returns how long to wait before the nth replacement in a row of a
// process that died young (n counts from 0): none for the first, then n² x 100 ms
// up to 5 s.
func respawnDelay(n int) time.Duration {
	return min(time.Duration(n*n)*100*time.Millisecond, 5*time.Second)
}

// bootDelay returns how long to wait before a worker script is run again after n
// failures in a row: min(n² x 100 ms, 1 s), as FrankenPHP waits.
func bootDelay(n int) time.Duration {
	return min(time.Duration(n*n)*100*time.Millisecond, time.Second)
}

// young is the age under which a death counts towards a crash loop.
const young = 10 * time.Second
