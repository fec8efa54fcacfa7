package main_test

import "testing"

func TestHelloOverEveryProtocol(t *testing.T) {
	s := startServer(t, caddyfile(
		`hathi { 
			worker `+app(t, "plain/worker.php")+` 
		}`,
		`root * `+app(t, "plain")+`
		php_server { 
			try_files {path} worker.php 
		}`))
	for _, protocol := range protocols {
		c := s.client(t, protocol)
		if r := c.get("/hello"); r.StatusCode != 200 || r.body != "Hello World" {
			t.Errorf("%s: %d %q", protocol, r.StatusCode, r.body)
		}
	}
	if status := s.stop(); status != 0 {
		t.Errorf("exit status %d after SIGTERM", status)
	}
	if left := s.processes(); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
