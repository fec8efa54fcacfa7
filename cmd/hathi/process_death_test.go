package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

func killProcess(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatalf("kill -9 %d: %v", pid, err)
	}
}

func owner(t *testing.T, path string) int {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return int(info.Sys().(*syscall.Stat_t).Uid)
}

// plainWorker starts the plain application in worker mode and returns its boot counter.
func plainWorker(t *testing.T, options string, env ...string) (s *server, boots string) {
	t.Helper()
	boots = filepath.Join(t.TempDir(), "boots")
	return startServer(t, workerConfig(app(t, "plain"), "worker.php", options), append(env, "BOOT_COUNTER="+boots)...), boots
}

// replaced waits until n serving processes run, none of them in dead.
func (s *server) replaced(n int, dead ...int) {
	s.t.Helper()
	s.eventually(fmt.Sprintf("%d serving processes without %v", n, dead), func() bool {
		pids := s.servingPIDs()
		return len(pids) == n && !slices.ContainsFunc(pids, func(pid int) bool { return slices.Contains(dead, pid) })
	})
}

func TestAKilledProcessIsReplacedUnderLoadWithoutAnotherBoot(t *testing.T) {
	s, boots := plainWorker(t, "processes 3")
	pids := s.servingPIDs()
	victim := pids[0]

	var running sync.WaitGroup
	var stopped atomic.Bool
	var kept, fresh, lost atomic.Int64
	var died, answered atomic.Int64 // Unix nanoseconds
	for _, pid := range pids[1:] {
		for range 2 {
			w := s.wireTo(pid)
			running.Go(func() {
				for !stopped.Load() {
					status, body, err := w.get("/pid")
					if err != nil || status != 200 || body != strconv.Itoa(pid) {
						t.Errorf("a connection to another process: %d %q, %v", status, body, err)
						return
					}
					kept.Add(1)
				}
			})
		}
	}
	const dialers = 3
	for range dialers {
		running.Go(func() {
			for !stopped.Load() {
				begin := time.Now()
				status, body, err := s.fresh("/pid")
				pid, _ := strconv.Atoi(body)
				switch {
				case err == nil && status == 200:
					fresh.Add(1)
					if !slices.Contains(pids, pid) {
						answered.CompareAndSwap(0, time.Now().UnixNano())
					}
				case strings.Contains(fmt.Sprint(err), "refused") || died.Load() == 0 || begin.UnixNano() > died.Load()+int64(time.Second):
					t.Errorf("a fresh connection: %d %q, %v", status, body, err)
					return
				default:
					lost.Add(1) // what the victim had accepted
				}
			}
		})
	}

	s.eventually("load", func() bool { return kept.Load() > 200 && fresh.Load() > 50 })
	died.Store(time.Now().UnixNano())
	killProcess(t, victim)
	s.eventually("an answer of the replacement", func() bool { return answered.Load() != 0 })
	after := kept.Load()
	s.eventually("load goes on", func() bool { return kept.Load() > after+200 })
	stopped.Store(true)
	running.Wait()

	// The victim can have taken at most one connection of each dialer along.
	if lost.Load() > dialers {
		t.Errorf("%d fresh connections were lost, want at most %d", lost.Load(), dialers)
	}
	if n := len(lines(t, boots)); n != 1 {
		t.Errorf("the worker script booted %d times", n)
	}
	s.replaced(3, victim)
	t.Logf("from death to the first answer of the replacement: %v; %d requests on kept connections, %d on fresh ones, %d lost",
		time.Duration(answered.Load()-died.Load()), kept.Load(), fresh.Load(), lost.Load())
	if log := s.log.String(); !strings.Contains(log, "was killed by signal 9 (SIGKILL)") {
		t.Error("the log does not say how the process ended")
	}
	s.endsCleanly()
}

func TestAKilledTemplateIsStartedAgain(t *testing.T) {
	booted := "hathi: template " + app(t, "plain/worker.php")
	for _, c := range []struct {
		title string
		boots int
	}{
		{"hathi: template", 1},
		{booted, 2},
	} {
		t.Run(c.title[:min(len(c.title), 17)], func(t *testing.T) {
			s, boots := plainWorker(t, "processes 2")
			pids := s.servingPIDs()
			w := s.wireTo(pids[0])
			old := s.titled(c.title)
			killProcess(t, old)
			s.waitLog(`"msg":"template is back"`)
			if now := s.titled(c.title); now == 0 || now == old {
				t.Fatalf("the template is %d, was %d", now, old)
			}
			if got := s.servingPIDs(); !slices.Equal(got, pids) {
				t.Errorf("serving processes %v, were %v", got, pids)
			}
			s.must(w, "/hello")
			for _, pid := range pids {
				killProcess(t, pid)
			}
			s.replaced(2, pids...)
			for _, pid := range s.servingPIDs() {
				s.must(s.wireTo(pid), "/hello")
			}
			if n := len(lines(t, boots)); n != c.boots {
				t.Errorf("the worker script booted %d times, want %d", n, c.boots)
			}
			s.endsCleanly()
		})
	}
}

func TestTheServerComesBackFromTheDeathOfEveryProcessBelowTheMaster(t *testing.T) {
	s, _ := plainWorker(t, "processes 2")
	pids := s.servingPIDs()
	for _, p := range s.processes() {
		killProcess(t, p.pid)
	}
	s.replaced(2, pids...)
	for _, pid := range s.servingPIDs() {
		s.must(s.wireTo(pid), "/hello")
	}
	s.endsCleanly()
}

func TestProcessesEndWhenTheMasterDies(t *testing.T) {
	t.Run("idle", func(t *testing.T) {
		s, _ := plainWorker(t, "processes 2")
		killProcess(t, s.cmd.Process.Pid)
		s.gone(5 * time.Second)
	})
	t.Run("running requests finish", func(t *testing.T) {
		dir := openDir(t)
		shutdown, mark := filepath.Join(dir, "shutdown"), filepath.Join(dir, "mark")
		s := startServer(t, workerConfig(plainCopy(t, "mark.php", markScript), "worker.php", "processes 1"), "SHUTDOWN_FILE="+shutdown)
		answer := s.inFlight("/mark?ms=700&mark="+mark, mark)
		killProcess(t, s.cmd.Process.Pid)
		if a := <-answer; a.err != nil || a.status != 200 {
			t.Errorf("the running request: %d, %v", a.status, a.err)
		}
		s.gone(5 * time.Second)
		if n := len(lines(t, shutdown)); n != 1 {
			t.Errorf("the code after the worker's loop ran %d times", n)
		}
	})
	t.Run("PHP sleeps for a minute", func(t *testing.T) {
		mark := filepath.Join(openDir(t), "mark")
		s := startServer(t, workerConfig(plainCopy(t, "mark.php", markScript), "worker.php", "processes 1\nstop_timeout 1s"))
		s.inFlight("/mark?ms=60000&mark="+mark, mark)
		killProcess(t, s.cmd.Process.Pid)
		s.gone(5 * time.Second)
	})
	for name, wait := range map[string]string{"sleeps": `sleep(60);`, "computes": `set_time_limit(0); while (true) { hash('sha256', 'x'); }`} {
		t.Run("the worker script "+name+" at its boot", func(t *testing.T) {
			mark := filepath.Join(openDir(t), "mark")
			root := plainCopy(t, "slow.php", "touch('"+mark+"');\n"+wait)
			s := newServer(t, workerConfig(root, "slow.php", "processes 1"))
			s.launch()
			s.eventually("the worker script boots", func() bool { return exists(mark) })
			killProcess(t, s.cmd.Process.Pid)
			s.gone(5 * time.Second)
		})
	}
	t.Run("each process boots its own worker", func(t *testing.T) {
		dir := openDir(t)
		mark := filepath.Join(dir, "mark")
		// The first boot leaves a pipe open, so that the processes boot for themselves.
		root := plainCopy(t, "slow.php", `$pipe = popen('cat', 'w');
if (file_exists('`+mark+`.first')) {
	touch('`+mark+`');
	sleep(60);
}
touch('`+mark+`.first');
while (frankenphp_handle_request(static function (): void {})) {
}`)
		s := newServer(t, workerConfig(root, "slow.php", "processes 1\nstop_timeout 1s"))
		s.launch()
		s.eventually("the serving process boots", func() bool { return exists(mark) })
		killProcess(t, s.cmd.Process.Pid)
		s.gone(8 * time.Second)
	})
}

// answer is what came of a request.
type answer struct {
	status int
	body   string
	err    error
}

// inFlight sends a request over a new connection and returns when the script that
// it runs has made the file mark.
func (s *server) inFlight(path, mark string) <-chan answer {
	s.t.Helper()
	result := make(chan answer, 1)
	go func() {
		status, body, err := s.fresh(path)
		result <- answer{status, body, err}
	}()
	s.eventually("the request is running", func() bool { return exists(mark) })
	return result
}
