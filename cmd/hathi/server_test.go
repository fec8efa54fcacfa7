package main_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/quic-go/quic-go/http3"
)

// startLimit bounds every wait for a server; it is generous because the machine
// may be busy with something else.
const startLimit = 30 * time.Second

// hathiBinary is the binary under test: HATHI_BIN, or bin/hathi.
func hathiBinary(t *testing.T) string {
	t.Helper()
	binary := os.Getenv("HATHI_BIN")
	if binary == "" {
		binary = "../../bin/hathi"
	}
	binary, err := filepath.Abs(binary)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(binary); err != nil {
		t.Fatalf("no hathi binary; run make build, or set HATHI_BIN: %v", err)
	}
	return binary
}

// app returns the absolute path of a test application's file.
func app(t *testing.T, path string) string {
	t.Helper()
	abs, err := filepath.Abs(filepath.Join("../../testdata/apps", path))
	if err != nil {
		t.Fatal(err)
	}
	return abs
}

// server is a running `hathi run`.
type server struct {
	t     *testing.T
	cmd   *exec.Cmd
	dir   string // for this server's files
	http  string // "127.0.0.1:port", when the configuration listens on {$HTTP_PORT}
	https string // the same for {$HTTPS_PORT}, TCP and UDP
	admin string // of the master's admin endpoint, {$ADMIN_PORT}
	log   *lockedBuffer
	done  chan struct{} // closed when the master has ended
	err   error         // why, as from exec.Cmd.Wait
}

// lockedBuffer collects a process's output while others read it.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// freePort returns a port that was free for TCP and UDP a moment ago.
func freePort(t *testing.T) int {
	t.Helper()
	for range 50 {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		port := ln.Addr().(*net.TCPAddr).Port
		pc, err := net.ListenPacket("udp", fmt.Sprintf("127.0.0.1:%d", port))
		ln.Close()
		if err == nil {
			pc.Close()
			return port
		}
	}
	t.Fatal("no free port")
	return 0
}

// globalOptions goes before the sites of a test's Caddyfile; %s is more options.
const globalOptions = `{
	admin 127.0.0.1:{$ADMIN_PORT}
	http_port {$HTTP_PORT}
	https_port {$HTTPS_PORT}
	skip_install_trust
	auto_https disable_redirects
	%s
}
`

// bothSites is a site on plain HTTP and one with an internal certificate (HTTP/1.1,
// HTTP/2 and HTTP/3) that share %s.
const bothSites = `
(site) {
	%s
}
http://127.0.0.1:{$HTTP_PORT} {
	import site
}
https://127.0.0.1:{$HTTPS_PORT} {
	tls internal
	import site
}
`

// caddyfile puts a configuration of global options and a shared site together.
func caddyfile(global, site string) string {
	return fmt.Sprintf(globalOptions, global) + fmt.Sprintf(bothSites, site)
}

// newServer prepares a server without starting it. env is "NAME=value".
func newServer(t *testing.T, config string, env ...string) *server {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "Caddyfile")
	if err := os.WriteFile(file, []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	httpPort, httpsPort, adminPort := freePort(t), freePort(t), freePort(t)
	s := &server{
		t: t, dir: dir, log: new(lockedBuffer), done: make(chan struct{}),
		http:  fmt.Sprintf("127.0.0.1:%d", httpPort),
		https: fmt.Sprintf("127.0.0.1:%d", httpsPort),
		admin: fmt.Sprintf("127.0.0.1:%d", adminPort),
	}
	s.cmd = exec.Command(hathiBinary(t), "run", "--config", file, "--adapter", "caddyfile")
	s.cmd.Env = append(os.Environ(),
		"HTTP_PORT="+strconv.Itoa(httpPort), "HTTPS_PORT="+strconv.Itoa(httpsPort), "ADMIN_PORT="+strconv.Itoa(adminPort),
		"XDG_DATA_HOME="+filepath.Join(dir, "data"), "XDG_CONFIG_HOME="+filepath.Join(dir, "config"),
		"APP_CACHE_DIR="+filepath.Join(dir, "symfony"), "APP_STORAGE_DIR="+filepath.Join(dir, "laravel"),
		"SESSION_DIR="+filepath.Join(dir, "sessions"))
	s.cmd.Env = append(s.cmd.Env, env...)
	if err := os.Mkdir(filepath.Join(dir, "sessions"), 0o777); err != nil {
		t.Fatal(err)
	}
	s.cmd.Stdout, s.cmd.Stderr = s.log, s.log
	return s
}

// launch starts the process; ready waits for it.
func (s *server) launch() {
	s.t.Helper()
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	go func() {
		s.err = s.cmd.Wait()
		close(s.done)
	}()
	s.t.Cleanup(func() {
		s.kill()
		if s.t.Failed() {
			log := s.log.String()
			if len(log) > 8000 {
				log = "..." + log[len(log)-8000:]
			}
			s.t.Logf("log of the server:\n%s", log)
		}
	})
}

// startServer starts `hathi run` and waits until it serves.
func startServer(t *testing.T, config string, env ...string) *server {
	t.Helper()
	s := newServer(t, config, env...)
	s.launch()
	s.waitLog(`"msg":"serving"`)
	if strings.Contains(config, "tls internal") {
		// Caddy manages certificates beside serving: every process must have its own.
		good := 0
		s.eventually("every TLS handshake works", func() bool {
			conn, err := tls.Dial("tcp", s.https, &tls.Config{InsecureSkipVerify: true})
			if err != nil {
				good = 0
				return false
			}
			conn.Close()
			good++
			return good >= 16
		})
	}
	return s
}

// waitLog waits until the log contains a text.
func (s *server) waitLog(text string) {
	s.t.Helper()
	s.eventually("log contains "+text, func() bool {
		if strings.Contains(s.log.String(), text) {
			return true
		}
		select {
		case <-s.done:
			s.t.Fatalf("the server ended (%v) before its log contained %q", s.err, text)
		default:
		}
		return false
	})
}

// eventually waits until a condition holds.
func (s *server) eventually(what string, condition func() bool) {
	s.t.Helper()
	deadline := time.Now().Add(startLimit)
	for !condition() {
		if time.Now().After(deadline) {
			s.t.Fatalf("after %v still not: %s", startLimit, what)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// stop sends SIGTERM and returns the exit status.
func (s *server) stop() int {
	s.t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		s.t.Fatal(err)
	}
	return s.wait()
}

// wait waits for the end of the master and returns its exit status.
func (s *server) wait() int {
	s.t.Helper()
	select {
	case <-s.done:
	case <-time.After(startLimit + 20*time.Second):
		s.t.Fatal("the server does not end")
	}
	return s.cmd.ProcessState.ExitCode()
}

func (s *server) kill() {
	if s.cmd.Process == nil {
		return
	}
	select {
	case <-s.done:
	default:
		_ = s.cmd.Process.Kill()
		<-s.done
	}
}

// process is a line of the process list.
type process struct {
	pid, parent int
	name        string // comm: hathi, hathi-template, hathi-serving
	title       string
}

// processes returns the server's processes below the master, found by a variable
// of its environment, so that orphans are found as well.
func (s *server) processes() []process {
	s.t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		s.t.Fatal(err)
	}
	var list []process
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == s.cmd.Process.Pid {
			continue
		}
		environ, err := os.ReadFile(filepath.Join("/proc", e.Name(), "environ"))
		if err != nil || !bytes.Contains(environ, []byte("XDG_DATA_HOME="+filepath.Join(s.dir, "data")+"\x00")) {
			continue
		}
		stat, err := os.ReadFile(filepath.Join("/proc", e.Name(), "stat"))
		if err != nil {
			continue
		}
		open, closing := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')')
		fields := strings.Fields(string(stat[closing+1:]))
		if fields[0] == "Z" {
			continue
		}
		parent, _ := strconv.Atoi(fields[1])
		title, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		list = append(list, process{pid, parent, string(stat[open+1 : closing]), strings.Trim(string(title), "\x00 ")})
	}
	return list
}

// named returns the server's processes with a name, such as hathi-serving.
func (s *server) named(name string) []process {
	s.t.Helper()
	var list []process
	for _, p := range s.processes() {
		if p.name == name {
			list = append(list, p)
		}
	}
	return list
}

// client is an HTTP client of one protocol, with cookies.
type client struct {
	*http.Client
	t    *testing.T
	name string // h1, h2 or h3
	base string
}

// protocols are the clients' names.
var protocols = []string{"h1", "h2", "h3"}

// client returns a client for one protocol, over TLS. Redirects are not followed.
func (s *server) client(t *testing.T, protocol string) *client {
	t.Helper()
	config := &tls.Config{InsecureSkipVerify: true}
	var transport http.RoundTripper
	switch protocol {
	case "h1":
		config.NextProtos = []string{"http/1.1"}
		tr := &http.Transport{TLSClientConfig: config, MaxIdleConnsPerHost: 200}
		t.Cleanup(tr.CloseIdleConnections)
		transport = tr
	case "h2":
		tr := &http.Transport{TLSClientConfig: config, ForceAttemptHTTP2: true}
		t.Cleanup(tr.CloseIdleConnections)
		transport = tr
	case "h3":
		tr := &http3.Transport{TLSClientConfig: config}
		t.Cleanup(func() { tr.Close() })
		transport = tr
	default:
		t.Fatalf("protocol %q", protocol)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &client{
		Client: &http.Client{
			Transport:     transport,
			Jar:           jar,
			Timeout:       startLimit,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		t: t, name: protocol, base: "https://" + s.https,
	}
}

// reply is a whole response.
type reply struct {
	*http.Response
	body string
}

// send sends a request and reads the response; it fails the test on an error.
func (c *client) send(method, path, contentType string, body io.Reader) reply {
	c.t.Helper()
	r, err := c.trySend(method, path, contentType, body)
	if err != nil {
		c.t.Fatalf("%s %s over %s: %v", method, path, c.name, err)
	}
	return r
}

// trySend is send for use off the test's goroutine.
func (c *client) trySend(method, path, contentType string, body io.Reader) (reply, error) {
	req, err := http.NewRequestWithContext(context.Background(), method, c.base+path, body)
	if err != nil {
		return reply{}, err
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	return c.exchange(req)
}

// exchange sends a request and reads the whole response.
func (c *client) exchange(req *http.Request) (reply, error) {
	resp, err := c.Do(req)
	if err != nil {
		return reply{}, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return reply{}, err
	}
	if want := map[string]int{"h1": 1, "h2": 2, "h3": 3}[c.name]; resp.ProtoMajor != want {
		return reply{}, fmt.Errorf("answered over HTTP/%d, want %d", resp.ProtoMajor, want)
	}
	return reply{resp, string(b)}, nil
}

func (c *client) get(path string) reply {
	c.t.Helper()
	return c.send(http.MethodGet, path, "", nil)
}
