package main_test

import (
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"testing"
)

// A client's second connection may reach another process than its first.
func TestTLSSessionsResumeInEveryProcess(t *testing.T) {
	s := startServer(t, caddyfile("hathi {\n processes 2\n}", "root * "+app(t, "plain")+"\nphp_server"))
	config := &tls.Config{InsecureSkipVerify: true, ServerName: "127.0.0.1", ClientSessionCache: tls.NewLRUClientSessionCache(1)}
	pids := make(map[string]bool)
	for i := range 40 {
		// A transport of its own is a connection of its own; the session cache is shared.
		transport := &http.Transport{TLSClientConfig: config.Clone()}
		resp, err := (&http.Client{Transport: transport}).Get(fmt.Sprintf("https://%s/pid.php", s.https))
		if err != nil {
			t.Fatal(err)
		}
		pid, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		transport.CloseIdleConnections()
		if err != nil {
			t.Fatal(err)
		}
		pids[string(pid)] = true
		if i > 0 && !resp.TLS.DidResume {
			t.Fatalf("connection %d, to pid %s of %v, did not resume the session", i, pid, pids)
		}
	}
	if len(pids) < 2 {
		t.Errorf("only %v answered", pids)
	}
}
