package main_test

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A new user's mistakes: each is one line on stderr that says what to do about
// which file, and an exit status that is not 0.
func TestMistakesAreOneClearLine(t *testing.T) {
	root := plainCopy(t,
		"ends.php", "$x = 1;",
		"prints.php", "echo 'no .env file'; exit(1);",
		"throws.php", "\nthrow new LogicException('no database');",
		"lines.php", "echo \"one\\ntwo\\n\"; throw new LogicException(\"no\\ndatabase\");",
		"syntax.php", "\n$x = = 1;")
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	empty := t.TempDir()
	writeFile(t, filepath.Join(empty, "php.ini"), "")
	worker := func(script string) string { return workerConfig(root, script, "processes 2") }
	good := worker("worker.php")
	for name, c := range map[string]struct {
		config string
		env    []string
		want   []string
	}{
		"missing worker file": {config: worker("nowhere.php"), want: []string{
			"the file " + root + "/nowhere.php does not exist"}},
		"worker file that is a directory": {config: worker("include"), want: []string{
			root + "/include is a directory"}},
		"worker that ends at once": {config: worker("ends.php"), want: []string{
			"worker " + root + "/ends.php: the script ended with exit status 0 without calling frankenphp_handle_request()"}},
		"worker that prints and exits": {config: worker("prints.php"), want: []string{
			"the script ended with exit status 1", "it printed: no .env file"}},
		"worker that throws": {config: worker("throws.php"), want: []string{
			"PHP Fatal error: Uncaught LogicException: no database in " + root + "/throws.php:3\n"}},
		"worker that speaks in several lines": {config: worker("lines.php"), want: []string{
			"Uncaught LogicException: no database in " + root + "/lines.php:2; it printed: one two\n"}},
		"parse error": {config: worker("syntax.php"), want: []string{
			`PHP Parse error: syntax error, unexpected token "=" in ` + root + "/syntax.php on line 3"}},
		"port taken": {config: good + fmt.Sprintf("\nhttp://%s {\n\trespond hello\n}\n", taken.Addr()), want: []string{
			strings.TrimPrefix(taken.Addr().String(), "127.0.0.1"), "address already in use"}},
		"unknown directive": {config: strings.Replace(good, "php_server", "php_severe", 1), want: []string{
			"unrecognized directive: php_severe", "Caddyfile:"}},
		"unknown option": {config: workerConfig(root, "worker.php", "proceses 2"), want: []string{
			`unknown subdirective "proceses", allowed are: `, "processes", "Caddyfile:"}},
		"unknown user": {config: workerConfig(root, "worker.php", "user nobody-at-all"), want: []string{
			`user "nobody-at-all"`}},
		"no OPcache": {config: good, env: []string{"PHP_INI_SCAN_DIR=" + empty, "PHPRC=" + empty}, want: []string{
			"OPcache is off: the extension is not loaded: install php-opcache for this PHP, or add zend_extension=opcache to php.ini"}},
		"OPcache turned off in php.ini": {config: good, env: []string{"PHP_INI_SCAN_DIR=:" + offINI(t)}, want: []string{
			"OPcache is off: opcache.enable is 0: set it to 1 in php.ini"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, c.config, c.env...)
			s.launch()
			if status := s.wait(); status <= 0 {
				t.Errorf("exit status %d", status)
			}
			var said []string
			for line := range strings.Lines(s.log.String()) {
				switch {
				case !strings.HasPrefix(line, "{"):
					said = append(said, line)
				case strings.Contains(line, `"level":"error"`) && !strings.Contains(line, `"msg":"PHP `):
					t.Errorf("also in the log: %s", line)
				}
			}
			if len(said) != 1 {
				t.Fatalf("%d lines on stderr, want 1:\n%s", len(said), strings.Join(said, ""))
			}
			for _, want := range append(c.want, "hathi: ") {
				if !strings.Contains(said[0], want) {
					t.Errorf("%q is not in: %s", want, said[0])
				}
			}
			if left := s.processes(); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func offINI(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "99-off.ini"), "opcache.enable=0\n")
	return dir
}

func TestAMissingLibphpIsNamed(t *testing.T) {
	binary, err := os.ReadFile(hathiBinary(t))
	if err != nil {
		t.Fatal(err)
	}
	// The name of the library that the dynamic linker looks for, with another end.
	at := bytes.Index(binary, []byte("\x00libphp"))
	if at < 0 {
		t.Fatal("the binary does not name libphp")
	}
	name, _, _ := bytes.Cut(binary[at+1:], []byte{0})
	missing := bytes.Replace(name, []byte("libphp"), []byte("libphq"), 1)
	file := filepath.Join(openDir(t), "hathi")
	if err := os.WriteFile(file, bytes.ReplaceAll(binary, name, missing), 0o755); err != nil {
		t.Fatal(err)
	}
	s := newServer(t, "")
	s.cmd.Path, s.cmd.Args = file, []string{file, "version"}
	s.launch()
	if status := s.wait(); status != 127 {
		t.Errorf("exit status %d", status)
	}
	if log := s.log.String(); strings.Count(log, "\n") != 1 || !strings.Contains(log, string(missing)+": cannot open shared object file") {
		t.Errorf("stderr: %s", log)
	}
}
