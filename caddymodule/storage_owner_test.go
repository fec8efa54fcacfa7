package caddymodule

import (
	"io/fs"
	"testing"
)

func TestMayEnter(t *testing.T) {
	for _, c := range []struct {
		mode         fs.FileMode
		owner, group int
		want         bool
	}{
		{0o755, 0, 0, true},
		{0o700, 0, 0, false},
		{0o700, 33, 0, true},
		{0o710, 0, 33, true},
		{0o701, 0, 33, false}, // the group's permission counts, not that of others
		{0o071, 33, 33, false},
	} {
		if got := mayEnter(c.mode, c.owner, c.group, 33, 33); got != c.want {
			t.Errorf("mode %o of %d:%d: %v, want %v", c.mode, c.owner, c.group, got, c.want)
		}
	}
}
