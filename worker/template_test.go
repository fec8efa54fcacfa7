package worker

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestPackStrings(t *testing.T) {
	for _, c := range []struct {
		strings []string
		want    string
	}{
		{nil, ""},
		{[]string{"worker", "/app/worker.php"}, "worker\x00/app/worker.php\x00"},
		{[]string{"a", "", "b"}, "a\x00\x00b\x00"},
		{[]string{"a\x00uid\x000", "b"}, "auid0\x00b\x00"}, // no string makes another
	} {
		if got := string(packStrings(c.strings...)); got != c.want {
			t.Errorf("%q: %q, want %q", c.strings, got, c.want)
		}
	}
	for _, s := range [][]string{{"a"}, {"a", "", "b"}, {"a", ""}} {
		if got := unpackStrings(packStrings(s...)); !slices.Equal(got, s) {
			t.Errorf("%q comes back as %q", s, got)
		}
	}
}

// What PHP reads from the text is what was configured.
func TestINITextIsReadByPHPAsConfigured(t *testing.T) {
	entries := []INI{
		{"memory_limit", "64M"},
		{"error_reporting", "E_ALL & ~E_DEPRECATED"},
		{"include_path", ".:/usr/share/php"},
		{"error_append_string", "a;b #c ~d (e) $f {g} |h^ !i&"},
		{"error_prepend_string", "<b>x = y</b>"},
		{"date.timezone", "Europe/Berlin"},
		{"user_agent", `it's "quoted" \n \\`},
		{"sys_temp_dir", `c:\dir\\x`},
		{"highlight.comment", "#FF8000"},
		{"open_basedir", ""},
		{"arg_separator.input", ";&"},
	}
	text := iniText(entries)
	if n := strings.Count(text, "\n"); n != len(entries) {
		t.Fatalf("%d lines for %d entries:\n%s", n, len(entries), text)
	}
	file := filepath.Join(t.TempDir(), "php.ini")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	binary := os.Getenv("HATHI_BIN")
	if binary == "" {
		binary = "../bin/hathi"
	}
	for _, e := range entries {
		out, err := exec.Command(binary, "php-cli", "-n", "-c", file, "-r", `echo ini_get($argv[1]);`, e.Key).CombinedOutput()
		want := e.Value
		if e.Key == "error_reporting" {
			want = "24575" // E_ALL without E_DEPRECATED
		}
		if err != nil || string(out) != want {
			t.Errorf("%s is %q, want %q (%v)", e.Key, out, want, err)
		}
	}
}
