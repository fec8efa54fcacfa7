package main_test

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// loop is a worker's loop that answers with $answer().
const loop = `
while (frankenphp_handle_request(static function () use ($answer): void {
	if ($_SERVER['REQUEST_URI'] === '/pid') {
		echo getmypid();
		return;
	}
	$answer();
})) {
}`

// noteBoot adds a line to the file BOOT_COUNTER.
const noteBoot = `file_put_contents(getenv('BOOT_COUNTER'), getmypid() . "\n", FILE_APPEND | LOCK_EX);
`

func TestWhatCannotBeSharedIsNamedAndEachProcessBoots(t *testing.T) {
	for name, c := range map[string]struct{ open, named string }{
		"SQLite": {`$db = new PDO('sqlite:' . DIR . '/data.db');
$db->exec('create table if not exists n (v integer)');
$db->exec('insert into n values (7)');
$answer = static function () use ($db): void { echo $db->query('select v from n limit 1')->fetchColumn(); };`,
			"is an SQLite database: DIR/data.db"},
		"socket": {`[$near, $far] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
$answer = static function () use ($near, $far): void { fwrite($near, '7'); echo fread($far, 1); };`,
			"is a socket (a database or cache connection?)"},
		"pipe": {`$pipe = popen('cat > /dev/null', 'w');
$answer = static function () use ($pipe): void { echo is_resource($pipe) ? 7 : 0; };`,
			"is a pipe"},
		"locked file": {`$lock = fopen(DIR . '/lock', 'a');
flock($lock, LOCK_SH);
$answer = static function () use ($lock): void { echo is_resource($lock) ? 7 : 0; };`,
			"is a locked file: DIR/lock"},
		"file open for writing": {`$file = fopen(DIR . '/file', 'w+');
$answer = static function () use ($file): void { echo is_resource($file) ? 7 : 0; };`,
			"is a file open for reading and writing: DIR/file"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := openDir(t)
			boots := filepath.Join(dir, "boots")
			root := plainCopy(t, "open.php", noteBoot+strings.ReplaceAll(c.open, "DIR", "'"+dir+"'")+loop)
			s := startServer(t, workerConfig(root, "open.php", "processes 2"), "BOOT_COUNTER="+boots)
			log := s.log.String()
			for _, want := range []string{strings.ReplaceAll(c.named, "DIR", dir),
				"each boots its own; close what is named before the loop, or open it in Hathi\\\\after_fork()"} {
				if !strings.Contains(log, want) {
					t.Errorf("the log does not contain %q", want)
				}
			}
			booted := lines(t, boots)
			for _, pid := range s.servingPIDs() {
				if body := s.must(s.wireTo(pid), "/"); body != "7" {
					t.Errorf("process %d answers %q", pid, body)
				}
				if !contains(booted, pid) {
					t.Errorf("process %d has not booted: %v", pid, booted)
				}
			}
			// The one that could not be shared, and one in each process.
			if len(booted) != 3 {
				t.Errorf("boots in %v", booted)
			}
			killProcess(t, s.servingPIDs()[0])
			s.waitLog(`"msg":"serving process replaced"`)
			for _, pid := range s.servingPIDs() {
				if body := s.must(s.wireTo(pid), "/"); body != "7" {
					t.Errorf("process %d answers %q", pid, body)
				}
			}
			s.endsCleanly()
		})
	}
}

func contains(pids []string, pid int) bool {
	for _, p := range pids {
		if p == strconv.Itoa(pid) {
			return true
		}
	}
	return false
}

func TestAFileOpenForReadingKeepsItsOffsetInEachProcess(t *testing.T) {
	dir := openDir(t)
	boots := filepath.Join(dir, "boots")
	writeFile(t, filepath.Join(dir, "words"), "one\ntwo\nthree\nfour\n")
	root := plainCopy(t, "reader.php", noteBoot+`$file = fopen('`+dir+`/words', 'r');
stream_set_read_buffer($file, 0);
fread($file, 4);
$answer = static function () use ($file): void { echo fread($file, 4), ftell($file); };`+loop)
	s := startServer(t, workerConfig(root, "reader.php", "processes 2"), "BOOT_COUNTER="+boots)
	for _, pid := range s.servingPIDs() {
		if body := s.must(s.wireTo(pid), "/"); body != "two\n8" {
			t.Errorf("process %d reads %q", pid, body)
		}
	}
	if n := len(lines(t, boots)); n != 1 {
		t.Errorf("%d boots", n)
	}
}

func TestAfterForkRunsOnceInEachProcessBeforeItsFirstRequest(t *testing.T) {
	dir := openDir(t)
	calls, boots := filepath.Join(dir, "calls"), filepath.Join(dir, "boots")
	root := plainCopy(t, "after.php", noteBoot+`$db = null;
Hathi\after_fork(static function () use (&$db): void {
	$db = new PDO('sqlite:`+dir+`/data.db');
	file_put_contents('`+calls+`', getmypid() . "\n", FILE_APPEND | LOCK_EX);
});
Hathi\after_fork(static function (): void { throw new RuntimeException('not this one'); });
$answer = static function () use (&$db): void { echo $db->query('select 7')->fetchColumn(); };`+loop)
	s := startServer(t, workerConfig(root, "after.php", "processes 2"), "BOOT_COUNTER="+boots)
	pids := s.servingPIDs()
	for _, pid := range pids {
		w := s.wireTo(pid)
		for range 2 {
			if body := s.must(w, "/"); body != "7" {
				t.Errorf("process %d answers %q", pid, body)
			}
		}
	}
	called := lines(t, calls)
	if len(called) != 2 || !contains(called, pids[0]) || !contains(called, pids[1]) {
		t.Errorf("called in %v, want once in each of %v", called, pids)
	}
	if n := len(lines(t, boots)); n != 1 {
		t.Errorf("%d boots", n)
	}
	s.waitLog("not this one")
	s.endsCleanly()
}

func TestFunctionsThatAServingProcessRefuses(t *testing.T) {
	root := plainCopy(t, "refused.php", `header('Content-Type: text/plain');
foreach (['frankenphp_handle_request', 'Hathi\handle_request', 'Hathi\after_fork', 'pcntl_fork'] as $function) {
	try {
		$function(static fn () => null);
		echo "$function: called\n";
	} catch (Throwable $e) {
		echo "$function: ", $e::class, ': ', $e->getMessage(), "\n";
	}
}`)
	s := startServer(t, workerConfig(root, "worker.php", "processes 1"))
	w := s.wireTo(s.servingPIDs()[0])
	const forked = "pcntl_fork: Error: pcntl_fork() is not available in a server process: run the script with php-cli"
	for path, wants := range map[string][]string{
		"/refused.php": { // classic mode
			"frankenphp_handle_request: RuntimeException: frankenphp_handle_request() called while not in worker mode",
			"Hathi\\handle_request: RuntimeException: ",
			"Hathi\\after_fork: RuntimeException: Hathi\\after_fork() called outside of a worker script's boot", forked,
		},
		"/refused": {
			"frankenphp_handle_request: RuntimeException: frankenphp_handle_request() called while a request is being handled",
			"Hathi\\after_fork: RuntimeException: ", forked,
		},
	} {
		body := s.must(w, path)
		for _, want := range wants {
			if !strings.Contains(body, want) {
				t.Errorf("%s: %q is not in:\n%s", path, want, body)
			}
		}
		if strings.Contains(body, ": called") {
			t.Errorf("%s: a function was called:\n%s", path, body)
		}
	}
}
