package main_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
)

// configOf returns the X-Config header of an answer over a new connection.
func (s *server) configOf() string {
	s.t.Helper()
	w, err := s.dial()
	if err != nil {
		s.t.Fatal(err)
	}
	defer w.Close()
	status, header, body, err := w.getWithHeader("/hello")
	if err != nil || status != 200 {
		s.t.Fatalf("%d %q, %v", status, body, err)
	}
	return header.Get("X-Config")
}

// setConfig writes a configuration file that answers with its number.
func (s *server) setConfig(config string, number int) {
	s.t.Helper()
	writeFile(s.t, s.configFile(), strings.ReplaceAll(config, "{$X_CONFIG}", fmt.Sprint(number)))
}

// load posts the configuration file to the admin endpoint.
func (s *server) load() (status int, answer string) {
	s.t.Helper()
	text, err := os.ReadFile(s.configFile())
	if err != nil {
		s.t.Fatal(err)
	}
	// The endpoint adapts in the environment of the master, as the file was.
	resp, err := http.Post("http://"+s.admin+"/load", "text/caddyfile", strings.NewReader(string(text)))
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

func TestAReloadUnderLoadRefusesNoConnection(t *testing.T) {
	config := workerConfig(app(t, "plain"), "worker.php", "processes 2")
	s := startServer(t, config, "X_CONFIG=0")
	var running sync.WaitGroup
	var stopped atomic.Bool
	var good, lost atomic.Int64
	for range 4 {
		running.Go(func() {
			for !stopped.Load() {
				status, body, err := s.fresh("/hello")
				switch {
				case err == nil && status == 200 && body == "Hello World":
					good.Add(1)
				case err != nil && !strings.Contains(err.Error(), "refused"):
					lost.Add(1) // a reload without any loss is not promised yet
				default:
					t.Errorf("during a reload: %d %q, %v", status, body, err)
					return
				}
			}
		})
	}
	ways := []struct {
		name   string
		reload func()
	}{
		{"hathi reload", func() {
			if status, output := s.command("reload", "--config", s.configFile(), "--address", s.admin); status != 0 {
				t.Errorf("hathi reload: exit status %d: %s", status, output)
			}
		}},
		{"SIGUSR2", func() { _ = s.cmd.Process.Signal(syscall.SIGUSR2) }},
		{"SIGHUP", func() { _ = s.cmd.Process.Signal(syscall.SIGHUP) }},
		{"POST /load", func() {
			if status, answer := s.load(); status != 200 {
				t.Errorf("POST /load: %d %s", status, answer)
			}
		}},
	}
	for i, way := range ways {
		before := good.Load()
		old := s.servingPIDs()
		s.setConfig(config, i+1)
		way.reload()
		s.eventually(way.name+" puts the new configuration in force", func() bool { return s.configOf() == fmt.Sprint(i+1) })
		s.replaced(2, old...)
		s.eventually("load goes on", func() bool { return good.Load() > before+50 })
	}
	stopped.Store(true)
	running.Wait()
	t.Logf("%d reloads: %d requests answered, %d lost, none refused", len(ways), good.Load(), lost.Load())
	s.eventually("only the last generation's templates are left", func() bool { return len(s.named("hathi-template")) == 2 })
	s.endsCleanly()
}

func TestAReloadThatFailsLeavesTheOldConfigurationServing(t *testing.T) {
	root := plainCopy(t, "broken.php", `throw new LogicException('no database');`)
	good := workerConfig(root, "worker.php", "processes 2")
	s := startServer(t, good, "X_CONFIG=0")
	pids := s.servingPIDs()
	for name, c := range map[string]struct{ config, want string }{
		"unknown directive": {good + "\nhttp://127.0.0.1:1 {\n\tphp_severe\n}\n", "php_severe"},
		"missing worker":    {workerConfig(root, "nowhere.php", ""), "nowhere.php does not exist"},
		"worker that does not boot": {workerConfig(root, "broken.php", ""),
			"PHP Fatal error: Uncaught LogicException: no database in " + root + "/broken.php:2"},
		"user that is not there": {workerConfig(root, "worker.php", "user nobody-at-all"), "nobody-at-all"},
	} {
		t.Run(name, func(t *testing.T) {
			s.setConfig(c.config, 1)
			status, output := s.command("reload", "--config", s.configFile(), "--address", s.admin)
			if status == 0 {
				t.Error("hathi reload: exit status 0")
			}
			if !strings.Contains(output, c.want) {
				t.Errorf("hathi reload says %q, want %q", output, c.want)
			}
			if status, answer := s.load(); status != 400 || !strings.Contains(answer, c.want) {
				t.Errorf("POST /load: %d %q, want 400 and %q", status, answer, c.want)
			}
			failures := strings.Count(s.log.String(), "reload failed, what ran before still runs")
			if err := s.cmd.Process.Signal(syscall.SIGUSR2); err != nil {
				t.Fatal(err)
			}
			s.eventually("the failed reload is logged", func() bool {
				return strings.Count(s.log.String(), "reload failed, what ran before still runs") > failures
			})
			if got := s.configOf(); got != "0" {
				t.Errorf("configuration %q is in force", got)
			}
			s.replaced(2)
			if got := s.servingPIDs(); fmt.Sprint(got) != fmt.Sprint(pids) {
				t.Errorf("serving processes %v, were %v", got, pids)
			}
		})
	}
	s.endsCleanly()
}

func TestStartAndStopCommands(t *testing.T) {
	s := newServer(t, workerConfig(app(t, "plain"), "worker.php", "processes 1"), "X_CONFIG=0")
	s.cmd.Args = append([]string{s.cmd.Args[0], "start"}, s.cmd.Args[2:]...)
	// The server must not hold the pipe of a command that has ended.
	log, err := os.Create(s.dir + "/log")
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	s.cmd.Stdout, s.cmd.Stderr = log, log
	if err := s.cmd.Run(); err != nil {
		text, _ := os.ReadFile(log.Name())
		t.Fatalf("hathi start: %v: %s", err, text)
	}
	close(s.done)
	t.Cleanup(func() {
		for _, p := range s.processes() {
			_ = syscall.Kill(p.pid, syscall.SIGKILL)
		}
	})
	if got := s.configOf(); got != "0" {
		t.Errorf("X-Config %q", got)
	}
	if n := len(s.named("hathi")); n != 1 {
		t.Errorf("%d masters", n)
	}
	if status, output := s.command("stop", "--address", s.admin); status != 0 {
		t.Errorf("hathi stop: exit status %d: %s", status, output)
	}
	s.gone(startLimit)

	s.setConfig(workerConfig(app(t, "plain"), "nowhere.php", ""), 0)
	status, output := s.command("start", "--config", s.configFile(), "--adapter", "caddyfile")
	if status == 0 || !strings.Contains(output, "nowhere.php does not exist") {
		t.Errorf("hathi start without its worker: exit status %d: %s", status, output)
	}
}
