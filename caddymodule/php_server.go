package caddymodule

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp/fileserver"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp/rewrite"
)

// phpServer has what php_server adds to php: which file a path means, and the
// file server for those that are not PHP.
type phpServer struct {
	index    string // "" is index.php
	noIndex  bool
	tryFiles []string // nil is the default
	noFiles  bool
}

const requestPath = "{http.request.uri.path}"

// unmarshal reads a subdirective of php_server's own and tells whether it was one.
func (s *phpServer) unmarshal(d *caddyfile.Dispenser) (known bool, err error) {
	switch d.Val() {
	case "index":
		s.index, err = oneArg(d)
		if s.index == "off" {
			s.index, s.noIndex = "", true
		}
	case "try_files":
		s.tryFiles = d.RemainingArgs()
		if len(s.tryFiles) == 0 {
			err = d.Err("try_files: want at least one file")
		}
	case "file_server":
		var value string
		if value, err = oneArg(d); err == nil && value != "off" {
			err = d.Errf("file_server: want off, have %q", value)
		}
		s.noFiles = true
	default:
		return false, nil
	}
	return true, err
}

// parsePHPServer parses `php_server`; see grammar.go. With the defaults it is
//
//	@dir {
//		file {path}/index.php
//		not path */
//	}
//	redir @dir {orig_path}/ 308
//
//	@try file {
//		try_files {path} {path}/index.php index.php
//		try_policy first_exist_fallback
//		split_path .php
//	}
//	rewrite @try {file.relative}{file.remainder}
//
//	@php path *.php *.php/*
//	php @php
//
//	file_server
//
// A worker with match answers before all that, except for files that exist.
func parsePHPServer(h httpcaddyfile.Helper) ([]httpcaddyfile.ConfigValue, error) {
	if !h.Next() {
		return nil, h.ArgErr()
	}
	matcher, err := h.ExtractMatcherSet()
	if err != nil {
		return nil, err
	}
	handler, server := new(Handler), new(phpServer)
	if err := handler.unmarshal(h.Dispenser, server); err != nil {
		return nil, err
	}
	if err := handler.finishCaddyfile(h); err != nil {
		return nil, err
	}
	files := new(fileserver.FileServer)
	if err := files.FinalizeUnmarshalCaddyfile(h); err != nil {
		return nil, err
	}
	subroute := caddyhttp.Subroute{Routes: server.routes(handler, files)}
	if matcher == nil {
		return []httpcaddyfile.ConfigValue{{Class: "route", Value: subroute}}, nil
	}
	return []httpcaddyfile.ConfigValue{{
		Class: "route",
		Value: route(matcher, handlerJSON(subroute, "subroute")),
	}}, nil
}

// routes makes the routes that php_server stands for.
func (s *phpServer) routes(handler *Handler, files *fileserver.FileServer) caddyhttp.RouteList {
	if len(handler.SplitPath) == 0 {
		handler.SplitPath = []string{defaultSplit}
	}
	files.Root = handler.Root
	php := handlerJSON(handler, "php")
	fileServer := handlerJSON(files, "file_server")

	var phpPaths caddyhttp.MatchPath
	for _, split := range handler.SplitPath {
		phpPaths = append(phpPaths, "*"+split, "*"+split+"/*")
	}

	var routes caddyhttp.RouteList
	if matched := matchedPaths(handler.Workers); len(matched) > 0 {
		if !s.noFiles {
			routes = append(routes, route(caddy.ModuleMap{
				"file": moduleJSON(fileserver.MatchFile{Root: handler.Root, TryFiles: []string{requestPath}}),
				"not":  notPath(phpPaths...),
			}, fileServer))
		}
		routes = append(routes, route(caddy.ModuleMap{"path": moduleJSON(matched)}, php))
	}

	if !s.noIndex {
		index := s.index
		if index == "" {
			index = "index.php"
		}
		dirIndex := requestPath + "/" + index
		tryFiles, policy := s.tryFiles, "first_exist_fallback"
		switch {
		case tryFiles == nil && s.noFiles:
			tryFiles = []string{dirIndex, index}
		case tryFiles == nil:
			tryFiles = []string{requestPath, dirIndex, index}
		case !strings.HasSuffix(tryFiles[len(tryFiles)-1], ".php"):
			policy = "first_exist"
		}
		if slices.Contains(tryFiles, dirIndex) {
			routes = append(routes, s.directoryRedirect(handler.Root, dirIndex))
		}
		routes = append(routes, route(caddy.ModuleMap{
			"file": moduleJSON(fileserver.MatchFile{
				Root: handler.Root, TryFiles: tryFiles, TryPolicy: policy, SplitPath: handler.SplitPath,
			}),
		}, handlerJSON(rewrite.Rewrite{URI: "{http.matchers.file.relative}{http.matchers.file.remainder}"}, "rewrite")))
	}

	routes = append(routes, route(caddy.ModuleMap{"path": moduleJSON(phpPaths)}, php))
	if !s.noFiles {
		routes = append(routes, route(nil, fileServer))
	}
	return routes
}

// directoryRedirect sends /dir to /dir/ where /dir has an index. The location is
// relative to the last segment of what was asked for, so that no spelling of a
// path (//host/..) can lead to another host; "./" keeps a segment with a colon
// from being a scheme.
func (*phpServer) directoryRedirect(root, dirIndex string) caddyhttp.Route {
	return route(caddy.ModuleMap{
		"file": moduleJSON(fileserver.MatchFile{Root: root, TryFiles: []string{dirIndex}}),
		"not":  notPath("*/"),
	}, handlerJSON(caddyhttp.StaticResponse{
		StatusCode: caddyhttp.WeakString(strconv.Itoa(http.StatusPermanentRedirect)),
		Headers: http.Header{
			"Location": {"./{http.request.orig_uri.path.file_escaped}/{http.request.orig_uri.prefixed_query}"},
		},
	}, "static_response"))
}

// matchedPaths collects the path patterns of all workers.
func matchedPaths(workers []*Worker) caddyhttp.MatchPath {
	var paths caddyhttp.MatchPath
	for _, w := range workers {
		for _, p := range w.MatchPath {
			if !slices.Contains(paths, p) {
				paths = append(paths, p)
			}
		}
	}
	return paths
}

func route(matcher caddy.ModuleMap, handler json.RawMessage) caddyhttp.Route {
	r := caddyhttp.Route{HandlersRaw: []json.RawMessage{handler}}
	if matcher != nil {
		r.MatcherSetsRaw = []caddy.ModuleMap{matcher}
	}
	return r
}

func handlerJSON(handler any, name string) json.RawMessage {
	return caddyconfig.JSONModuleObject(handler, "handler", name, nil)
}

func moduleJSON(v any) json.RawMessage { return caddyconfig.JSON(v, nil) }

func notPath(paths ...string) json.RawMessage {
	return moduleJSON(caddyhttp.MatchNot{MatcherSetsRaw: []caddy.ModuleMap{
		{"path": moduleJSON(caddyhttp.MatchPath(paths))},
	}})
}
