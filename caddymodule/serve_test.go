package caddymodule

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/quic-go/quic-go/http3"
)

func TestREQ04PathsReachTheirScripts(t *testing.T) {
	s := startSite(t, "php_server")
	for _, c := range []struct{ target, script, info, self string }{
		{"/", "/index.php", "", "/index.php"},
		{"/dir/", "/dir/index.php", "", "/dir/index.php"},
		{"/x.php", "/x.php", "", "/x.php"},
		{"/x.php?a=1", "/x.php", "", "/x.php"},
		{"/x.php/a/b", "/x.php", "/a/b", "/x.php/a/b"},
		{"/x.php/a%20b", "/x.php", "/a b", "/x.php/a b"},
		{"/x.php/", "/x.php", "/", "/x.php/"},
		{"/a%20b.php", "/a b.php", "", "/a b.php"},
		{"/q%2525.php", "/q%25.php", "", "/q%25.php"},
		{"//x.php", "/x.php", "", "/x.php"},
		{"/.php", "/.php", "", "/.php"},
		{"/X2.PHP", "/X2.PHP", "", "/X2.PHP"},
		{"/not/there", "/index.php", "", "/index.php"},
		{"/not/there.php", "/index.php", "", "/index.php"},
		{"/caf%C3%A9?q=%41", "/index.php", "", "/index.php"},
	} {
		a := s.ask(t, c.target)
		_, query, _ := strings.Cut(c.target, "?")
		want := map[string]string{
			"SCRIPT_NAME": c.script, "PATH_INFO": c.info, "PHP_SELF": c.self, "DOCUMENT_URI": c.script,
			"SCRIPT_FILENAME": s.root + c.script, "DOCUMENT_ROOT": s.root,
			"REQUEST_URI": c.target, "QUERY_STRING": query, "PATH_TRANSLATED": "",
		}
		if c.info != "" {
			want["PATH_TRANSLATED"] = s.root + c.info
		}
		for name, value := range want {
			if a.Server[name] != value {
				t.Errorf("%s: %s is %q, want %q", c.target, name, a.Server[name], value)
			}
		}
	}
}

func TestREQ04DirectoryWithoutSlashIsRedirected(t *testing.T) {
	s := startSite(t, "php_server")
	resp, _ := s.get(t, "/dir?a=1")
	if resp.StatusCode != http.StatusPermanentRedirect || resp.Header.Get("Location") != "./dir/?a=1" {
		t.Errorf("have %d, %q", resp.StatusCode, resp.Header.Get("Location"))
	}
}

func TestREQ05OnlyScriptsRun(t *testing.T) {
	s := startSite(t, "php_server")
	for _, c := range []struct {
		target string
		status int
		body   string
	}{
		{"/x.php%00.jpg", 400, "invalid request path\n"},
		{"/%00", 400, "invalid request path\n"},
		{"/file.txt", 200, "static"},
		{"/x.phpx", 200, "static"},
		{"/x.php.jpg", 200, "static"},
	} {
		resp, body := s.get(t, c.target)
		if resp.StatusCode != c.status || body != c.body {
			t.Errorf("%s: have %d, %q, want %d, %q", c.target, resp.StatusCode, body, c.status, c.body)
		}
	}
}

func TestPHPAloneRunsOnlyScriptsThatExist(t *testing.T) {
	s := startSite(t, "handle_errors {\nrespond \"error {err.status_code}\" {err.status_code}\n}\nphp")
	if a := s.ask(t, "/x.php/p"); a.Server["PATH_INFO"] != "/p" {
		t.Errorf("have %+v", a.Server)
	}
	for _, target := range []string{"/none.php", "/file.txt", "/", "/dir/", "/x.phpx"} {
		if resp, body := s.get(t, target); resp.StatusCode != 404 || body != "error 404" {
			t.Errorf("%s: have %d, %q", target, resp.StatusCode, body)
		}
	}
	// A request that is wrong in itself is no error of the site.
	if resp, body := s.get(t, "/x.php%2F..%2Findex.php"); resp.StatusCode != 400 || body != errAmbiguousPath.Error()+"\n" {
		t.Errorf("have %d, %q", resp.StatusCode, body)
	}
	if resp, body := s.get(t, "/x.php%00"); resp.StatusCode != 400 || body != "invalid request path\n" {
		t.Errorf("have %d, %q", resp.StatusCode, body)
	}
}

func TestREQ06AuthorityAndCookiesOnAllProtocols(t *testing.T) {
	s := startTLSSite(t, "php_server")
	insecure := &tls.Config{InsecureSkipVerify: true}
	h3 := &http3.Transport{TLSClientConfig: insecure.Clone()}
	defer h3.Close()
	for proto, transport := range map[string]http.RoundTripper{
		"HTTP/1.1": &http.Transport{TLSClientConfig: insecure.Clone(), TLSNextProto: map[string]func(string, *tls.Conn) http.RoundTripper{}},
		"HTTP/2.0": &http.Transport{TLSClientConfig: insecure.Clone(), ForceAttemptHTTP2: true},
		"HTTP/3.0": h3,
	} {
		req, err := http.NewRequest("POST", "https://"+s.https+"/x.php", strings.NewReader("hello"))
		if err != nil {
			t.Fatal(err)
		}
		req.Header["Cookie"] = []string{"a=1", "b=2"}
		resp, err := (&http.Client{Transport: transport, Timeout: 10 * time.Second}).Do(req)
		if err != nil {
			t.Fatalf("%s: %v", proto, err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		a := decodeAnswer(t, string(body))
		_, port, _ := net.SplitHostPort(s.https)
		for name, want := range map[string]string{
			"SERVER_PROTOCOL": proto, "HTTP_HOST": s.https, "SERVER_NAME": "127.0.0.1", "SERVER_PORT": port,
			"HTTPS": "on", "REQUEST_SCHEME": "https", "SSL_PROTOCOL": "TLSv1.3", "(cookie)": "a=1; b=2",
			"CONTENT_LENGTH": "5", "REQUEST_METHOD": "POST", "REMOTE_ADDR": "127.0.0.1",
		} {
			if a.Server[name] != want {
				t.Errorf("%s: %s is %q, want %q", proto, name, a.Server[name], want)
			}
		}
		if a.Headers["HTTP_COOKIE"] != "a=1; b=2" || a.Body != "hello" {
			t.Errorf("%s: cookie %q, body %q", proto, a.Headers["HTTP_COOKIE"], a.Body)
		}
	}
}

func TestREQ07RequestHeaders(t *testing.T) {
	s := startSite(t, "php_server")
	a := s.ask(t, "/x.php", "X-A: 1", "X-A: 2", "Proxy: evil", "X_Forwarded_For: 1.2.3.4", "X.Y: 1", "Empty:", "Content-Type: a/b")
	want := map[string]string{
		"HTTP_X_A": "1, 2", "HTTP_EMPTY": "", "HTTP_CONTENT_TYPE": "a/b", "HTTP_CONNECTION": "close",
	}
	if !reflect.DeepEqual(a.Headers, want) {
		t.Errorf("have %v, want %v", a.Headers, want)
	}
	if a.Server["CONTENT_TYPE"] != "a/b" || a.Server["HTTP_HOST"] != "example.com:81" {
		t.Errorf("have %v", a.Server)
	}
}

func TestREQ09OnlyTrustedProxiesAreBelieved(t *testing.T) {
	s := startSite(t, "php_server")
	headers := []string{"X-Forwarded-For: 192.0.2.7", "X-Forwarded-Proto: https"}
	a := s.ask(t, "/x.php", headers...)
	if a.Server["REMOTE_ADDR"] != "127.0.0.1" || a.Server["HTTPS"] != "" || a.Server["REMOTE_PORT"] == "" {
		t.Errorf("untrusted: have %v", a.Server)
	}

	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 3)}}
	client := http.Client{Transport: &http.Transport{DialContext: dialer.DialContext}}
	req, _ := http.NewRequest("GET", "http://"+s.http+"/x.php", nil)
	req.Host = "example.com"
	req.Header.Set("X-Forwarded-For", "192.0.2.7")
	req.Header.Set("X-Forwarded-Proto", "https")
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	a = decodeAnswer(t, string(body))
	for name, want := range map[string]string{
		"REMOTE_ADDR": "192.0.2.7", "REMOTE_PORT": "", "HTTPS": "on", "REQUEST_SCHEME": "https", "SERVER_PORT": "443", "SSL_PROTOCOL": "",
	} {
		if a.Server[name] != want {
			t.Errorf("trusted: %s is %q, want %q", name, a.Server[name], want)
		}
	}
}

func TestREQ03BodiesOfAllSizes(t *testing.T) {
	s := startSite(t, "php_server")
	for _, n := range []int{0, 1, bodyInMemory - 1, bodyInMemory, bodyInMemory + 1, bodyInMemory + 2, 6 << 20} {
		want := strings.Repeat("x", n)
		for _, chunked := range []bool{false, true} {
			body := io.Reader(strings.NewReader(want))
			if chunked {
				body = io.MultiReader(body)
			}
			resp, err := http.Post("http://"+s.http+"/x.php", "text/plain", body)
			if err != nil {
				t.Fatal(err)
			}
			raw, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			a := decodeAnswer(t, string(raw))
			if a.Body != want {
				t.Errorf("%d, chunked %v: %d bytes arrived", n, chunked, len(a.Body))
			}
			if a.InFile != (n > bodyInMemory) {
				t.Errorf("%d: in a file is %v", n, a.InFile)
			}
			if length := a.Server["CONTENT_LENGTH"]; length != fmt.Sprint(n) && (n != 0 || length != "") {
				t.Errorf("%d: CONTENT_LENGTH is %q", n, length)
			}
		}
	}
}

func TestREQ11BodyOverTheLimitIs413(t *testing.T) {
	s := startSite(t, "request_body {\nmax_size 10\n}\nphp_server")
	for _, body := range []io.Reader{strings.NewReader(strings.Repeat("x", 11)), io.MultiReader(strings.NewReader(strings.Repeat("x", 100<<10)))} {
		resp, err := http.Post("http://"+s.http+"/x.php", "text/plain", body)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("have %d", resp.StatusCode)
		}
	}
}

func TestREQ12StalledBodyIs408(t *testing.T) {
	s := startSite(t, "php_server {\nrequest_body_timeout 200ms\n}")
	start := time.Now()
	resp, _ := s.send(t, "POST /x.php HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc")
	if resp.StatusCode != http.StatusRequestTimeout || time.Since(start) > 5*time.Second {
		t.Errorf("have %d after %v", resp.StatusCode, time.Since(start))
	}
}

func TestREQ15HeadHasTheHeadersOfGet(t *testing.T) {
	s := startSite(t, "php_server")
	get, body := s.get(t, "/x.php")
	head, none := s.send(t, "HEAD /x.php HTTP/1.1\r\nHost: example.com:81\r\nConnection: close\r\n\r\n")
	if none != "" || get.Header.Get("Content-Length") != fmt.Sprint(len(body)) {
		t.Errorf("body %q, GET's length %q of %d", none, get.Header.Get("Content-Length"), len(body))
	}
	if head.Header.Get("Content-Length") == "" || head.Header.Get("Content-Type") != "application/json" {
		t.Errorf("have %v", head.Header)
	}
}

func TestRES02ResponseHeadersStayAsTheyAre(t *testing.T) {
	s := startSite(t, "header Content-Type text/x-before\nphp_server")
	resp, _ := s.get(t, "/x.php")
	if want := []string{"a=1", "b=\xe4"}; !reflect.DeepEqual(resp.Header["Set-Cookie"], want) {
		t.Errorf("Set-Cookie: have %q, want %q", resp.Header["Set-Cookie"], want)
	}
	if want := []string{"application/json"}; !reflect.DeepEqual(resp.Header["Content-Type"], want) {
		t.Errorf("Content-Type: have %q, want %q", resp.Header["Content-Type"], want)
	}
}

func TestRES01StatusWithoutABodyHasNone(t *testing.T) {
	s := startSite(t, "php_server")
	for status, length := range map[string]string{"200": "4", "204": "", "304": "", "404": "4", "418": "4", "599": "4", "999": "4"} {
		resp, body := s.get(t, "/x.php", "X-Do: status "+status)
		if fmt.Sprint(resp.StatusCode) != status || resp.Header.Get("Content-Length") != length || len(body) != len(strings.Repeat("x", int(max(0, resp.ContentLength)))) {
			t.Errorf("%s: have %d, length %q, body %q", status, resp.StatusCode, resp.Header.Get("Content-Length"), body)
		}
	}
	if resp, _ := s.get(t, "/x.php", "X-Do: status 42"); resp.StatusCode != 500 {
		t.Errorf("42: have %d", resp.StatusCode)
	}
}

func TestRES08EarlyHintsArriveAndLeaveNothing(t *testing.T) {
	s := startSite(t, "php_server")
	req, _ := http.NewRequest("GET", "http://"+s.http+"/x.php", nil)
	req.Header.Set("X-Do", "hints")
	var link string
	req = req.WithContext(httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
		Got1xxResponse: func(status int, header textproto.MIMEHeader) error {
			link = fmt.Sprint(status, " ", header.Get("Link"))
			return nil
		},
	}))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if link != "103 </a.css>; rel=preload" || resp.StatusCode != 200 || resp.Header.Get("Link") != "" {
		t.Errorf("have %q, then %d with %v", link, resp.StatusCode, resp.Header)
	}
}

func TestRES11ResponseThatEndsEarlyIsCut(t *testing.T) {
	s := startSite(t, "php_server")
	req, _ := http.NewRequest("GET", "http://"+s.http+"/x.php", nil)
	req.Header.Set("X-Do", "cut")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, err := io.ReadAll(resp.Body); err == nil {
		t.Errorf("a complete response: %q", body)
	}
}

func TestErrorsOfPHPHaveTheirStatus(t *testing.T) {
	s := startSite(t, "handle_errors {\nrespond \"error {err.status_code}\" {err.status_code}\n}\nphp_server")
	for do, status := range map[string]int{"unavailable": 503, "fail": 500, "nothing": 500} {
		resp, body := s.get(t, "/x.php", "X-Do: "+do)
		if resp.StatusCode != status || body != fmt.Sprintf("error %d", status) {
			t.Errorf("%s: have %d, %q", do, resp.StatusCode, body)
		}
		if (resp.Header.Get("Retry-After") != "") != (status == 503) {
			t.Errorf("%s: Retry-After is %q", do, resp.Header.Get("Retry-After"))
		}
	}
}

func TestEnvEntriesReachPHP(t *testing.T) {
	s := startSite(t, "php_server {\nenv APP_ENV prod\nenv HOST_IS {http.request.host}\nenv JSON `{\"a\":1}`\n}")
	a := s.ask(t, "/x.php")
	want := map[string]string{"APP_ENV": "prod", "HOST_IS": "example.com", "JSON": `{"a":1}`}
	if !reflect.DeepEqual(a.Env, want) {
		t.Errorf("have %v, want %v", a.Env, want)
	}
}

func TestGlobalWorkerAnswersForItsScript(t *testing.T) {
	s := startSite(t, "php_server {\nindex worker.php\ntry_files {path} worker.php\nresolve_root_symlink\n}", "api.php", "public/worker.php")
	if err := os.Symlink("worker.php", filepath.Join(s.root, "link.php")); err != nil {
		t.Fatal(err)
	}
	for target, want := range map[string]int{"/": 1, "/any/thing": 1, "/worker.php/info": 1, "/link.php": 1, "/x.php": -1} {
		for range 2 { // the second time from memory
			if a := s.ask(t, target); a.Script != want {
				t.Errorf("%s: have worker %d, want %d", target, a.Script, want)
			}
		}
	}
}

func TestSiteWorkerAnswersForItsPathAndPattern(t *testing.T) {
	s := startSite(t, `php_server {
		worker $DIR/public/worker.php
		worker {
			file $DIR/api.php
			match /api/* /v2
		}
	}`, "public/worker.php", "api.php")
	for target, want := range map[string]struct {
		script int
		name   string
	}{
		"/worker.php":   {0, "/worker.php"},
		"/worker.php/a": {0, "/worker.php"},
		"/api/users":    {1, ""},
		"/api/x.php":    {1, ""},
		"/v2":           {1, ""},
		"/x.php":        {-1, "/x.php"},
		"/":             {-1, "/index.php"},
	} {
		if a := s.ask(t, target); a.Script != want.script || a.Server["SCRIPT_NAME"] != want.name {
			t.Errorf("%s: have %d, %q, want %+v", target, a.Script, a.Server["SCRIPT_NAME"], want)
		}
	}
	if a := s.ask(t, "/api/users"); a.Server["SCRIPT_FILENAME"] != filepath.Join(filepath.Dir(s.root), "api.php") || a.Server["PHP_SELF"] != "" {
		t.Errorf("have %v", a.Server)
	}
}

func TestClientThatLeavesEndsTheRequest(t *testing.T) {
	s := startSite(t, "php_server")
	client := http.Client{Timeout: 100 * time.Millisecond}
	req, _ := http.NewRequest("GET", "http://"+s.http+"/x.php", nil)
	req.Header.Set("X-Do", "wait")
	if _, err := client.Do(req); err == nil {
		t.Error("an answer")
	}
}

func TestEncodeKnowsBrotli(t *testing.T) {
	s := startSite(t, "encode br\nphp_server")
	resp, body := s.get(t, "/x.php", "Accept-Encoding: br")
	if resp.Header.Get("Content-Encoding") != "br" || body == "" {
		t.Errorf("have %v, %d bytes", resp.Header, len(body))
	}
}
