package worker

import (
	"os"
	"os/signal"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// reaper collects every process of our process groups: templates, serving
// processes, and what PHP started and left behind. The master is a child
// subreaper, so they all become its children when their parents end. Children that
// Go's os/exec starts are in other groups and stay its own.
type reaper struct {
	mu     sync.Mutex
	groups map[int]bool // process group -> its template may still fork
	exits  map[int]unix.WaitStatus
	wake   chan struct{} // closed and replaced when exits changes
}

var theReaper = sync.OnceValue(func() *reaper {
	r := &reaper{
		groups: make(map[int]bool),
		exits:  make(map[int]unix.WaitStatus),
		wake:   make(chan struct{}),
	}
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) // Linux 3.4; only orphans would go unreaped
	child := make(chan os.Signal, 1)
	signal.Notify(child, unix.SIGCHLD)
	go func() {
		for range child {
			r.reap()
		}
	}()
	return r
})

func (r *reaper) add(group int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.groups[group] = true
}

// retire says that nothing new will join a group: it is forgotten once it is empty.
func (r *reaper) retire(group int) {
	r.mu.Lock()
	r.groups[group] = false
	r.mu.Unlock()
	r.reap()
}

func (r *reaper) reap() {
	r.mu.Lock()
	defer r.mu.Unlock()
	changed := false
	for group, live := range r.groups {
		for {
			var status unix.WaitStatus
			pid, err := unix.Wait4(-group, &status, unix.WNOHANG, nil)
			if err == unix.EINTR {
				continue
			}
			if err == unix.ECHILD && !live {
				delete(r.groups, group)
			}
			if err != nil || pid <= 0 {
				break
			}
			r.exits[pid] = status
			changed = true
		}
	}
	if changed {
		close(r.wake)
		r.wake = make(chan struct{})
	}
}

// KillAll ends at once every process that this one's generations have started, and
// what PHP has started in them. It is for a master that ends without a Stop.
func KillAll() {
	r := theReaper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for group := range r.groups {
		_ = unix.Kill(-group, unix.SIGKILL)
	}
}

// status waits up to d for the exit status of a process that has ended.
func (r *reaper) status(pid int, d time.Duration) (unix.WaitStatus, bool) {
	timeout := time.NewTimer(d)
	defer timeout.Stop()
	for {
		r.mu.Lock()
		s, ok := r.exits[pid]
		if ok {
			delete(r.exits, pid)
		}
		wake := r.wake
		r.mu.Unlock()
		if ok {
			return s, true
		}
		select {
		case <-wake:
		case <-timeout.C:
			return 0, false
		}
	}
}

// empty waits up to d until no process of a group is left.
func (r *reaper) empty(group int, d time.Duration) bool {
	deadline := time.Now().Add(d)
	for {
		r.reap()
		if err := unix.Kill(-group, 0); err == unix.ESRCH {
			return true
		}
		if time.Now().After(deadline) {
			return false
		}
		time.Sleep(2 * time.Millisecond) // a group's end has no event of its own
	}
}
