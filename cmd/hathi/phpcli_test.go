package main_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// phpCLI is a command that behaves as php: the distribution's own, which says
// what is right, or `hathi php-cli`.
type phpCLI []string

// result is what a caller of php can see.
type result struct {
	stdout, stderr string
	status         int // exit status; 128 + n for signal n
}

// hathiCLI is `hathi php-cli` with the binary from HATHI_BIN, or bin/hathi.
func hathiCLI(t *testing.T) phpCLI {
	t.Helper()
	binary := os.Getenv("HATHI_BIN")
	if binary == "" {
		binary = "../../bin/hathi"
	}
	binary, err := filepath.Abs(binary)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(binary); err != nil {
		t.Skipf("no hathi binary, build it or set HATHI_BIN: %v", err)
	}
	return phpCLI{binary, "php-cli"}
}

// referenceCLI is the distribution's php of the version that hathi embeds.
func referenceCLI(t *testing.T, hathi phpCLI) phpCLI {
	t.Helper()
	version := hathi.run(t, "", "-n", "-r", "echo PHP_MAJOR_VERSION, '.', PHP_MINOR_VERSION;").stdout
	php, err := exec.LookPath("php" + version)
	if err != nil {
		t.Skipf("no reference to compare with: %v", err)
	}
	return phpCLI{php}
}

func (c phpCLI) command(ctx context.Context, args ...string) *exec.Cmd {
	argv := slices.Concat(c, args)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = "../../testdata/cli"
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

func (c phpCLI) run(t *testing.T, stdin string, args ...string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()

	var stdout, stderr bytes.Buffer
	cmd := c.command(ctx, args...)
	cmd.Stdin = strings.NewReader(stdin)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if ctx.Err() != nil {
		t.Fatalf("%q does not end; output so far:\n%s%s", cmd.Args, &stdout, &stderr)
	}
	return result{stdout.String(), stderr.String(), exitStatus(t, err)}
}

func exitStatus(t *testing.T, err error) int {
	t.Helper()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		if status := exit.Sys().(syscall.WaitStatus); status.Signaled() {
			return 128 + int(status.Signal())
		}
		return exit.ExitCode()
	}
	t.Fatal(err)
	return -1
}

func TestPHPCLIBehavesAsPHP(t *testing.T) {
	hathi := hathiCLI(t)
	php := referenceCLI(t, hathi)

	// -n: the two read the ini files of different SAPIs.
	posix := []string{"-n", "-d", "extension=posix"}

	tests := []struct {
		name  string
		stdin string
		args  []string
	}{
		{name: "script with arguments", args: []string{"-n", "args.php", "one", "two words", ""}},
		{name: "options after the script are the script's", args: []string{"-n", "args.php", "-n", "--version", "-r", "x"}},
		{name: "-- after the script is the script's", args: []string{"-n", "args.php", "--", "-v"}},
		{name: "-f", args: []string{"-n", "-f", "args.php", "one"}},
		{name: "-f with -- before the arguments", args: []string{"-n", "-f", "args.php", "--", "-v", "one"}},
		{name: "--file", args: []string{"--no-php-ini", "--file", "args.php", "one"}},
		{name: "--file=", args: []string{"--no-php-ini", "--file=args.php", "one"}},
		{name: "-f twice", args: []string{"-n", "-f", "args.php", "-f", "args.php"}},
		{name: "-r", args: []string{"-n", "-r", "echo 1 + 1, PHP_EOL;"}},
		{name: "--run", args: []string{"-n", "--run", "var_dump($argv);", "one"}},
		{name: "-r glued to its code", args: []string{"-n", "-recho 42;"}},
		{name: "-r and arguments", args: []string{"-n", "-r", "var_dump($argc, $argv, defined('STDIN'));", "--", "-a", "--bee"}},
		{name: "-r and arguments without --", args: []string{"-n", "-r", "var_dump($argv);", "a", "-b"}},
		{name: "-r twice", args: []string{"-n", "-r", "echo 1;", "-r", "echo 2;"}},
		{name: "-r and -f", args: []string{"-n", "-r", "echo 1;", "-f", "args.php"}},
		{name: "-r that does not parse", args: []string{"-n", "-r", "echo ("}},
		{name: "-r that throws", args: []string{"-n", "-r", "throw new Exception('x');"}},
		{name: "-r that exits", args: []string{"-n", "-r", "exit(12);"}},
		{name: "exit with a string", args: []string{"-n", "-r", "exit('bye');"}},
		{name: "exit above 255", args: []string{"-n", "exit.php", "259"}},
		{name: "combined short options", args: []string{"-nl", "args.php"}},
		{name: "combined short options with a value", args: []string{"-nr", "echo 5;"}},
		{name: "-d before and after", args: []string{"-n", "-d", "my.entry=x y", "-d", "precision=5", "environment.php"}},
		{name: "-d without value, glued, and --define", args: []string{"-n", "-dprecision", "--define", "memory_limit=64M", "--define=my.entry=7", "environment.php"}},
		{name: "-d over the SAPI's own values", args: []string{"-n", "-d", "html_errors=1", "-d", "max_execution_time=9", "-d", "display_errors=0", "environment.php"}},
		{name: "the SAPI's own values", args: []string{"-n", "environment.php"}},
		{name: "-c with a file", args: []string{"-c", "custom.ini", "environment.php"}},
		{name: "$_SERVER", args: []string{"-n", "server.php"}},
		{name: "$_SERVER with a relative path", args: []string{"-n", "./sub/../server.php"}},
		{name: "$_SERVER of -r", args: []string{"-n", "-r", "var_dump($_SERVER['PHP_SELF'], $_SERVER['SCRIPT_FILENAME'], __FILE__, __DIR__ === getcwd());"}},
		{name: "script from standard input", stdin: "<?php var_dump($argv, defined('STDIN'), __FILE__);", args: []string{"-n"}},
		{name: "script from standard input with arguments", stdin: "<?php var_dump($argv);", args: []string{"-n", "--", "-v", "x"}},
		{name: "script from standard input and the rest of it", stdin: "<?php echo fgets(fopen('php://stdin', 'r')) === false ? 'all read' : 'left'; __halt_compiler();\nrest\n", args: []string{"-n"}},
		{name: "STDIN, STDOUT, STDERR", stdin: "first\nlast", args: []string{"-n", "stdin.php"}},
		{name: "closed STDOUT", args: []string{"-n", "close_stdout.php"}},
		{name: "exit status and shutdown function", args: []string{"-n", "exit.php", "3"}},
		{name: "exit status of a destructor", args: []string{"-n", "destructor.php"}},
		{name: "return at the top", args: []string{"-n", "return.php"}},
		{name: "uncaught exception", args: []string{"-n", "throw.php"}},
		{name: "uncaught exception, logged", args: []string{"-n", "-d", "display_errors=0", "-d", "log_errors=1", "throw.php"}},
		{name: "errors on stderr", args: []string{"-n", "-d", "display_errors=stderr", "throw.php"}},
		{name: "parse error", args: []string{"-n", "parse_error.php"}},
		{name: "errors, log, headers", args: []string{"-n", "errors.php"}},
		{name: "text without tags", args: []string{"-n", "plain.txt"}},
		{name: "missing script", args: []string{"-n", "missing.php"}},
		{name: "a directory for a script", args: []string{"-n", "sub"}},
		{name: "shebang line", args: []string{"-n", "shebang.php"}},
		{name: "shebang line from standard input", stdin: "#!/usr/bin/php\n<?php echo __LINE__;", args: []string{"-n"}},
		{name: "relative includes", args: []string{"-n", "include.php"}},
		{name: "script in another directory", args: []string{"-n", "sub/cwd.php"}},
		{name: "-l", args: []string{"-n", "-l", "args.php"}},
		{name: "-l of a parse error", args: []string{"-n", "-l", "parse_error.php"}},
		{name: "-l of a missing file", args: []string{"-n", "-l", "missing.php"}},
		{name: "-l of standard input", stdin: "<?php echo 1", args: []string{"-n", "--syntax-check"}},
		{name: "-l of two files", args: []string{"-n", "-l", "args.php", "exit.php"}},
		{name: "-w", args: []string{"-n", "-w", "highlight.php"}},
		{name: "-s", args: []string{"-n", "-s", "highlight.php"}},
		{name: "-s and -r", args: []string{"-n", "-r", "1;", "-s"}},
		{name: "--rf", args: []string{"-n", "--rf", "preg_match"}},
		{name: "--rf of a method", args: []string{"-n", "--rf", "DateTime::format"}},
		{name: "--rf of nothing", args: []string{"-n", "--rf", "no_such"}},
		{name: "--rc", args: []string{"-n", "--rc", "Countable"}},
		{name: "--rc of nothing", args: []string{"-n", "--rclass", "No\\Such"}},
		{name: "--re", args: []string{"-n", "--re", "ctype"}},
		{name: "--ri", args: []string{"-n", "--ri", "pcre"}},
		{name: "--ri of nothing", args: []string{"-n", "--ri", "nope"}},
		{name: "-R with -B and -E", stdin: "ab\ncd\r\nlast", args: []string{"-n", "-B", "$n = 0;", "-R", "$n += $argi; var_dump($argn);", "-E", "var_dump($n);"}},
		{name: "-R that exits", stdin: "a\nb\n", args: []string{"-n", "-R", "echo $argn; exit(3);"}},
		{name: "-F", stdin: "ab\ncd\n", args: []string{"-n", "-F", "each_line.php"}},
		{name: "-F of a missing file", stdin: "ab\n", args: []string{"-n", "-F", "missing.php"}},
		{name: "-R and -r", args: []string{"-n", "-R", "1;", "-r", "1;"}},
		{name: "fork and wait", args: append(slices.Clone(posix), "fork.php")},
		{name: "signals", args: append(slices.Clone(posix), "signal.php")},
		{name: "killed by its own signal", args: append(slices.Clone(posix), "-r", "posix_kill(getmypid(), SIGTERM); sleep(9);")},
		{name: "sub-processes through PHP_BINARY", args: []string{"-n", "self.php"}},
		{name: "process title", args: []string{"-n", "title.php"}},
		{name: "time limit", args: []string{"-n", "time_limit.php"}},
		{name: "memory limit", args: []string{"-n", "-d", "memory_limit=4M", "-r", "str_repeat('x', 1 << 23);"}},
		{name: "output buffer at exit", args: []string{"-n", "-r", "ob_start(); echo 'buffered'; exit(1);"}},
		{name: "large output", args: []string{"-n", "-r", "echo str_repeat('0123456789', 300000);"}},
		{name: "binary output", args: []string{"-n", "-r", "for ($i = 0; $i < 256; $i++) { echo chr($i); }"}},
		{name: "functions that only the CLI has", args: []string{"-n", "-r", "var_dump(array_filter(['dl', 'cli_set_process_title', 'cli_get_process_title', 'pcntl_fork', 'frankenphp_handle_request', 'fastcgi_finish_request', 'apache_request_headers', 'getallheaders'], 'function_exists'));"}},
		{name: "dl", args: []string{"-n", "-r", "var_dump(dl('ctype'), ctype_digit('1'));"}},
		{name: "getopt", args: []string{"-n", "-r", "var_dump(getopt('ab:', ['long::'], $rest), $rest);", "--", "-a", "-b", "v", "--long=w", "rest"}},
		{name: "readline without a terminal", stdin: "typed\n", args: []string{"-n", "-d", "extension=readline", "-r", "var_dump(readline());"}},
		{name: "OPcache is off by default", args: []string{"-n", "-d", "zend_extension=opcache", "-r", "var_dump(opcache_get_status());"}},
		{name: "OPcache by opcache.enable_cli", args: []string{"-n", "-d", "zend_extension=opcache", "-d", "opcache.enable_cli=1", "-r", "var_dump(opcache_get_status()['opcache_enabled']);"}},
		{name: "preload sees PHP_BINARY", args: []string{"-n", "-d", "zend_extension=opcache", "-d", "opcache.enable_cli=1", "-d", "opcache.preload_user=root", "-d", "opcache.preload=preload.php", "-r", "var_dump(preloaded_binary() === PHP_BINARY);"}},
		{name: "-z", args: []string{"-n", "-z", "opcache.so", "-r", "echo 'ran';"}},
		{name: "-e", args: []string{"-n", "-e", "-r", "echo 'ran';"}},
		{name: "-q -C", args: []string{"-n", "-q", "-C", "-r", "echo 'ran';"}},
		{name: "-H", args: []string{"-n", "-H", "args.php", "secret"}},
	}

	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			want := php.run(t, tt.stdin, tt.args...)
			got := hathi.run(t, tt.stdin, tt.args...)
			if got != want {
				t.Errorf("php-cli %q\n got: %s\nwant: %s", tt.args, got, want)
			}
		})
	}
}

func (r result) String() string {
	return fmt.Sprintf("status %d, stdout %s, stderr %s", r.status, abridged(r.stdout), abridged(r.stderr))
}

func abridged(s string) string {
	if len(s) > 1500 {
		return fmt.Sprintf("%q... (%d bytes)", s[:1500], len(s))
	}
	return fmt.Sprintf("%q", s)
}

func TestPHPCLIHasThePHPModules(t *testing.T) {
	hathi := hathiCLI(t)
	php := referenceCLI(t, hathi)

	for _, args := range [][]string{{"-m"}, {"-n", "-m"}, {"--modules"}} {
		want := strings.Fields(php.run(t, "", args...).stdout)
		got := strings.Fields(hathi.run(t, "", args...).stdout)
		// The two SAPIs may have different modules enabled in their conf.d.
		optional := func(name string) bool { return name == "readline" }
		got, want = slices.DeleteFunc(got, optional), slices.DeleteFunc(want, optional)
		if !slices.Equal(got, want) {
			t.Errorf("%q lists %q, php %q", args, got, want)
		}
	}
}

func TestPHPCLIVersion(t *testing.T) {
	hathi := hathiCLI(t)
	php := referenceCLI(t, hathi)

	number := regexp.MustCompile(`^PHP (\S+) \(cli\)`)
	want := number.FindStringSubmatch(php.run(t, "", "-v").stdout)
	for _, option := range []string{"-v", "--version"} {
		r := hathi.run(t, "", option, "ignored")
		got := number.FindStringSubmatch(r.stdout)
		if len(got) != 2 || got[1] != want[1] || r.status != 0 {
			t.Errorf("%s: %s, want version %s", option, r, want[1])
		}
		for _, part := range []string{"Hathi", "Zend Engine v", "The PHP Group"} {
			if !strings.Contains(r.stdout, part) {
				t.Errorf("%s does not mention %q: %s", option, part, r)
			}
		}
	}
}

func TestPHPCLIUsage(t *testing.T) {
	hathi := hathiCLI(t)

	for _, tt := range []struct {
		args   []string
		status int
		stderr string
	}{
		{[]string{"-h"}, 0, ""},
		{[]string{"--help"}, 0, ""},
		{[]string{"--usage"}, 0, ""},
		{[]string{"-Z"}, 1, "option not found Z"},
		{[]string{"--no-such-option"}, 1, "Error in argument 1"},
		{[]string{"-r"}, 1, "no argument for option r"},
	} {
		r := hathi.run(t, "", tt.args...)
		if r.status != tt.status || !strings.HasPrefix(r.stdout, "Usage: hathi php-cli ") || !strings.Contains(r.stderr, tt.stderr) {
			t.Errorf("%q: %s", tt.args, r)
		}
	}
}

func TestPHPCLINamesWhatItDoesNotHave(t *testing.T) {
	hathi := hathiCLI(t)

	for option, message := range map[string]string{"-a": "not available", "-S": "hathi php-server"} {
		if r := hathi.run(t, "", option, "localhost:8000"); r.status != 1 || !strings.Contains(r.stdout, message) {
			t.Errorf("%s: %s, want status 1 and %q", option, r, message)
		}
	}
}

func TestPHPCLIReadsStandardInputForADash(t *testing.T) {
	r := hathiCLI(t).run(t, "<?php echo implode(',', array_slice($argv, 1));", "-n", "-", "a", "-b")
	if r != (result{stdout: "a,-b"}) {
		t.Error(r)
	}
}

func TestPHPCLIShowsPHPInfoAsText(t *testing.T) {
	hathi := hathiCLI(t)

	for _, option := range []string{"-i", "--info"} {
		r := hathi.run(t, "", option)
		if r.status != 0 || !strings.HasPrefix(r.stdout, "phpinfo()\nPHP Version => ") ||
			!strings.Contains(r.stdout, "Server API => Command Line Interface\n") {
			t.Errorf("%s: %s", option, r)
		}
	}
}

func TestPHPCLINamesItsIniFiles(t *testing.T) {
	r := hathiCLI(t).run(t, "", "-n", "--ini")
	if r.status != 0 || !strings.Contains(r.stdout, "Configuration File (php.ini) Path: /") ||
		!strings.Contains(r.stdout, "Loaded Configuration File:         (none)") {
		t.Error(r)
	}
}

// A link named php is PHP: it needs no sub-command, and PHP_BINARY names the link.
func TestALinkNamedPHPIsThePHPCLI(t *testing.T) {
	hathi := hathiCLI(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "php8")
	if err := os.Symlink(hathi[0], link); err != nil {
		t.Fatal(err)
	}

	want := result{stdout: link + " " + link}
	code := `echo PHP_BINARY, ' '; passthru(PHP_BINARY . ' -n -r "echo PHP_BINARY;"');`
	if r := (phpCLI{link}).run(t, "", "-n", "-r", code); r != want {
		t.Errorf("by its path: %s", r)
	}

	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	if r := (phpCLI{"php8"}).run(t, "", "-n", "-r", code); r != want {
		t.Errorf("by PATH: %s", r)
	}

	script := filepath.Join(dir, "tool")
	if err := os.WriteFile(script, []byte("#!/usr/bin/env php8\n<?php echo implode(',', array_slice($argv, 1));"), 0o755); err != nil {
		t.Fatal(err)
	}
	if r := (phpCLI{script}).run(t, "", "run", "-v"); r != (result{stdout: "run,-v"}) {
		t.Errorf("by a #! line: %s", r)
	}
}

func TestPHPCLIEndsWhenItsReaderIsGone(t *testing.T) {
	hathi := hathiCLI(t)
	php := referenceCLI(t, hathi)

	closedPipe := func(c phpCLI) result {
		t.Helper()
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		cmd := c.command(ctx, "-n", "flood.php")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		head := make([]byte, 4096)
		if _, err := io.ReadFull(out, head); err != nil {
			t.Fatal(err)
		}
		out.Close()
		return result{string(head), stderr.String(), exitStatus(t, cmd.Wait())}
	}
	want, got := closedPipe(php), closedPipe(hathi)
	if got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// A parent such as Node.js may leave a non-blocking pipe as standard output.
func TestPHPCLIWaitsForASlowNonBlockingReader(t *testing.T) {
	var fds [2]int
	if err := syscall.Pipe(fds[:]); err != nil {
		t.Fatal(err)
	}
	if err := syscall.SetNonblock(fds[1], true); err != nil {
		t.Fatal(err)
	}
	reader, writer := os.NewFile(uintptr(fds[0]), "reader"), os.NewFile(uintptr(fds[1]), "writer")
	defer reader.Close()

	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	cmd := hathiCLI(t).command(ctx, "-n", "-r", "echo str_repeat('x', 1000000);")
	cmd.Stdout = writer
	// os/exec makes an *os.File blocking through Fd(); the child must find it non-blocking.
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := syscall.SetNonblock(fds[1], true); err != nil {
		t.Fatal(err)
	}
	time.Sleep(200 * time.Millisecond)
	writer.Close()
	n, err := io.Copy(io.Discard, reader)
	if err != nil || n != 1000000 {
		t.Errorf("read %d bytes, %v; want 1000000", n, err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

func TestSIGINTKillsPHPCLI(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	cmd := hathiCLI(t).command(ctx, "-n", "-r", "echo 'ready'; while (true) { usleep(1000); }")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, len("ready"))); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if status := exitStatus(t, cmd.Wait()); status != 128+int(syscall.SIGINT) {
		t.Errorf("status %d, want death by SIGINT", status)
	}
}

// Go's runtime would show as threads; pcntl_fork is safe only with one.
func TestPHPCLIHasOneThread(t *testing.T) {
	r := hathiCLI(t).run(t, "", "-n", "-r", "echo count(scandir('/proc/self/task')) - 2;")
	if r != (result{stdout: "1"}) {
		t.Error(r)
	}
}
