package main_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// variant is a way to run all applications: what it does must not be seen from outside.
type variant struct {
	name    string
	options string // of the global option hathi
	env     []string
}

var variants = []variant{
	{name: "any thread"},
	{name: "pinned thread", options: "php_thread pinned"},
	{name: "another thread at every resume", env: []string{"HATHI_DEBUG_THREADS=rotate"}},
}

// application is one of testdata/apps in a mode.
type application struct {
	name    string
	mode    string // classic or worker
	root    string
	handler string // the site's php_server
	worker  string // the worker script, "" in classic mode
	suite   func(t *testing.T, a application, v variant, s *server, c *client)
}

func applications(t *testing.T) []application {
	plain := plainCopy(t, "gated.php", gatedScript, "finish.php", finishScript, "hint.php", hintScript, "thread.php", threadScript)
	list := []application{
		{name: "plain", mode: "classic", root: plain, suite: plainSuite, handler: `php_server {
			try_files {path} {path}/index.php {path}.php
		}`},
		{name: "plain", mode: "worker", root: plain, suite: plainSuite, worker: "worker.php"},
	}
	for _, framework := range []string{"symfony", "laravel"} {
		root := app(t, framework+"/public")
		list = append(list,
			application{name: framework, mode: "classic", root: root, suite: frameworkSuite, handler: "php_server"},
			application{name: framework, mode: "worker", root: root, suite: frameworkSuite, worker: "worker.php"})
	}
	for i, a := range list {
		if a.worker != "" {
			list[i].handler = `php_server {
			index ` + a.worker + `
			try_files {path} ` + a.worker + `
		}`
		}
	}
	return list
}

// start serves the application with two processes.
func (a application) start(t *testing.T, v variant) *server {
	t.Helper()
	options := "processes 2\n" + v.options
	if a.worker != "" {
		options += fmt.Sprintf("\nworker {\nfile %s\nenv GREETING hello\n}", filepath.Join(a.root, a.worker))
	}
	return startServer(t, caddyfile("hathi {\n"+options+"\n}", "root * "+a.root+"\n"+a.handler), v.env...)
}

func TestApplicationsOverEveryProtocol(t *testing.T) {
	for i, v := range variants {
		if i > 0 && testing.Short() {
			break
		}
		t.Run(v.name, func(t *testing.T) {
			for _, a := range applications(t) {
				t.Run(a.name+" "+a.mode, func(t *testing.T) {
					s := a.start(t, v)
					t.Run("protocols", func(t *testing.T) { // returns when all of them have
						for _, protocol := range protocols {
							t.Run(protocol, func(t *testing.T) {
								t.Parallel()
								a.suite(t, a, v, s, s.client(t, protocol))
							})
						}
					})
					s.endsCleanly()
				})
			}
		})
	}
}

// visitor is another client on the same connections, with cookies of its own.
func (c *client) visitor() *client {
	jar, err := cookiejar.New(nil)
	if err != nil {
		panic(err) // never: it has no options
	}
	shared := *c.Client
	shared.Jar = jar
	return &client{Client: &shared, t: c.t, name: c.name, base: c.base}
}

// on is the client in a subtest.
func (c *client) on(t *testing.T) *client {
	sub := *c
	sub.t = t
	return &sub
}

// request makes a request with headers; name and value alternate.
func (c *client) request(method, path string, body io.Reader, headers ...string) *http.Request {
	req, err := http.NewRequestWithContext(context.Background(), method, c.base+path, body)
	if err != nil {
		panic(err) // never: the tests' paths are valid
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Add(headers[i], headers[i+1])
	}
	return req
}

// mustExchange is exchange that fails the test on an error.
func (c *client) mustExchange(req *http.Request) reply {
	c.t.Helper()
	r, err := c.exchange(req)
	if err != nil {
		c.t.Fatalf("%s %s over %s: %v", req.Method, req.URL.Path, c.name, err)
	}
	return r
}

func (c *client) post(path string, fields url.Values) reply {
	c.t.Helper()
	return c.send(http.MethodPost, path, "application/x-www-form-urlencoded", strings.NewReader(fields.Encode()))
}

// is checks a status and returns the reply.
func (r reply) is(t *testing.T, status int) reply {
	t.Helper()
	if r.StatusCode != status {
		t.Fatalf("%s %s: status %d, want %d; body %.300q", r.Request.Method, r.Request.URL.RequestURI(), r.StatusCode, status, r.body)
	}
	return r
}

// has checks that the body contains a text.
func (r reply) has(t *testing.T, text string) reply {
	t.Helper()
	if !strings.Contains(r.body, text) {
		t.Fatalf("%s %s: %q is not in %.1000q", r.Request.Method, r.Request.URL.RequestURI(), text, r.body)
	}
	return r
}

// hides checks that the body does not contain any of some texts.
func (r reply) hides(t *testing.T, texts ...string) reply {
	t.Helper()
	for _, text := range texts {
		if strings.Contains(r.body, text) {
			t.Fatalf("%s %s: %q is in %.1000q", r.Request.Method, r.Request.URL.RequestURI(), text, r.body)
		}
	}
	return r
}

// isEmptyForHEAD checks that HEAD answers as GET does, without the body.
func isEmptyForHEAD(t *testing.T, c *client, path string) {
	t.Helper()
	get, head := c.get(path), c.send(http.MethodHead, path, "", nil)
	if get.body == "" || head.body != "" {
		t.Errorf("%s: GET has a body of %d bytes, HEAD of %d", path, len(get.body), len(head.body))
	}
	if head.StatusCode != get.StatusCode || head.Header.Get("Content-Type") != get.Header.Get("Content-Type") {
		t.Errorf("%s: HEAD is %d %q, GET %d %q", path, head.StatusCode, head.Header.Get("Content-Type"),
			get.StatusCode, get.Header.Get("Content-Type"))
	}
	if length := head.Header.Get("Content-Length"); length != "" && length != get.Header.Get("Content-Length") {
		t.Errorf("%s: HEAD has a Content-Length of %s, GET of %s", path, length, get.Header.Get("Content-Length"))
	}
}

// isServedAsAFile checks a static file of the application.
func isServedAsAFile(t *testing.T, c *client, file, path, contentType string) {
	t.Helper()
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r := c.get(path).is(t, 200)
	if r.body != string(want) {
		t.Errorf("%s: %d bytes that are not the file's %d", path, len(r.body), len(want))
	}
	if got := r.Header.Get("Content-Type"); !strings.HasPrefix(got, contentType) {
		t.Errorf("%s: Content-Type %q", path, got)
	}
	tag := r.Header.Get("ETag")
	if tag == "" {
		t.Errorf("%s has no ETag", path)
	}
	c.mustExchange(c.request(http.MethodGet, path, nil, "If-None-Match", tag)).is(t, http.StatusNotModified)
}

// unsized hides a reader's length, so that the body is chunked on HTTP/1.1.
func unsized(b []byte) io.Reader { return io.MultiReader(bytes.NewReader(b)) }
