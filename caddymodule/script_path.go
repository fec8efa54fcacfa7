package caddymodule

import (
	"errors"
	"net/url"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

// defaultSplit ends the script's part of a path when nothing else is configured.
const defaultSplit = ".php"

// script is what a request's path says about the script that answers it.
type script struct {
	name     string // SCRIPT_NAME: the script as a URL path
	info     string // PATH_INFO: the path after it
	filename string // SCRIPT_FILENAME: the script as a file
}

var (
	errInvalidPath   = errors.New("invalid request path")
	errAmbiguousPath = errors.New("invalid request path: its escaped and decoded forms name different scripts")
)

// checkPath rejects paths that mean one thing to a matcher and another to a file
// system: a NUL byte ends a file name in C, and a matcher with "%" in it judges
// the escaped path, where "%2f" separates nothing.
func checkPath(u *url.URL, splits []string) error {
	if strings.IndexByte(u.Path, 0) >= 0 {
		return errInvalidPath
	}
	if u.RawPath == "" {
		return nil
	}
	escaped, err := url.PathUnescape(caddyhttp.CleanPath(u.EscapedPath(), true))
	if err != nil {
		return errInvalidPath
	}
	fromEscaped, _, _ := splitPath(escaped, splits)
	decoded, _, _ := splitPath(caddyhttp.CleanPath(u.Path, true), splits)
	if fromEscaped != decoded {
		return errAmbiguousPath
	}
	return nil
}

// splitPath divides a clean path after the first delimiter that ends a path
// segment. ok tells whether there is one; without, name is the whole path.
//
// Delimiters are lower-case ASCII and match A-Z as a-z. Other bytes never match:
// a fold of Unicode would run a file as PHP whose name only looks like it.
func splitPath(p string, splits []string) (name, info string, ok bool) {
	at := -1
	for _, split := range splits {
		if i := splitEnd(p, split); i >= 0 && (at < 0 || i < at) {
			at = i
		}
	}
	if at < 0 {
		return p, "", false
	}
	return p[:at], p[at:], true
}

// splitEnd is the index after the first split in p that "/" or the end follows, or -1.
func splitEnd(p, split string) int {
	if split == "" {
		return -1
	}
	for i := 0; i+len(split) <= len(p); i++ {
		end := i + len(split)
		if (end == len(p) || p[end] == '/') && equalFoldASCII(p[i:end], split) {
			return end
		}
	}
	return -1
}

// equalFoldASCII compares s with lower, which is lower-case and as long.
func equalFoldASCII(s, lower string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= utf8.RuneSelf {
			return false
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

// requestScript finds the script that a path names below root. ok is false when
// the path names none.
func requestScript(p, root string, splits []string) (s script, ok bool) {
	if !strings.HasPrefix(p, "/") {
		p = "/" + p
	}
	name, info, ok := splitPath(caddyhttp.CleanPath(p, true), splits)
	if !ok {
		return script{}, false
	}
	// A clean path with a leading slash has no ".." that could leave the root.
	return script{name: name, info: info, filename: strings.TrimSuffix(root, "/") + name}, true
}

// workerScript is the script of a request that a worker's match pattern chose.
// A file outside the root has no URL path.
func workerScript(file, root string) script {
	s := script{filename: file}
	if rel, err := filepath.Rel(root, file); err == nil && filepath.IsLocal(rel) {
		s.name = "/" + filepath.ToSlash(rel)
	}
	return s
}

// samePath tells whether a request's path is a worker's URL path.
func samePath(requestPath, name string) bool {
	return name != "" && (requestPath == name || path.Clean("/"+requestPath) == name)
}
