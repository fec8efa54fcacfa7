package main

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestAllCommandsAreThereOnce(t *testing.T) {
	seen := map[string]int{}
	for _, c := range rootCommand().Commands() {
		seen[c.Name()]++
	}
	for _, name := range strings.Fields(`run start stop reload adapt validate fmt version build-info list-modules environ
		hash-password trust untrust file-server respond reverse-proxy storage upgrade add-package remove-package
		manpage php-server php-cli`) {
		if seen[name] != 1 {
			t.Errorf("%s is there %d times", name, seen[name])
		}
	}
}

func TestRunHasCaddysFlags(t *testing.T) {
	cmd, _, err := rootCommand().Find([]string{"run"})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Fields("config adapter envfile environ resume watch pidfile pingback") {
		if cmd.Flags().Lookup(name) == nil {
			t.Errorf("no --%s", name)
		}
	}
	if cmd.Flags().ShorthandLookup("c") == nil {
		t.Error("no -c")
	}
}

// caddyError has the field of Caddy's error, whose type is not exported.
type caddyError struct{ ExitCode int }

func (*caddyError) Error() string { return "" }

func TestExitStatusOfAnError(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int
	}{
		{errors.New("x"), 1},
		{&statusError{3, errors.New("x")}, 3},
		{fmt.Errorf("wrapped: %w", &statusError{2, errors.New("x")}), 2},
		{&caddyError{3}, 3},
	} {
		if have := exitStatus(c.err); have != c.want {
			t.Errorf("%v: have %d, want %d", c.err, have, c.want)
		}
	}
}
