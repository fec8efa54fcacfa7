package caddymodule

import (
	"path/filepath"
	"strings"

	"github.com/caddyserver/caddy/v2"
)

// object is a JSON object of a configuration.
type object = map[string]any

// Serving processes share their working directory with PHP, which changes it. So
// the paths that are opened while requests run are made absolute before. What
// is read once, at a start, is read from the directory Hathi was started in.

// handlerPaths has the keys of handlers that are such paths.
var handlerPaths = map[string][]string{
	"vars":        {"root"},
	"php":         {"root"},
	"file_server": {"root"},
	"templates":   {"file_root"},
}

// absolutePaths makes the paths in a configuration absolute, below dir.
func absolutePaths(v any, dir string) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			absolutePaths(e, dir)
		}
	case object:
		if handler, ok := v["handler"].(string); ok {
			for _, key := range handlerPaths[handler] {
				absoluteKey(v, key, dir)
			}
			if handler == "file_server" {
				absoluteHidden(v, dir)
			}
		}
		switch {
		case v["protocol"] == "fastcgi":
			absoluteKey(v, "root", dir)
		case v["output"] == "file":
			absoluteKey(v, "filename", dir)
		case v["module"] == "file_system":
			absoluteKey(v, "root", dir)
		}
		if matcher, ok := v["file"].(object); ok {
			absoluteKey(matcher, "root", dir)
		}
		for _, e := range v {
			absolutePaths(e, dir)
		}
	}
}

func absoluteKey(o object, key, dir string) {
	if p, ok := o[key].(string); ok && p != "" {
		o[key] = absolutePath(p, dir)
	}
}

// absolutePath leaves a path alone that begins with a placeholder of a request.
func absolutePath(p, dir string) string {
	if strings.HasPrefix(p, "{") {
		p = caddy.NewReplacer().ReplaceKnown(p, "")
	}
	if p == "" || strings.HasPrefix(p, "{") || filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(dir, p)
}

// absoluteHidden makes the file server's hidden paths absolute; one without a
// separator is a name in any directory.
func absoluteHidden(o object, dir string) {
	hidden, _ := o["hide"].([]any)
	for i, e := range hidden {
		if p, ok := e.(string); ok && strings.ContainsRune(p, filepath.Separator) {
			hidden[i] = absolutePath(p, dir)
		}
	}
}

// defaultRoots gives the routes of a server that look for files without a root
// of their own the directory that Hathi was started in.
func defaultRoots(server object, dir string) {
	routes, _ := server["routes"].([]any)
	for _, e := range routes {
		r, _ := e.(object)
		if setsRoot(r) {
			if r["match"] == nil {
				return // in force for all that follow
			}
			continue
		}
		if !usesRoot(r) {
			continue
		}
		handlers, _ := r["handle"].([]any)
		r["handle"] = append([]any{object{"handler": "vars", "root": dir}}, handlers...)
	}
}

func setsRoot(v any) bool {
	return anyObject(v, func(o object) bool {
		return o["handler"] == "vars" && o["root"] != nil
	})
}

func usesRoot(v any) bool {
	return anyObject(v, func(o object) bool {
		switch o["handler"] {
		case "php", "file_server":
			return o["root"] == nil
		case "templates":
			return o["file_root"] == nil
		}
		matcher, ok := o["file"].(object)
		return ok && matcher["root"] == nil
	})
}

// anyObject tells whether an object inside v is so.
func anyObject(v any, is func(object) bool) bool {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			if anyObject(e, is) {
				return true
			}
		}
	case object:
		if is(v) {
			return true
		}
		for _, e := range v {
			if anyObject(e, is) {
				return true
			}
		}
	}
	return false
}
