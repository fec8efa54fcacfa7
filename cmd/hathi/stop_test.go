package main_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"
)

func TestAStopLetsRunningRequestsFinish(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGQUIT} {
		t.Run(sig.String(), func(t *testing.T) {
			dir := openDir(t)
			shutdown := filepath.Join(dir, "shutdown")
			s := startServer(t, workerConfig(plainCopy(t, "mark.php", markScript), "worker.php", "processes 2"), "SHUTDOWN_FILE="+shutdown)
			pids := s.servingPIDs()
			var answers []chan answer
			for i, pid := range pids {
				w, mark := s.wireTo(pid), filepath.Join(dir, strconv.Itoa(i))
				result := make(chan answer, 1)
				answers = append(answers, result)
				go func() {
					status, body, err := w.get("/mark?ms=800&mark=" + mark)
					result <- answer{status, body, err}
				}()
				s.eventually("the request is running", func() bool { return exists(mark) })
			}
			if err := s.cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			for i, result := range answers {
				if a := <-result; a.err != nil || a.status != 200 || a.body != fmt.Sprint("slept ", pids[i]) {
					t.Errorf("the request that was running: %d %q, %v", a.status, a.body, a.err)
				}
			}
			if status := s.wait(); status != 0 {
				t.Errorf("exit status %d", status)
			}
			if left := s.processes(); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
			var ended []int
			for _, line := range lines(t, shutdown) {
				pid, _ := strconv.Atoi(line)
				ended = append(ended, pid)
			}
			slices.Sort(ended)
			if !slices.Equal(ended, pids) {
				t.Errorf("the code after the loop ran in %v, want %v", ended, pids)
			}
		})
	}
}

func TestASecondSignalStopsAtOnce(t *testing.T) {
	mark := filepath.Join(openDir(t), "mark")
	s := startServer(t, workerConfig(plainCopy(t, "mark.php", markScript), "worker.php", "processes 2"))
	s.inFlight("/mark?ms=60000&mark="+mark, mark)
	for _, wait := range []string{"the next such signal stops at once", "stopping at once"} {
		if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		s.waitLog(wait)
	}
	if status := s.wait(); status == 0 {
		t.Error("exit status 0")
	}
	s.gone(time.Second)
}

func TestASignalDuringTheBootStopsAtOnce(t *testing.T) {
	mark := filepath.Join(openDir(t), "mark")
	s := newServer(t, workerConfig(plainCopy(t, "slow.php", "touch('"+mark+"'); sleep(60);"), "slow.php", "processes 1"))
	s.launch()
	s.eventually("the worker script boots", func() bool { return exists(mark) })
	if status := s.stop(); status == 0 {
		t.Error("exit status 0 though it never served")
	}
	s.gone(time.Second)
}

func TestAStuckScriptDelaysAStopOnlyByTheGracePeriod(t *testing.T) {
	for name, script := range map[string]string{
		"sleeps":   markScript,
		"computes": `set_time_limit(0); touch($_GET['mark']); while (true) { hash('sha256', 'x'); }`,
	} {
		t.Run(name, func(t *testing.T) {
			mark := filepath.Join(openDir(t), "mark")
			s := startServer(t, workerConfig(plainCopy(t, "mark.php", script), "worker.php", "processes 2\nstop_timeout 1s"))
			s.inFlight("/mark?ms=60000&mark="+mark, mark)
			begin := time.Now()
			s.endsCleanly()
			if took := time.Since(begin); took < time.Second || took > 8*time.Second {
				t.Errorf("the stop took %v with a grace period of 1 s", took)
			}
		})
	}
}

func TestWhatPHPStartedEndsWithTheServer(t *testing.T) {
	root := plainCopy(t, "start.php", `exec('sleep 1000 > /dev/null 2>&1 &'); echo 'started';`,
		"boot.php", `$null = ['file', '/dev/null', 'w'];
$process = proc_open(['sleep', '1001'], [1 => $null, 2 => $null], $pipes);
require __DIR__ . '/worker.php';`)
	s := startServer(t, workerConfig(root, "boot.php", "processes 2\nstop_timeout 2s"))
	if _, body, err := s.fresh("/start"); body != "started" {
		t.Fatalf("%q, %v", body, err)
	}
	if s.titled("sleep\x001000") == 0 || s.titled("sleep\x001001") == 0 {
		t.Fatalf("no process was started: %v", s.processes())
	}
	s.endsCleanly()
}
