package caddymodule

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

func init() {
	httpcaddyfile.RegisterHandlerDirective("php", parsePHP)
	httpcaddyfile.RegisterDirective("php_server", parsePHPServer)
	httpcaddyfile.RegisterDirectiveOrder("php", "before", "file_server")
	httpcaddyfile.RegisterDirectiveOrder("php_server", "before", "file_server")
}

// parsePHP parses `php`; see grammar.go.
func parsePHP(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	handler := new(Handler)
	if err := handler.unmarshal(h.Dispenser, nil); err != nil {
		return nil, err
	}
	return handler, handler.finishCaddyfile(h)
}

// UnmarshalCaddyfile reads the `php` directive.
func (h *Handler) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	return h.unmarshal(d, nil)
}

// unmarshal reads the subdirectives of php and those of server, if it is not nil.
func (h *Handler) unmarshal(d *caddyfile.Dispenser, server *phpServer) error {
	d.Next() // the directive's name
	if d.NextArg() {
		return d.Errf("%s: unexpected %q; a matcher starts with /, @ or is *", h.directive(server), d.Val())
	}
	for nesting := d.Nesting(); d.NextBlock(nesting); {
		var err error
		switch d.Val() {
		case "root":
			h.Root, err = oneArg(d)
		case "split", "split_path":
			h.SplitPath = d.RemainingArgs()
			if len(h.SplitPath) == 0 {
				err = d.Err("split_path: want at least one delimiter")
			}
		case "env":
			err = unmarshalEnv(d, &h.Env)
		case "resolve_root_symlink":
			err = h.unmarshalResolve(d)
		case "request_body_timeout":
			var timeout caddy.Duration
			timeout, err = duration(d)
			h.RequestBodyTimeout = &timeout
		case "worker":
			var w *Worker
			if w, err = unmarshalWorker(d); err == nil {
				h.Workers = append(h.Workers, w)
			}
		case "name":
			h.Name, err = oneArg(d)
		case "hot_reload":
			err = h.unmarshalHotReload(d)
		default:
			known := false
			if server != nil {
				known, err = server.unmarshal(d)
			}
			if err == nil && !known {
				err = unknownSubdirective(d, h.subdirectives(server))
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (*Handler) directive(server *phpServer) string {
	if server != nil {
		return "php_server"
	}
	return "php"
}

func (*Handler) subdirectives(server *phpServer) []string {
	if server != nil {
		return phpServerSubdirectives
	}
	return phpSubdirectives
}

// unmarshalResolve reads resolve_root_symlink; bare, it leaves the default.
func (h *Handler) unmarshalResolve(d *caddyfile.Dispenser) error {
	args := d.RemainingArgs()
	if len(args) == 0 {
		return nil
	}
	v, err := strconv.ParseBool(args[0])
	if err != nil || len(args) > 1 {
		return d.Errf("resolve_root_symlink: want true or false, have %q", strings.Join(args, " "))
	}
	h.ResolveRootSymlink = &v
	return nil
}

// unmarshalHotReload keeps hot_reload as FrankenPHP's JSON has it.
func (h *Handler) unmarshalHotReload(d *caddyfile.Dispenser) error {
	hot := struct {
		Topic string   `json:"topic,omitempty"`
		Watch []string `json:"watch,omitempty"`
	}{Watch: d.RemainingArgs()}
	for nesting := d.Nesting(); d.NextBlock(nesting); {
		var err error
		switch d.Val() {
		case "topic":
			hot.Topic, err = oneArg(d)
		case "watch":
			hot.Watch = append(hot.Watch, d.RemainingArgs()...)
		default:
			err = unknownSubdirective(d, []string{"topic", "watch"})
		}
		if err != nil {
			return err
		}
	}
	h.HotReload = caddyconfig.JSON(hot, nil)
	return nil
}

// finishCaddyfile does what needs the site around the directive.
func (h *Handler) finishCaddyfile(helper httpcaddyfile.Helper) error {
	siteRoot, _ := helper.BlockState["root"].(string)
	for _, w := range h.Workers {
		w.FileName = siteWorkerFile(w.FileName, h.Root, siteRoot)
		// What the site gives every request its worker sees at boot too.
		for k, v := range h.Env {
			if _, ok := w.Env[k]; ok || strings.Contains(v, "{") {
				continue
			}
			if w.Env == nil {
				w.Env = make(map[string]string)
			}
			w.Env[k] = v
		}
	}
	if err := duplicateWorkers(h.Workers); err != nil {
		return helper.Err(err.Error())
	}
	return nil
}

// siteWorkerFile places a site's relative worker file: below the directive's own
// root, else below the working directory, else below the site's root when the
// file is only there.
func siteWorkerFile(file, root, siteRoot string) string {
	if filepath.IsAbs(file) {
		return file
	}
	if root != "" {
		if strings.Contains(root, "{") {
			return file
		}
		return filepath.Join(root, file)
	}
	if siteRoot == "" || strings.Contains(siteRoot, "{") {
		return file
	}
	if _, err := os.Stat(file); err == nil {
		return file
	}
	if below := filepath.Join(siteRoot, file); fileExists("worker", below) == nil {
		return below
	}
	return file
}

var _ caddyfile.Unmarshaler = (*Handler)(nil)
