package caddymodule

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/hathi-server/hathi/worker"
)

// writeScripts makes files below a new directory, whose path has no symlinks.
func writeScripts(t *testing.T, names ...string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte("<?php\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func tree(t *testing.T, config string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(config), &v); err != nil {
		t.Fatalf("%v in %s", err, config)
	}
	return v
}

func TestServingAddressIsOnANetworkOfTheMaster(t *testing.T) {
	t.Setenv("HATHI_TEST_PORT", "8123")
	for in, want := range map[string]string{
		":443":                     "hathi/:443",
		"127.0.0.1:80":             "hathi/127.0.0.1:80",
		"[::1]:80":                 "hathi/[::1]:80",
		"tcp/:80":                  "hathi/:80",
		"tcp4/:80":                 "hathi4/:80",
		"tcp6/:80":                 "hathi6/:80",
		":8000-8005":               "hathi/:8000-8005",
		":{env.HATHI_TEST_PORT}":   "hathi/:8123",
		"unix//run/hathi.sock":     "unix-hathi//run/hathi.sock",
		"unix//run/h.sock|0222":    "unix-hathi//run/h.sock|0222",
		"unix/@abstract":           "unix-hathi/@abstract",
		"fd/3":                     "fd-hathi/3",
		"localhost:0":              "hathi/localhost:0",
		"ip/1.2.3.4:1":             "!network \"ip\"",
		":0-99999":                 "!:0-99999",
		":{env.HATHI_TEST_NOTHING": "!listen address",
	} {
		have, err := servingAddress(in)
		if mistake, ok := strings.CutPrefix(want, "!"); ok {
			if err == nil || !strings.Contains(err.Error(), mistake) {
				t.Errorf("%s: have %q, %v, want an error with %q", in, have, err, mistake)
			}
			continue
		}
		if err != nil || have != want {
			t.Errorf("%s: have %q, %v, want %q", in, have, err, want)
			continue
		}
		if _, err := caddy.ParseNetworkAddress(have); err != nil {
			t.Errorf("%s: Caddy does not take it: %v", in, err)
		}
	}
}

func TestPlanHasTheConfigurationOfServingProcesses(t *testing.T) {
	dir := writeScripts(t, "public/index.php", "w.php")
	config := `{
		"admin": {"listen": "localhost:2019"},
		"logging": {"logs": {"default": {"writer": {"output": "file", "filename": "logs/a.log"}}}},
		"storage": {"module": "file_system", "root": "data"},
		"apps": {
			"frankenphp": {"workers": [{"file_name": "w.php"}]},
			"http": {"grace_period": 4000000000, "servers": {"srv0": {
				"@id": "main",
				"listen": [":8080", "unix//run/x.sock"],
				"routes": [
					{"handle": [{"handler": "vars", "root": "public/"}]},
					{"match": [{"file": {"root": "public", "try_files": ["{http.request.uri.path}"]}}],
					 "handle": [{"handler": "subroute", "routes": [{"handle": [
						{"handler": "php", "workers": [{"file_name": "index.php"}], "root": "public"},
						{"handler": "file_server", "root": "/abs", "hide": ["./Caddyfile", "secret"]}
					 ]}]}]}
				]
			}}}
		}
	}`
	want := strings.NewReplacer("DIR", dir, "SECRET", base64.StdEncoding.EncodeToString(ticketSecret())).Replace(`{
		"admin": {"disabled": true, "config": {"persist": false}},
		"logging": {"logs": {"default": {"exclude": ["admin"], "writer": {"output": "file", "filename": "DIR/logs/a.log", "roll": false}}}},
		"storage": {"module": "file_system", "root": "DIR/data"},
		"apps": {
			"hathi.serving": {"directory": "DIR"},
			"frankenphp": {"workers": [{"name": "DIR/w.php", "file_name": "DIR/w.php"}]},
			"tls": {"session_tickets": {"key_source": {"provider": "hathi", "secret": "SECRET"}}},
			"http": {"grace_period": 4000000000, "servers": {"srv0": {
				"listen": ["hathi/:8080", "unix-hathi//run/x.sock"],
				"routes": [
					{"handle": [{"handler": "vars", "root": "DIR/public"}]},
					{"match": [{"file": {"root": "DIR/public", "try_files": ["{http.request.uri.path}"]}}],
					 "handle": [{"handler": "subroute", "routes": [{"handle": [
						{"handler": "php", "root": "DIR/public",
						 "workers": [{"name": "DIR/public/index.php", "file_name": "DIR/public/index.php"}]},
						{"handler": "file_server", "root": "/abs", "hide": ["DIR/Caddyfile", "secret"]}
					 ]}]}]}
				]
			}}}
		}
	}`)

	p, err := newPlan([]byte(config), dir)
	if err != nil {
		t.Fatal(err)
	}
	if have := tree(t, string(p.serving)); !reflect.DeepEqual(have, tree(t, want)) {
		t.Errorf("have %s\nwant %s", p.serving, want)
	}
	if want := []string{":8080", "unix//run/x.sock"}; !reflect.DeepEqual(p.addresses, want) {
		t.Errorf("addresses: have %q, want %q", p.addresses, want)
	}
	if !p.rotatesLogs {
		t.Error("nothing is said about the rotation of logs")
	}
	if want := 4 * time.Second; p.generation.Grace != want {
		t.Errorf("grace: have %v, want %v", p.generation.Grace, want)
	}
}

func TestPlanHasTheGeneration(t *testing.T) {
	dir := writeScripts(t, "a.php", "b.php")
	php := func(workers string) string {
		return `{"handler": "php", "workers": [` + workers + `]}`
	}
	config := `{"apps": {
		"hathi": {
			"processes": 3, "user": "www-data", "group": "adm", "php_thread": "pinned", "stop_timeout": "7s",
			"php_ini": {"z": "1", "a": "2"},
			"workers": [{"file_name": "a.php", "num": 1, "max_consecutive_failures": -1, "env": {"Y": "2", "X": "1"}}]
		},
		"http": {"servers": {
			"one": {"routes": [{"handle": [` + php(`{"file_name": "b.php", "name": "b"}`) + `]}]},
			"two": {
				"routes": [{"handle": [{"handler": "subroute", "routes": [{"handle": [` +
		php(`{"file_name": "`+dir+`/b.php", "name": "again", "num": 5}, {"file_name": "b.php", "name": "b", "env": {"K": "v"}}`) + `]}]}]}],
				"errors": {"routes": [{"handle": [` + php(`{"file_name": "a.php"}`) + `]}]}
			}
		}}
	}}`
	p, err := newPlan([]byte(config), dir)
	if err != nil {
		t.Fatal(err)
	}
	have := p.generation
	have.Payload = nil
	want := worker.Config{
		Processes: 3,
		PHPIni:    []worker.INI{{Key: "a", Value: "2"}, {Key: "z", Value: "1"}},
		Scripts: []worker.Script{
			{Name: dir + "/a.php", File: dir + "/a.php", Num: 1, MaxConsecutiveFailures: -1,
				Env: []worker.INI{{Key: "X", Value: "1"}, {Key: "Y", Value: "2"}}},
			{Name: "b", File: dir + "/b.php", Num: 5},
			{Name: dir + "/a.php_1", File: dir + "/a.php"},
			{Name: "b_1", File: dir + "/b.php", Env: []worker.INI{{Key: "K", Value: "v"}}},
		},
		User: "www-data", Group: "adm", PHPThread: "pinned", Grace: 7 * time.Second,
	}
	if !reflect.DeepEqual(have, want) {
		t.Errorf("have %+v\nwant %+v", have, want)
	}
	// The handlers find their scripts by these names.
	for _, name := range []string{`"name":"b_1"`, `"name":"b"`} {
		if !strings.Contains(string(p.serving), name) {
			t.Errorf("no %s in %s", name, p.serving)
		}
	}
	if strings.Contains(string(p.serving), "again") {
		t.Errorf("a second name for one script is left in %s", p.serving)
	}
}

func TestPlanMistakesNameTheirPlace(t *testing.T) {
	dir := writeScripts(t, "a.php")
	for _, c := range []struct{ config, want string }{
		{`[]`, "not a JSON object"},
		{`{`, "configuration: unexpected EOF"},
		{`{"apps": {"hathi": {}, "frankenphp": {}}}`, "hathi and frankenphp are two names of one app"},
		{`{"apps": {"hathi": {"processess": 1}}}`, `hathi: unknown field "processess"`},
		{`{"apps": {"hathi": {"processes": -1}}}`, "processes: -1 is less than 0"},
		{`{"apps": {"hathi": {"workers": [{"file_name": "none.php"}]}}}`, "worker: the file " + dir + "/none.php does not exist"},
		{`{"apps": {"hathi": {"workers": [{"file_name": "."}]}}}`, "is a directory"},
		{`{"apps": {"hathi": {"workers": [{}]}}}`, "worker: no file is given"},
		{`{"apps": {"hathi": {"workers": [{"file_name": "a.php"}, {"file_name": "./a.php"}]}}}`, "two global workers have the file"},
		{`{"apps": {"hathi": {"num_threads": 4, "max_threads": 2}}}`, "max_threads: 2 is less than num_threads"},
		{`{"apps": {"http": {"servers": {"s": {"listen": ["ip/1.1.1.1:1"]}}}}}`, `server s: listen address "ip/1.1.1.1:1"`},
		{`{"apps": {"http": {"servers": {"s": {"routes": [{"handle": [{"handler": "php", "workers": [{"file_name": "x.php"}]}]}]}}}}}`,
			"server s: worker: the file " + dir + "/x.php does not exist"},
	} {
		_, err := newPlan([]byte(c.config), dir)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: have %v, want %q", c.config, err, c.want)
		}
	}
}

func TestNoConfigurationIsNoPlan(t *testing.T) {
	for _, config := range []string{"", " \n", "null"} {
		if p, err := newPlan([]byte(config), "/"); p != nil || err != nil {
			t.Errorf("%q: have %v, %v", config, p, err)
		}
	}
}

func TestServingProcessesFollowTheOptions(t *testing.T) {
	for _, c := range []struct{ processes, interpreters, cpus, want int }{
		{0, 0, 8, 0},
		{3, 0, 8, 3},
		{3, 1, 8, 3},
		{0, 1, 8, 1},
		{0, 7, 8, 7},
		{0, 8, 8, 0},
		{0, 64, 8, 0},
	} {
		if have := servingProcesses(c.processes, c.interpreters, c.cpus); have != c.want {
			t.Errorf("%+v: have %d", c, have)
		}
	}
}

func TestAbsolutePathKeepsPlaceholdersOfRequests(t *testing.T) {
	t.Setenv("HATHI_TEST_ROOT", "sites")
	for in, want := range map[string]string{
		"public/":                 "/app/public",
		".":                       "/app",
		"../x":                    "/x",
		"/srv":                    "/srv",
		"{http.vars.root}":        "{http.vars.root}",
		"{env.HATHI_TEST_ROOT}/a": "/app/sites/a",
		"sites/{host}/public":     "/app/sites/{host}/public",
	} {
		if have := absolutePath(in, "/app"); have != want {
			t.Errorf("%s: have %q, want %q", in, have, want)
		}
	}
}

func TestRoutesWithoutARootGetTheWorkingDirectory(t *testing.T) {
	const files = `{"handle": [{"handler": "file_server"}]}`
	const rooted = `{"handle": [{"handler": "file_server", "root": "/x"}]}`
	const root = `{"handle": [{"handler": "vars", "root": "/y"}]}`
	const someRoot = `{"match": [{"path": ["/a"]}], "handle": [{"handler": "vars", "root": "/y"}]}`
	const given = `{"handle": [{"handler": "vars", "root": "/app"}, {"handler": "file_server"}]}`
	const respond = `{"handle": [{"handler": "static_response"}]}`
	for _, c := range []struct{ name, routes, want string }{
		{"none", files, given},
		{"own", rooted, rooted},
		{"before", root + "," + files, root + "," + files},
		{"only for some", someRoot + "," + files, someRoot + "," + given},
		{"no files", respond, respond},
	} {
		server := tree(t, `{"routes": [`+c.routes+`]}`).(object)
		defaultRoots(server, "/app")
		if want := tree(t, `{"routes": [`+c.want+`]}`); !reflect.DeepEqual(any(server), want) {
			t.Errorf("%s: have %v, want %v", c.name, server, want)
		}
	}
}
