package caddymodule

import (
	"strconv"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
)

func init() {
	httpcaddyfile.RegisterGlobalOption("hathi", globalOption("hathi"))
}

// globalOption parses the global option and puts it under an app's name.
func globalOption(appID string) httpcaddyfile.UnmarshalGlobalFunc {
	return func(d *caddyfile.Dispenser, existing any) (any, error) {
		if existing != nil {
			return nil, d.Errf("%s: the global option is given twice", appID)
		}
		app := new(App)
		if err := app.UnmarshalCaddyfile(d); err != nil {
			return nil, err
		}
		return httpcaddyfile.App{Name: appID, Value: caddyconfig.JSON(app, nil)}, nil
	}
}

// UnmarshalCaddyfile reads the global option; see grammar.go.
func (a *App) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next() // the option's name
	if d.NextArg() {
		return d.ArgErr()
	}
	for d.NextBlock(0) {
		var err error
		switch name := d.Val(); name {
		case "processes":
			a.Processes, err = number(d, 0)
		case "php_ini":
			err = a.unmarshalPHPIni(d)
		case "worker":
			var w *Worker
			if w, err = unmarshalWorker(d); err != nil {
				break
			}
			if len(w.MatchPath) > 0 {
				return d.Err("worker: match is for workers in php_server or php")
			}
			for _, other := range a.Workers {
				if other.FileName == w.FileName {
					return d.Errf("worker: two global workers have the file %s", w.FileName)
				}
			}
			a.Workers = append(a.Workers, w)
		case "user":
			a.User, err = oneArg(d)
		case "group":
			a.Group, err = oneArg(d)
		case "php_thread":
			if a.PHPThread, err = oneArg(d); err == nil && a.PHPThread != "any" && a.PHPThread != "pinned" {
				err = d.Errf("php_thread: %q is neither any nor pinned", a.PHPThread)
			}
		case "stop_timeout":
			a.StopTimeout, err = duration(d)
		case "num_threads":
			a.NumThreads, err = number(d, 0)
		case "max_threads":
			a.MaxThreads, err = threadLimit(d)
		case "max_wait_time":
			a.MaxWaitTime, err = duration(d)
		case "max_idle_time":
			a.MaxIdleTime, err = duration(d)
		case "max_requests":
			a.MaxRequests, err = number(d, 0)
		default:
			err = unknownSubdirective(d, appSubdirectives)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// unmarshalPHPIni reads `php_ini <key> <value>` or a block of such lines.
func (a *App) unmarshalPHPIni(d *caddyfile.Dispenser) error {
	set := func(entry []string) error {
		if len(entry) != 2 {
			return d.Errf("php_ini: want a key and one value, have %q", strings.Join(entry, " "))
		}
		if a.PHPIni == nil {
			a.PHPIni = make(map[string]string)
		}
		a.PHPIni[entry[0]] = entry[1]
		return nil
	}
	args := d.RemainingArgs()
	if len(args) > 0 {
		return set(args)
	}
	empty := true
	for nesting := d.Nesting(); d.NextBlock(nesting); {
		empty = false
		if err := set(append([]string{d.Val()}, d.RemainingArgs()...)); err != nil {
			return err
		}
	}
	if empty {
		return d.Err("php_ini: want a key and a value, or a block of them")
	}
	return nil
}

// oneArg reads the one argument of a subdirective.
func oneArg(d *caddyfile.Dispenser) (string, error) {
	name := d.Val()
	args := d.RemainingArgs()
	if len(args) != 1 || args[0] == "" {
		return "", d.Errf("%s: want one value, have %q", name, strings.Join(args, " "))
	}
	return args[0], nil
}

// number reads a whole number of at least least. One that is empty, as from an
// environment variable that is not set, is 0.
func number(d *caddyfile.Dispenser, least int) (int, error) {
	name := d.Val()
	args := d.RemainingArgs()
	if len(args) == 0 || len(args) == 1 && args[0] == "" {
		return 0, nil
	}
	if len(args) > 1 {
		return 0, d.Errf("%s: want one number, have %q", name, strings.Join(args, " "))
	}
	return parseNumber(d, name, args[0], least)
}

func parseNumber(d *caddyfile.Dispenser, name, value string, least int) (int, error) {
	n, err := strconv.Atoi(value)
	if err != nil {
		return 0, d.Errf("%s: %q is not a number", name, value)
	}
	if n < least {
		return 0, d.Errf("%s: %d is less than %d", name, n, least)
	}
	return n, nil
}

// threadLimit reads a number, or "auto".
func threadLimit(d *caddyfile.Dispenser) (int, error) {
	name := d.Val()
	value, err := oneArg(d)
	if err != nil {
		return 0, err
	}
	if value == "auto" {
		return autoThreads, nil
	}
	return parseNumber(d, name, value, 1)
}

func duration(d *caddyfile.Dispenser) (caddy.Duration, error) {
	name := d.Val()
	value, err := oneArg(d)
	if err != nil {
		return 0, err
	}
	v, err := caddy.ParseDuration(value)
	if err != nil || v < 0 {
		return 0, d.Errf("%s: %q is not a duration such as 30s", name, value)
	}
	return caddy.Duration(v), nil
}

func unknownSubdirective(d *caddyfile.Dispenser, allowed []string) error {
	return d.Errf("unknown subdirective %q, allowed are: %s", d.Val(), strings.Join(allowed, ", "))
}

var _ caddyfile.Unmarshaler = (*App)(nil)
