package caddymodule

import (
	"bufio"
	"crypto/tls"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
)

// site is a Caddy in this process whose PHP is a fakeServing.
type site struct {
	root        string // document root
	http, https string // host:port
}

// startSite serves a directory with some scripts; directives are those of the site.
func startSite(t *testing.T, directives string, workers ...string) site {
	t.Helper()
	return startSiteAt(t, "http://:$PLAIN", directives, workers...)
}

// startTLSSite is startSite with a certificate of the internal CA.
func startTLSSite(t *testing.T, directives string) site {
	t.Helper()
	s := startSiteAt(t, "https://127.0.0.1:$TLS", directives)
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		c, err := tls.Dial("tcp", s.https, &tls.Config{InsecureSkipVerify: true})
		if err == nil {
			c.Close()
			return s
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}

func startSiteAt(t *testing.T, addresses, directives string, workers ...string) site {
	t.Helper()
	// Certificates may still be written after the test, so not t.TempDir.
	storage, err := os.MkdirTemp("", "hathi-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(storage) })
	dir := writeScripts(t, "public/index.php", "public/x.php", "public/a b.php", "public/q%25.php", "public/dir/index.php",
		"public/.php", "public/worker.php", "public/X2.PHP", "api.php")
	for name, content := range map[string]string{"file.txt": "static", "x.phpx": "static", "x.php.jpg": "static"} {
		if err := os.WriteFile(filepath.Join(dir, "public", name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	fake := &fakeServing{scripts: map[string]int{}}
	for i, w := range workers {
		fake.scripts[filepath.Join(dir, w)] = i
	}
	saved := currentServing
	currentServing = func() serving { return fake }
	t.Cleanup(func() { currentServing = saved })

	s := site{root: filepath.Join(dir, "public"), http: freePort(t), https: freePort(t)}
	_, plainPort, _ := net.SplitHostPort(s.http)
	_, tlsPort, _ := net.SplitHostPort(s.https)
	caddyfile := strings.NewReplacer("$DIR", dir, "$STORAGE", storage, "$ADDRESSES", addresses, "$SITE", directives).Replace(`{
		admin off
		persist_config off
		skip_install_trust
		local_certs
		auto_https disable_redirects
		storage file_system $STORAGE
		log default {
			output discard
		}
		servers {
			trusted_proxies static 127.0.0.3/32
		}
		$GLOBAL
	}
	$ADDRESSES {
		root $DIR/public
		$SITE
	}`)
	global := ""
	for _, w := range workers {
		if strings.Contains(directives, w) {
			continue
		}
		global += "worker " + filepath.Join(dir, w) + "\n"
	}
	if global != "" {
		global = "hathi {\n" + global + "}"
	}
	caddyfile = strings.NewReplacer("$DIR", dir, "$GLOBAL", global, "$TLS", tlsPort, "$PLAIN", plainPort).Replace(caddyfile)
	config, err := adapt(t, caddyfile)
	if err != nil {
		t.Fatal(err)
	}
	if err := caddy.Load(config, true); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = caddy.Stop() })
	return s
}

func freePort(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}

// get sends a request line as it is and returns status, header and body.
func (s site) get(t *testing.T, target string, headers ...string) (*http.Response, string) {
	t.Helper()
	return s.send(t, "GET "+target+" HTTP/1.1\r\nHost: example.com:81\r\nConnection: close\r\n"+lines(headers)+"\r\n")
}

func lines(headers []string) string {
	if len(headers) == 0 {
		return ""
	}
	return strings.Join(headers, "\r\n") + "\r\n"
}

func (s site) send(t *testing.T, raw string) (*http.Response, string) {
	t.Helper()
	c, err := net.Dial("tcp", s.http)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(10 * time.Second))
	if _, err := io.WriteString(c, raw); err != nil {
		t.Fatal(err)
	}
	method, _, _ := strings.Cut(raw, " ")
	resp, err := http.ReadResponse(bufio.NewReader(c), &http.Request{Method: method})
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}

// ask is get for a request that PHP answers.
func (s site) ask(t *testing.T, target string, headers ...string) answer {
	t.Helper()
	resp, body := s.get(t, target, headers...)
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: status %d, body %q", target, resp.StatusCode, body)
	}
	return decodeAnswer(t, body)
}

func decodeAnswer(t *testing.T, body string) answer {
	t.Helper()
	var a answer
	if err := json.Unmarshal([]byte(body), &a); err != nil {
		t.Fatalf("%v in %q", err, body)
	}
	return a
}
