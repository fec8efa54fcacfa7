package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hathi-server/hathi/worker"
)

func TestEachOfNProcessesServesWhatWasBootedOnce(t *testing.T) {
	boots := filepath.Join(t.TempDir(), "boots")
	script := app(t, "plain/worker.php")
	s := startServer(t, workerConfig(app(t, "plain"), "worker.php", "processes 4"), "BOOT_COUNTER="+boots)
	var titles []string
	for _, p := range s.processes() {
		titles = append(titles, p.name+" "+p.title)
		if p.parent != s.cmd.Process.Pid {
			t.Errorf("%s has the parent %d, not the master", p.title, p.parent)
		}
	}
	slices.Sort(titles)
	want := []string{
		"hathi-serving hathi: serving 0 " + script, "hathi-serving hathi: serving 1 " + script,
		"hathi-serving hathi: serving 2 " + script, "hathi-serving hathi: serving 3 " + script,
		"hathi-template hathi: template", "hathi-template hathi: template " + script,
	}
	if !slices.Equal(titles, want) {
		t.Errorf("processes:\n%s\nwant:\n%s", strings.Join(titles, "\n"), strings.Join(want, "\n"))
	}

	// A connection to each of them: over the same port, all four answer.
	boot := map[any]bool{}
	for _, pid := range s.servingPIDs() {
		boot[object(t, s.must(s.wireTo(pid), "/counter"))["boot_id"]] = true
	}
	if len(boot) != 1 {
		t.Errorf("%d boots are served, want 1", len(boot))
	}
	if n := len(lines(t, boots)); n != 1 {
		t.Errorf("the worker script booted %d times", n)
	}
	s.endsCleanly()
}

func TestThereAreAsManyProcessesAsCPUs(t *testing.T) {
	s := startServer(t, workerConfig(app(t, "plain"), "worker.php", ""))
	if n := len(s.servingPIDs()); n != worker.CPUs() {
		t.Errorf("%d serving processes, want %d", n, worker.CPUs())
	}

	s = newServer(t, workerConfig(app(t, "plain"), "worker.php", ""))
	s.cmd.Args = append([]string{"taskset", "--cpu-list", "0"}, s.cmd.Args...)
	s.cmd.Args[3] = s.cmd.Path
	s.cmd.Path = "/usr/bin/taskset"
	s.launch()
	s.waitLog(`"msg":"serving"`)
	if n := len(s.servingPIDs()); n != 1 {
		t.Errorf("%d serving processes on one CPU", n)
	}
}

func TestWhatOneProcessCompiledIsAHitInAnother(t *testing.T) {
	root := plainCopy(t, "opcache.php", `require_once __DIR__ . '/include/json_reply.php';
$s = opcache_get_status();
json_reply(['cached' => $s['opcache_statistics']['num_cached_scripts'], 'file' => $s['scripts'][__DIR__ . '/compiled.php'] ?? null]);`,
		"compiled.php", `echo 'compiled';`)
	s := startServer(t, workerConfig(root, "worker.php", "processes 2"))
	pids := s.servingPIDs()
	a, b := s.wireTo(pids[0]), s.wireTo(pids[1])
	if file := object(t, s.must(a, "/opcache"))["file"]; file != nil {
		t.Fatalf("compiled before its first request: %v", file)
	}
	s.must(a, "/compiled")
	var cached []any
	hits := func(w *wire) float64 {
		status := object(t, s.must(w, "/opcache"))
		cached = append(cached, status["cached"])
		file, ok := status["file"].(map[string]any)
		if !ok {
			t.Fatal("a script that one process compiled is not in the cache of the other")
		}
		return file["hits"].(float64)
	}
	before := hits(b)
	s.must(b, "/compiled")
	if now := hits(a); now != before+1 {
		t.Errorf("%v hits before the other process ran the script, %v after it", before, now)
	}
	if cached[0] != cached[1] {
		t.Errorf("one process sees %v cached scripts, the other %v", cached[0], cached[1])
	}
}

func TestForkedProcessesDrawDifferentRandomNumbers(t *testing.T) {
	seeded := plainCopy(t, "seeded.php", `require __DIR__ . '/include/json_reply.php';
mt_srand(42);
$_ = [mt_rand(), rand(), lcg_value(), uniqid('', true), random_int(0, 9), random_bytes(8), array_rand([1, 2, 3])];
while (frankenphp_handle_request(static function (): void {
	require __DIR__ . ($_SERVER['REQUEST_URI'] === '/pid' ? '/pid.php' : '/random.php');
})) {
}`)
	for script, root := range map[string]string{"worker.php": app(t, "plain"), "seeded.php": seeded} {
		t.Run(script, func(t *testing.T) {
			s := startServer(t, workerConfig(root, script, "processes 2"))
			pids := s.servingPIDs()
			a, b := s.wireTo(pids[0]), s.wireTo(pids[1])
			// As many requests before it in both, or a difference would come of that.
			s.must(a, "/random")
			s.must(b, "/random")
			x, y := object(t, s.must(a, "/random")), object(t, s.must(b, "/random"))
			if len(x) < 9 {
				t.Fatalf("only %d values", len(x))
			}
			for name, value := range x {
				if value == y[name] {
					t.Errorf("%s is %v in both processes", name, value)
				}
			}
		})
	}
}

func TestPHPProcessesRunAsTheConfiguredUser(t *testing.T) {
	root := plainCopy(t, "who.php", `echo posix_geteuid(), ' ', posix_getuid(), ' ', posix_getegid(), ' ', implode(',', posix_getgroups());`)
	boots := filepath.Join(openDir(t), "boots")
	s := newServer(t, workerConfig(root, "worker.php", "processes 2\nuser www-data"), "BOOT_COUNTER="+boots)
	if err := os.Chmod(filepath.Dir(s.dir), 0o755); err != nil { // go test makes it for its own user only
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(s.dir, "data"), 0o755); err != nil {
		t.Fatal(err)
	}
	s.launch()
	s.waitLog(`"msg":"serving"`)
	uid := owner(t, boots)
	if uid == 0 {
		t.Error("the worker script booted as root")
	}
	w := s.wireTo(s.servingPIDs()[0])
	want := fmt.Sprintf("%d %d %d %d", uid, uid, uid, uid) // www-data's group has the same number
	if who := s.must(w, "/who"); who != want {
		t.Errorf("PHP runs as %q, want %q", who, want)
	}
	for _, p := range s.processes() {
		if got := owner(t, "/proc/"+strconv.Itoa(p.pid)); got != uid {
			t.Errorf("%s runs as %d", p.title, got)
		}
	}
	if got := owner(t, "/proc/"+strconv.Itoa(s.cmd.Process.Pid)); got != 0 {
		t.Errorf("the master runs as %d", got)
	}
	if got := owner(t, filepath.Join(s.dir, "data/caddy/pki/authorities/local/root.key")); got != uid {
		t.Errorf("the internal CA, which the serving processes use, belongs to %d", got)
	}
	// A replacement is not root either.
	killProcess(t, s.servingPIDs()[0])
	s.waitLog(`"msg":"serving process replaced"`)
	for _, pid := range s.servingPIDs() {
		if got := owner(t, "/proc/"+strconv.Itoa(pid)); got != uid {
			t.Errorf("serving process %d runs as %d", pid, got)
		}
	}
	s.endsCleanly()
}
