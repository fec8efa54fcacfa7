package worker

import (
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestDescribeExit(t *testing.T) {
	const core = 0x80
	for _, c := range []struct {
		status unix.WaitStatus // as wait(2) has it
		known  bool
		want   string
	}{
		{0, false, "ended; its status is not known"},
		{0, true, "exited with status 0"},
		{1 << 8, true, "exited with status 1"},
		{2 << 8, true, "exited with status 2 (a fatal signal in PHP or a panic in Go: see its last output)"},
		{255 << 8, true, "exited with status 255"},
		{9, true, "was killed by signal 9 (SIGKILL)"},
		{11 | core, true, "was killed by signal 11 (SIGSEGV), core dumped"},
	} {
		if got := describeExit(c.status, c.known); got != c.want {
			t.Errorf("%#x: %q, want %q", int(c.status), got, c.want)
		}
	}
}

func TestDelays(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		name  string
		delay func(int) time.Duration
		want  []time.Duration // for 0, 1, 2, 3, 4, 100
	}{
		{"respawn", respawnDelay, []time.Duration{0, 100 * ms, 400 * ms, 900 * ms, 1600 * ms, 5000 * ms}},
		{"boot", bootDelay, []time.Duration{0, 100 * ms, 400 * ms, 900 * ms, 1000 * ms, 1000 * ms}},
	} {
		var got []time.Duration
		for _, n := range []int{0, 1, 2, 3, 4, 100} {
			got = append(got, c.delay(n))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
