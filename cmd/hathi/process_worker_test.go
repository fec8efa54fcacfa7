package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestExitAndExceptionInARequestKeepTheWorker(t *testing.T) {
	s, boots := plainWorker(t, "processes 1")
	w := s.wireTo(s.servingPIDs()[0])
	boot := object(t, s.must(w, "/counter"))
	if status, body, err := w.get("/exit"); status != 202 || body != "before exit\nshutdown function\n" {
		t.Errorf("exit: %d %q, %v", status, body, err)
	}
	if status, _, err := w.get("/exception"); status != 500 {
		t.Errorf("exception: %d, %v", status, err)
	}
	now := object(t, s.must(w, "/counter"))
	if now["boot_id"] != boot["boot_id"] || now["requests"].(float64) != boot["requests"].(float64)+3 {
		t.Errorf("the worker is %v, was %v", now, boot)
	}
	if n := len(lines(t, boots)); n != 1 {
		t.Errorf("the worker script booted %d times", n)
	}
	s.waitLog("thrown by exception.php")
}

func TestAFatalErrorRunsTheWorkerScriptAgainInThatProcess(t *testing.T) {
	s, boots := plainWorker(t, "processes 2")
	pids := s.servingPIDs()
	a, b := s.wireTo(pids[0]), s.wireTo(pids[1])
	bootA, bootB := object(t, s.must(a, "/counter"))["boot_id"], object(t, s.must(b, "/counter"))["boot_id"]
	for i, kind := range []string{"compile", "user"} {
		if status, _, err := a.get("/fatal?kind=" + kind); status != 500 || err != nil {
			t.Errorf("%s: %d, %v", kind, status, err)
		}
		now := object(t, s.must(a, "/counter"))
		if now["boot_id"] == bootA || now["requests"] != 1.0 || int(now["pid"].(float64)) != pids[0] {
			t.Errorf("after the fatal error: %v", now)
		}
		bootA = now["boot_id"]
		if got := object(t, s.must(b, "/counter"))["boot_id"]; got != bootB {
			t.Error("the other process has booted as well")
		}
		if n := len(lines(t, boots)); n != i+2 {
			t.Errorf("%d boots after %d fatal errors", n, i+1)
		}
	}
	s.endsCleanly()
}

func TestAScriptOverItsTimeLimitEndsWith500(t *testing.T) {
	// Several requests, so that PHP meets the thread the process was forked on.
	for _, thread := range []string{"any", "pinned"} {
		t.Run(thread, func(t *testing.T) {
			s, boots := plainWorker(t, "processes 1\nphp_thread "+thread)
			w := s.wireTo(s.servingPIDs()[0])
			for _, path := range []string{"/fatal?kind=time", "/fatal.php?kind=time", "/fatal.php?kind=time"} {
				if status, body, err := w.get(path); status != 500 {
					t.Fatalf("%s: %d %q, %v", path, status, body, err)
				}
				s.must(w, "/hello")
			}
			if n := strings.Count(s.log.String(), "Maximum execution time of 1 second exceeded"); n != 3 {
				t.Errorf("%d messages of PHP's about the time", n)
			}
			if n := len(lines(t, boots)); n < 2 {
				t.Errorf("%d boots", n)
			}
		})
	}
}

func TestAWorkerThatEndsItsLoopIsRunAgain(t *testing.T) {
	s, boots := plainWorker(t, "processes 1", "MAX_REQUESTS=3")
	w := s.wireTo(s.servingPIDs()[0]) // one request
	for range 8 {
		s.must(w, "/hello")
	}
	// Nine requests, and the script that follows the ninth.
	s.eventually("four boots", func() bool { return len(lines(t, boots)) >= 4 })
	if n := len(lines(t, boots)); n != 4 {
		t.Errorf("%d boots after 9 requests of 3 each", n)
	}
	s.endsCleanly()
}

func TestAWorkerThatCannotBootAgainIs503UntilItCan(t *testing.T) {
	broken := filepath.Join(openDir(t), "broken")
	root := plainCopy(t, "fragile.php", `if (file_exists('`+broken+`')) {
	throw new RuntimeException('the database is away');
}
require __DIR__ . '/worker.php';`)
	s := startServer(t, workerConfig(root, "fragile.php", "processes 2"))
	pids := s.servingPIDs()
	a, b := s.wireTo(pids[0]), s.wireTo(pids[1])
	writeFile(t, broken, "")
	if status, _, err := a.get("/fatal"); status != 500 {
		t.Errorf("fatal error: %d, %v", status, err)
	}
	status, header, _, err := a.getWithHeader("/hello")
	if status != 503 {
		t.Errorf("while the worker does not boot: %d, %v", status, err)
	}
	if header.Get("Retry-After") == "" {
		t.Error("503 without Retry-After")
	}
	s.must(b, "/hello")
	s.waitLog("the database is away")
	if err := os.Remove(broken); err != nil {
		t.Fatal(err)
	}
	s.eventually("it recovers", func() bool {
		status, _, err := a.get("/hello")
		if err != nil {
			t.Fatal(err)
		}
		return status == 200
	})
	if log := s.log.String(); strings.Contains(log, "it is replaced") {
		t.Error("the process has ended")
	}
	s.endsCleanly()
}
