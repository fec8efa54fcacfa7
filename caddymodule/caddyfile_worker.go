package caddymodule

import (
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
)

// defaultWatch is what `watch` without a pattern means.
const defaultWatch = "./**/*.{env,php,twig,yaml,yml}"

// unmarshalWorker reads a worker subdirective in its short or its block form; see
// grammar.go.
func unmarshalWorker(d *caddyfile.Dispenser) (*Worker, error) {
	w := new(Worker)
	if d.NextArg() {
		w.FileName = d.Val()
	}
	if d.NextArg() {
		switch value := d.Val(); value {
		case "": // an environment variable that is not set
		case "watch":
			w.Watch = append(w.Watch, defaultWatch)
		default:
			n, err := parseNumber(d, "worker", value, 0)
			if err != nil {
				return nil, err
			}
			w.Num = n
		}
	}
	if d.NextArg() {
		return nil, d.Errf("worker: unexpected %q after the file and the number", d.Val())
	}
	for nesting := d.Nesting(); d.NextBlock(nesting); {
		var err error
		switch d.Val() {
		case "file":
			w.FileName, err = oneArg(d)
		case "name":
			w.Name, err = oneArg(d)
		case "num":
			w.Num, err = number(d, 0)
		case "max_threads":
			w.MaxThreads, err = number(d, 0)
		case "env":
			err = unmarshalEnv(d, &w.Env)
		case "watch":
			if patterns := d.RemainingArgs(); len(patterns) > 0 {
				w.Watch = append(w.Watch, patterns...)
			} else {
				w.Watch = append(w.Watch, defaultWatch)
			}
		case "match":
			w.MatchPath = d.RemainingArgs()
			if len(w.MatchPath) == 0 {
				err = d.Err("match: want at least one path")
			}
		case "max_consecutive_failures":
			w.MaxConsecutiveFailures, err = number(d, -1)
		default:
			err = unknownSubdirective(d, workerSubdirectives)
		}
		if err != nil {
			return nil, err
		}
	}
	if w.FileName == "" {
		return nil, d.Err("worker: no file is given")
	}
	return w, nil
}

// unmarshalEnv reads `env <key> <value>` into env.
func unmarshalEnv(d *caddyfile.Dispenser, env *map[string]string) error {
	args := d.RemainingArgs()
	if len(args) != 2 || args[0] == "" {
		return d.Errf("env: want a name and a value, have %q", args)
	}
	if *env == nil {
		*env = make(map[string]string)
	}
	(*env)[args[0]] = args[1]
	return nil
}
