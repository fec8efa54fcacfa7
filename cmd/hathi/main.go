// Command hathi is a PHP application server: Caddy with one PHP per core.
package main

import (
	"errors"
	"fmt"
	"os"
	"reflect"

	"github.com/caddyserver/caddy/v2"
	_ "github.com/caddyserver/caddy/v2/modules/standard"

	"github.com/hathi-server/hathi/caddymodule"
	"github.com/hathi-server/hathi/sapi"
	"github.com/hathi-server/hathi/worker"
)

func main() {
	// A serving process was forked from a template and has no command line.
	if sapi.CurrentRole() == sapi.RoleServing {
		worker.Main(caddymodule.StartServing)
		return
	}
	root := rootCommand()
	if err := root.Execute(); err != nil {
		os.Exit(exitStatus(err))
	}
}

// statusError ends the program with an exit status.
type statusError struct {
	status int
	err    error
}

func (e *statusError) Error() string { return e.err.Error() }
func (e *statusError) Unwrap() error { return e.err }

// failed is the end of a command of ours: one line on stderr and status 1.
func failed(err error) error {
	fmt.Fprintf(os.Stderr, "%s: %v\n", programName(), err)
	return &statusError{caddy.ExitCodeFailedStartup, err}
}

// exitStatus is the exit status of a command's error. Caddy's own commands have
// theirs in a type that it does not export.
func exitStatus(err error) int {
	if e, ok := errors.AsType[*statusError](err); ok {
		return e.status
	}
	if v := reflect.ValueOf(err); v.Kind() == reflect.Pointer && v.Elem().Kind() == reflect.Struct {
		if code := v.Elem().FieldByName("ExitCode"); code.IsValid() && code.CanInt() {
			return int(code.Int())
		}
	}
	return caddy.ExitCodeFailedStartup
}
