package caddymodule

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

func init() {
	caddy.RegisterModule(Handler{})
}

// varsRoot is the site's root directive.
const varsRoot = "{http.vars.root}"

// Handler answers requests with PHP: http.handlers.php, the directive `php` and
// a part of `php_server`. It does not call the next handler.
type Handler struct {
	// Root is the document root. Default: the site's root. Without placeholders it
	// is made absolute once; with them it is looked up for each request and its
	// symlinks stay as they are.
	Root string `json:"root,omitempty"`

	// SplitPath has the endings of a script's name in a path; what follows is
	// PATH_INFO. Nothing else is run as PHP. ASCII. Default: .php
	SplitPath []string `json:"split_path,omitempty"`

	// ResolveRootSymlink resolves the symlinks of Root once, at a start or reload.
	// Default: true.
	ResolveRootSymlink *bool `json:"resolve_root_symlink,omitempty"`

	// Env overrides $_SERVER and is seen by getenv(). Values may have placeholders.
	Env map[string]string `json:"env,omitempty"`

	// Workers are the worker scripts of this site; they come before the global ones.
	Workers []*Worker `json:"workers,omitempty"`

	// RequestBodyTimeout is how long a client may send nothing of its body before it
	// gets 408; 0 leaves that to the server's read_idle_timeout, which stays an upper
	// limit in any case. Default: 60 s.
	RequestBodyTimeout *caddy.Duration `json:"request_body_timeout,omitempty"`

	// HotReload is FrankenPHP's. Kept; not in force.
	HotReload json.RawMessage `json:"hot_reload,omitempty"`

	// RouteGroup is FrankenPHP's, from generated configurations. Kept; not needed.
	RouteGroup string `json:"route_group,omitempty"`

	// Name is a label for the site.
	Name string `json:"name,omitempty"`

	// ServerIndex is FrankenPHP's, from generated configurations. Kept; not needed.
	ServerIndex int `json:"server_index,omitempty"`

	fixedRoot   string // "" when Root has placeholders
	bodyTimeout time.Duration
	env         []envEntry
	sitePaths   []string // URL path of each of Workers below fixedRoot, or ""
	scripts     *scriptIndex
	php         serving
	log         *zap.Logger
}

// envEntry is one of Env; dynamic values have placeholders.
type envEntry struct {
	name, value string
	dynamic     bool
}

// CaddyModule returns the Caddy module information.
func (Handler) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "http.handlers.php",
		New: func() caddy.Module { return new(Handler) },
	}
}

// Provision prepares the handler. It needs PHP only in a serving process.
func (h *Handler) Provision(ctx caddy.Context) error {
	h.log = ctx.Logger()
	if h.Root == "" {
		h.Root = varsRoot
	}
	if err := h.provisionRoot(); err != nil {
		return err
	}
	if err := h.provisionSplits(); err != nil {
		return err
	}
	for name, value := range h.Env {
		h.env = append(h.env, envEntry{name, value, strings.Contains(value, "{")})
	}
	slices.SortFunc(h.env, func(a, b envEntry) int { return strings.Compare(a.name, b.name) })

	h.bodyTimeout = defaultBodyTimeout
	if h.RequestBodyTimeout != nil {
		h.bodyTimeout = time.Duration(*h.RequestBodyTimeout)
	}
	if err := h.provisionWorkers(ctx); err != nil {
		return err
	}
	app, err := configuredApp(ctx)
	if err != nil {
		return err
	}
	return h.provisionScripts(app)
}

// provisionRoot fixes the root if it is one directory for all requests.
func (h *Handler) provisionRoot() error {
	if strings.Contains(h.Root, "{") {
		return nil
	}
	root, err := filepath.Abs(h.Root)
	if err != nil {
		return fmt.Errorf("root %s: %w", h.Root, err)
	}
	if h.ResolveRootSymlink == nil || *h.ResolveRootSymlink {
		if root, err = filepath.EvalSymlinks(root); err != nil {
			return fmt.Errorf("root %s: %w", h.Root, err)
		}
	}
	h.fixedRoot = root
	return nil
}

func (h *Handler) provisionSplits() error {
	if len(h.SplitPath) == 0 {
		h.SplitPath = []string{defaultSplit}
	}
	for i, split := range h.SplitPath {
		for _, c := range []byte(split) {
			if c >= 0x80 || c == 0 {
				return fmt.Errorf("split_path %q: only ASCII characters can end a script's name", split)
			}
		}
		if split == "" {
			return errors.New("split_path: a delimiter is empty")
		}
		h.SplitPath[i] = strings.ToLower(split)
	}
	return nil
}

func (h *Handler) provisionWorkers(ctx caddy.Context) error {
	for _, w := range h.Workers {
		if err := w.provision(h.fixedRoot); err != nil {
			return err
		}
		w.match = slices.Clone(w.MatchPath)
		if err := w.match.Provision(ctx); err != nil {
			return fmt.Errorf("worker %s: match: %w", w.Name, err)
		}
		h.sitePaths = append(h.sitePaths, workerScript(w.FileName, h.fixedRoot).name)
	}
	return nil
}

// provisionScripts finds the workers' numbers in this process.
func (h *Handler) provisionScripts(app *App) error {
	h.php = currentServing()
	if h.php == nil {
		return nil
	}
	h.scripts = newScriptIndex()
	for _, w := range app.Workers {
		n, ok := h.php.Script(w.Name, w.FileName)
		if !ok {
			return fmt.Errorf("worker %s: this process does not have it", w.Name)
		}
		h.scripts.add(w.FileName, n)
	}
	for _, w := range h.Workers {
		var ok bool
		if w.script, ok = h.php.Script(w.Name, w.FileName); !ok {
			return fmt.Errorf("worker %s: this process does not have it", w.Name)
		}
	}
	return nil
}

// Validate checks the workers.
func (h *Handler) Validate() error {
	for _, w := range h.Workers {
		if err := w.validate(); err != nil {
			return err
		}
	}
	return duplicateWorkers(h.Workers)
}

// duplicateWorkers rejects two workers of a site that would answer the same requests.
func duplicateWorkers(workers []*Worker) error {
	seen := make(map[string]bool, len(workers))
	for _, w := range workers {
		if len(w.MatchPath) > 0 {
			continue
		}
		if seen[w.FileName] {
			return fmt.Errorf("worker: two workers of the site have the file %s and no match", w.FileName)
		}
		seen[w.FileName] = true
	}
	return nil
}

var (
	_ caddy.Provisioner           = (*Handler)(nil)
	_ caddy.Validator             = (*Handler)(nil)
	_ caddyhttp.MiddlewareHandler = (*Handler)(nil)
)
