package caddymodule

import (
	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
)

// The names of FrankenPHP's Caddy modules. The handler is http.handlers.php and
// the directives are php and php_server under both names; only the app differs.

func init() {
	caddy.RegisterModule(frankenphpApp{})
	httpcaddyfile.RegisterGlobalOption("frankenphp", globalOption("frankenphp"))
}

// frankenphpApp is App as `apps.frankenphp`.
type frankenphpApp struct{ App }

// CaddyModule returns the Caddy module information.
func (frankenphpApp) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "frankenphp",
		New: func() caddy.Module { return new(frankenphpApp) },
	}
}
