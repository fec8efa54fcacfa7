package caddymodule

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
)

// startServing runs a Caddyfile as a serving process does, on sockets of a
// master, all in this process.
func startServing(t *testing.T, caddyfile string) (dir string, stop func(context.Context) error) {
	t.Helper()
	storage, err := os.MkdirTemp("", "hathi-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(storage) })
	dir = writeScripts(t, "public/x.php")
	config, err := adapt(t, `{
		skip_install_trust
		local_certs
		storage file_system `+storage+`
		log default {
			output discard
		}
		`+strings.ReplaceAll(caddyfile, "$DIR", dir))
	if err != nil {
		t.Fatal(err)
	}
	p, err := newPlan(config, dir)
	if err != nil {
		t.Fatal(err)
	}
	table := newSocketTable()
	l := table.lease()
	saved := currentServing
	currentServing = func() serving { return &fakeServing{sockets: l} }
	t.Cleanup(func() {
		_ = caddy.Stop()
		currentServing = saved
		l.release()
		servers = serverSet{}
	})
	stop, err = StartServing(p.serving)
	if err != nil {
		t.Fatal(err)
	}
	return dir, stop
}

func clients(host string) map[string]*http.Client {
	insecure := &tls.Config{InsecureSkipVerify: true, ServerName: host}
	noRedirect := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return map[string]*http.Client{
		"HTTP/1.1": {CheckRedirect: noRedirect, Transport: &http.Transport{TLSClientConfig: insecure.Clone(),
			TLSNextProto: map[string]func(string, *tls.Conn) http.RoundTripper{}}},
		"HTTP/2.0": {Transport: &http.Transport{TLSClientConfig: insecure.Clone(), ForceAttemptHTTP2: true}},
		"HTTP/3.0": {Transport: &http3.Transport{TLSClientConfig: insecure.Clone()}},
	}
}

// getOK gets a URL, again while the certificate is not there.
func getOK(t *testing.T, c *http.Client, url string) *http.Response {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		resp, err := c.Get(url)
		if err == nil {
			_, _ = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			return resp
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}

func TestServingProcessHasAllProtocolsOnTheMastersSockets(t *testing.T) {
	_, plainPort, _ := net.SplitHostPort(freePort(t))
	_, tlsPort, _ := net.SplitHostPort(freePort(t))
	_, stop := startServing(t, `
		http_port `+plainPort+`
		https_port `+tlsPort+`
	}
	localhost {
		root $DIR/public
		php_server
	}`)
	protocols := clients("localhost")
	for proto, c := range protocols {
		resp := getOK(t, c, "https://localhost:"+tlsPort+"/x.php")
		if resp.Proto != proto || resp.StatusCode != 200 {
			t.Errorf("%s: have %s, %d", proto, resp.Proto, resp.StatusCode)
		}
		if alt := resp.Header.Get("Alt-Svc"); proto != "HTTP/3.0" && !strings.Contains(alt, `h3=":`+tlsPort+`"`) {
			t.Errorf("%s: Alt-Svc is %q", proto, alt)
		}
	}
	redirect := getOK(t, protocols["HTTP/1.1"], "http://localhost:"+plainPort+"/x.php?a")
	if want := "https://localhost/x.php?a"; redirect.StatusCode != http.StatusPermanentRedirect ||
		!strings.HasPrefix(redirect.Header.Get("Location"), "https://localhost") {
		t.Errorf("have %d, %q, want %s", redirect.StatusCode, redirect.Header.Get("Location"), want)
	}

	// Idle connections, which the clients keep, do not hold up the end.
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	start := time.Now()
	if err := stop(ctx); err != nil {
		t.Errorf("after %v: %v", time.Since(start), err)
	}
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("stop took %v", took)
	}
}

func TestLIFE04StopWaitsForRequestsOnAllProtocols(t *testing.T) {
	_, tlsPort, _ := net.SplitHostPort(freePort(t))
	_, stop := startServing(t, `
		auto_https disable_redirects
	}
	https://localhost:`+tlsPort+` {
		root $DIR/public
		php_server
	}`)
	url := "https://localhost:" + tlsPort + "/x.php"
	done := make(chan string)
	protocols := clients("localhost")
	for proto, c := range protocols {
		getOK(t, c, url) // the handshake is over
		go func() {
			req, _ := http.NewRequest("GET", url, nil)
			req.Header.Set("X-Do", "slow")
			resp, err := c.Do(req)
			if err != nil {
				done <- proto + ": " + err.Error()
				return
			}
			defer resp.Body.Close()
			if body, err := io.ReadAll(resp.Body); err != nil || !strings.Contains(string(body), `"Script"`) {
				done <- proto + ": " + string(body)
				return
			}
			done <- ""
		}()
	}
	time.Sleep(100 * time.Millisecond) // the requests are running
	start := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := stop(ctx); err != nil {
		t.Error(err)
	}
	if took := time.Since(start); took < 200*time.Millisecond || took > 5*time.Second {
		t.Errorf("stop took %v", took)
	}
	for range protocols {
		if problem := <-done; problem != "" {
			t.Error(problem)
		}
	}
}

func TestStopDoesNotWaitForHTTP3ClientsThatVanished(t *testing.T) {
	_, tlsPort, _ := net.SplitHostPort(freePort(t))
	_, stop := startServing(t, `
		auto_https disable_redirects
	}
	https://localhost:`+tlsPort+` {
		root $DIR/public
		php_server
	}`)
	udp, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	transport := &quic.Transport{Conn: udp}
	c := http.Client{Transport: &http3.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true, ServerName: "localhost"},
		Dial: func(ctx context.Context, _ string, cfg *tls.Config, qc *quic.Config) (*quic.Conn, error) {
			_, port, _ := net.SplitHostPort("localhost:" + tlsPort)
			addr, err := net.ResolveUDPAddr("udp", "127.0.0.1:"+port)
			if err != nil {
				return nil, err
			}
			return transport.DialEarly(ctx, addr, cfg, qc)
		},
	}}
	getOK(t, &c, "https://localhost:"+tlsPort+"/x.php")
	udp.Close() // no packet reaches or leaves the client any more

	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	start := time.Now()
	if err := stop(ctx); err != nil {
		t.Error(err)
	}
	if took := time.Since(start); took > 6*time.Second {
		t.Errorf("stop took %v", took)
	}
}

func TestStopGivesUpWhenItsTimeIsOver(t *testing.T) {
	address := freePort(t)
	_, port, _ := net.SplitHostPort(address)
	_, stop := startServing(t, `
	}
	http://:`+port+` {
		root $DIR/public
		php_server
	}`)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req, _ := http.NewRequestWithContext(ctx, "GET", "http://"+address+"/x.php", nil)
	req.Header.Set("X-Do", "wait")
	go func() {
		if resp, err := http.DefaultClient.Do(req); err == nil {
			resp.Body.Close()
		}
	}()
	time.Sleep(100 * time.Millisecond)
	short, cancelShort := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancelShort()
	if err := stop(short); err == nil {
		t.Error("no error for a request that still runs")
	}
}

func TestUnixSocketOfTheMaster(t *testing.T) {
	path := filepath.Join(t.TempDir(), "h.sock")
	startServing(t, `
	}
	http:// {
		bind unix/`+path+`
		root $DIR/public
		php_server
	}`)
	c := http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		return net.Dial("unix", path)
	}}}
	if resp := getOK(t, &c, "http://localhost/x.php"); resp.StatusCode != 200 {
		t.Errorf("have %d", resp.StatusCode)
	}
}

func TestRelativePathsAreBelowTheDirectoryOfTheStart(t *testing.T) {
	address := freePort(t)
	_, port, _ := net.SplitHostPort(address)
	// PHP has changed the working directory: no path is found from here.
	dir, _ := startServing(t, `
	}
	http://:`+port+` {
		root public
		php_server
	}`)
	for path, want := range map[string]int{"/x.php": 200, "/": 404} {
		if resp := getOK(t, http.DefaultClient, "http://"+address+path); resp.StatusCode != want {
			t.Errorf("%s below %s: have %d, want %d", path, dir, resp.StatusCode, want)
		}
	}
}
