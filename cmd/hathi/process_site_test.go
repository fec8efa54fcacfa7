package main_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// workerConfig serves a directory on plain HTTP: files that are not there go to the
// worker script in it. options go into the global option hathi.
func workerConfig(root, script, options string) string {
	return fmt.Sprintf(globalOptions, "hathi {\n\t\tworker "+filepath.Join(root, script)+"\n"+options+"\n\t}") + fmt.Sprintf(`
http://127.0.0.1:{$HTTP_PORT} {
	root * %s
	header X-Config {$X_CONFIG}
	php_server {
		try_files {path} %s
	}
}
`, root, script)
}

// plainCopy returns a copy of the plain application, for anyone to read, with
// scripts of the test's own. Name and text alternate.
func plainCopy(t *testing.T, scripts ...string) string {
	t.Helper()
	dir := filepath.Join(openDir(t), "plain")
	if err := os.CopyFS(dir, os.DirFS(app(t, "plain"))); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(scripts); i += 2 {
		writeFile(t, filepath.Join(dir, scripts[i]), "<?php\n"+scripts[i+1])
	}
	// OPcache leaves files alone that are younger than opcache.file_update_protection.
	old := time.Now().Add(-time.Hour)
	for _, pattern := range []string{"*.php", "*/*.php"} {
		files, _ := filepath.Glob(filepath.Join(dir, pattern))
		for _, file := range files {
			if err := os.Chtimes(file, old, old); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

// openDir returns a directory that every user may enter.
func openDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "hathi-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	return dir
}

func writeFile(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// markScript is a script that tells by a file that it runs, and then sleeps.
const markScript = `touch($_GET['mark']);
usleep(1000 * (int) $_GET['ms']);
echo 'slept ', getmypid();`

// lines returns the lines of a file, none if it is not there.
func lines(t *testing.T, file string) []string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.Fields(string(b))
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// wire is one HTTP/1.1 connection: it stays with the process that accepted it, and
// its errors are not hidden by a second try.
type wire struct {
	net.Conn
	r *bufio.Reader
}

func (s *server) dial() (*wire, error) {
	conn, err := net.DialTimeout("tcp", s.http, startLimit)
	if err != nil {
		return nil, err
	}
	return &wire{conn, bufio.NewReader(conn)}, nil
}

func (w *wire) get(path string) (status int, body string, err error) {
	status, _, body, err = w.getWithHeader(path)
	return status, body, err
}

func (w *wire) getWithHeader(path string) (status int, header http.Header, body string, err error) {
	_ = w.SetDeadline(time.Now().Add(startLimit))
	if _, err := fmt.Fprintf(w, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", path, w.RemoteAddr()); err != nil {
		return 0, nil, "", err
	}
	resp, err := http.ReadResponse(w.r, nil)
	if err != nil {
		return 0, nil, "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return resp.StatusCode, resp.Header, string(b), err
}

// wireTo returns a connection to the process with a pid.
func (s *server) wireTo(pid int) *wire {
	s.t.Helper()
	var found *wire
	s.eventually(fmt.Sprintf("a connection to process %d", pid), func() bool {
		w, err := s.dial()
		if err != nil {
			s.t.Fatal(err)
		}
		if _, body, err := w.get("/pid"); err == nil && body == strconv.Itoa(pid) {
			s.t.Cleanup(func() { w.Close() })
			found = w
			return true
		}
		w.Close()
		return false
	})
	return found
}

// must gets a page that has to be a 200.
func (s *server) must(w *wire, path string) string {
	s.t.Helper()
	status, body, err := w.get(path)
	if err != nil || status != 200 {
		s.t.Fatalf("GET %s: %d %q, %v", path, status, body, err)
	}
	return body
}

// fresh gets a page over a new connection.
func (s *server) fresh(path string) (status int, body string, err error) {
	w, err := s.dial()
	if err != nil {
		return 0, "", err
	}
	defer w.Close()
	return w.get(path)
}

// object decodes a JSON object.
func object(t *testing.T, text string) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	return m
}

// servingPIDs returns the pids of the serving processes, in order.
func (s *server) servingPIDs() []int {
	s.t.Helper()
	var pids []int
	for _, p := range s.named("hathi-serving") {
		pids = append(pids, p.pid)
	}
	slices.Sort(pids)
	return pids
}

// titled returns the pid of the process with a title, 0 if there is none.
func (s *server) titled(title string) int {
	s.t.Helper()
	for _, p := range s.processes() {
		if p.title == title {
			return p.pid
		}
	}
	return 0
}

// gone waits until no process of the server is left.
func (s *server) gone(limit time.Duration) {
	s.t.Helper()
	deadline := time.Now().Add(limit)
	for len(s.processes()) > 0 {
		if time.Now().After(deadline) {
			left := s.processes()
			for _, p := range left { // they hold the pipe of the log, whose end the harness waits for
				_ = syscall.Kill(p.pid, syscall.SIGKILL)
			}
			s.t.Fatalf("left behind after %v: %v", limit, left)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// endsCleanly stops the server and checks that nothing is left.
func (s *server) endsCleanly() {
	s.t.Helper()
	if status := s.stop(); status != 0 {
		s.t.Errorf("exit status %d after SIGTERM", status)
	}
	if left := s.processes(); len(left) > 0 {
		s.t.Errorf("left behind: %v", left)
	}
}

// command runs another hathi command in the environment of the server.
func (s *server) command(args ...string) (status int, output string) {
	s.t.Helper()
	cmd := exec.Command(hathiBinary(s.t), args...)
	cmd.Env = s.cmd.Env
	b, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		s.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(b)
}

func (s *server) configFile() string { return filepath.Join(s.dir, "Caddyfile") }
