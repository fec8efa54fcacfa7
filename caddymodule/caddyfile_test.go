package caddymodule

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2/caddyconfig"
	_ "github.com/caddyserver/caddy/v2/modules/standard"
)

var update = flag.Bool("update", false, "write the golden files")

// environment is what the Caddyfiles in testdata read. HATHI_TEST_EMPTY is set and
// empty, as Octane sets what it has no value for.
func environment(t *testing.T) {
	t.Helper()
	for name, value := range map[string]string{
		"HATHI_TEST_EMPTY":       "",
		"HATHI_TEST_CONFIG":      "worker ./public/index.php",
		"HATHI_TEST_HOST":        "localhost",
		"HATHI_TEST_PORT":        "2019",
		"HATHI_TEST_PUBLIC":      "/srv/laravel/public",
		"HATHI_TEST_OCTANE_NAME": "http://:8000",
		"HATHI_TEST_LEVEL":       "WARN",
		"HATHI_TEST_LOGGER":      "json",
	} {
		t.Setenv(name, value)
	}
}

func adapt(t *testing.T, caddyfile string) ([]byte, error) {
	t.Helper()
	config, _, err := caddyconfig.GetAdapter("caddyfile").Adapt([]byte(caddyfile), map[string]any{"filename": "Caddyfile"})
	return config, err
}

func TestCaddyfilesAdaptToGoldenJSON(t *testing.T) {
	environment(t)
	files, err := filepath.Glob("testdata/adapt/*.caddyfile")
	if err != nil || len(files) == 0 {
		t.Fatal("no Caddyfiles", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".caddyfile"), func(t *testing.T) {
			input, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			config, err := adapt(t, string(input))
			if err != nil {
				t.Fatal(err)
			}
			var have bytes.Buffer
			if err := json.Indent(&have, config, "", "  "); err != nil {
				t.Fatal(err)
			}
			have.WriteByte('\n')
			golden := strings.TrimSuffix(file, ".caddyfile") + ".json"
			if *update {
				if err := os.WriteFile(golden, have.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(have.Bytes(), want) {
				t.Errorf("%s is not what %s adapts to, which is\n%s", golden, file, have.Bytes())
			}
		})
	}
}

func TestCaddyfileMistakesAreOneLineThatNamesThem(t *testing.T) {
	t.Setenv("HATHI_TEST_EMPTY", "")
	for _, c := range []struct{ name, caddyfile, want string }{
		{"unknown global", "{\nhathi {\nthreads 2\n}\n}", `unknown subdirective "threads", allowed are: processes, php_ini, worker`},
		{"alias too", "{\nfrankenphp {\nthreads 2\n}\n}", `unknown subdirective "threads", allowed are: processes`},
		{"unknown in worker", "{\nhathi {\nworker {\nfil x\n}\n}\n}", `unknown subdirective "fil", allowed are: file, name`},
		{"unknown in php_server", ":80 {\nphp_server {\nroots x\n}\n}", `unknown subdirective "roots", allowed are: index, try_files, file_server, root`},
		{"php_server's in php", ":80 {\nroute {\nphp {\nindex x\n}\n}\n}", `unknown subdirective "index", allowed are: root`},
		{"not a number", "{\nhathi {\nprocesses many\n}\n}", `processes: "many" is not a number`},
		{"negative", "{\nhathi {\nprocesses -1\n}\n}", `processes: -1 is less than 0`},
		{"two values of an ini key", "{\nhathi {\nphp_ini a b c\n}\n}", `php_ini: want a key and one value, have "a b c"`},
		{"ini block with two values", "{\nhathi {\nphp_ini {\na b c\n}\n}\n}", `php_ini: want a key and one value, have "a b c"`},
		{"no file", "{\nhathi {\nworker\n}\n}", `worker: no file is given`},
		{"file from an empty variable", "{\nhathi {\nworker {\nfile {$HATHI_TEST_EMPTY}\n}\n}\n}", `file: want one value, have ""`},
		{"same global worker twice", "{\nhathi {\nworker a.php\nworker a.php\n}\n}", `worker: two global workers have the file a.php`},
		{"match in a global worker", "{\nhathi {\nworker {\nfile a.php\nmatch /x\n}\n}\n}", `worker: match is for workers in php_server or php`},
		{"same site worker twice", ":80 {\nphp_server {\nworker a.php\nworker a.php\n}\n}", `worker: two workers of the site have the file a.php and no match`},
		{"php_thread", "{\nhathi {\nphp_thread some\n}\n}", `php_thread: "some" is neither any nor pinned`},
		{"duration", "{\nhathi {\nmax_wait_time soon\n}\n}", `max_wait_time: "soon" is not a duration such as 30s`},
		{"file_server on", ":80 {\nphp_server {\nfile_server on\n}\n}", `file_server: want off, have "on"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := adapt(t, c.caddyfile)
			if err == nil {
				t.Fatal("no error")
			}
			if !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("have %q, want one line with %q", err, c.want)
			}
		})
	}
}

func TestEmptyNumberFromEnvironmentIsTheDefault(t *testing.T) {
	t.Setenv("HATHI_TEST_EMPTY", "")
	for _, caddyfile := range []string{
		"{\nfrankenphp {\nworker /a.php {$HATHI_TEST_EMPTY}\n}\n}",
		"{\nfrankenphp {\nworker /a.php \"{$HATHI_TEST_EMPTY}\"\n}\n}",
		"{\nfrankenphp {\nworker {\nfile /a.php\nnum {$HATHI_TEST_EMPTY}\n}\n}\n}",
	} {
		config, err := adapt(t, caddyfile)
		if err != nil {
			t.Errorf("%s: %v", caddyfile, err)
			continue
		}
		if want := `{"apps":{"frankenphp":{"workers":[{"file_name":"/a.php"}]}}}`; string(config) != want {
			t.Errorf("%s: have %s", caddyfile, config)
		}
	}
}

func TestSiteWorkerFileIsBelowTheRootOfItsDirective(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "index.php"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, file, root, siteRoot, want string }{
		{"absolute", "/a.php", "/srv", "/x", "/a.php"},
		{"directive's root", "a.php", "/srv", "/x", "/srv/a.php"},
		{"root with a placeholder", "a.php", "{env.ROOT}", "", "a.php"},
		{"working directory", "a.php", "", "", "a.php"},
		{"only in the site's root", "index.php", "", dir, dir + "/index.php"},
		{"nowhere", "none.php", "", dir, "none.php"},
	} {
		if have := siteWorkerFile(c.file, c.root, c.siteRoot); have != c.want {
			t.Errorf("%s: have %q, want %q", c.name, have, c.want)
		}
	}
}
