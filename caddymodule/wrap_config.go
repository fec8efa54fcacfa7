package caddymodule

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/caddyserver/caddy/v2"
)

// wrapConfig makes the configuration that the master's Caddy runs: the admin
// endpoint, logs and storage of the user's, and the whole of it in the master app.
func wrapConfig(config []byte) ([]byte, error) {
	var user struct {
		Admin   object          `json:"admin"`
		Logging any             `json:"logging"`
		Storage json.RawMessage `json:"storage"`
		Apps    struct {
			PKI json.RawMessage `json:"pki"`
		} `json:"apps"`
	}
	if err := decodeLoose(config, &user); err != nil {
		return nil, err
	}
	if user.Admin == nil {
		user.Admin = object{}
	}
	settings, _ := user.Admin["config"].(object)
	if settings == nil {
		settings = object{}
	}
	settings["persist"] = false // autosave keeps the user's, not this
	if settings["load"] != nil {
		settings["load"] = object{"module": "hathi", "load": settings["load"]}
	}
	user.Admin["config"] = settings

	apps := object{masterAppID: object{"config": string(config)}}
	if user.Apps.PKI != nil {
		apps["pki"] = user.Apps.PKI // for /pki/ of the admin endpoint and `hathi trust`
	}
	wrapped := object{"admin": user.Admin, "apps": apps}
	if user.Logging != nil {
		stopRotation(user.Logging)
		wrapped["logging"] = user.Logging
	}
	if user.Storage != nil {
		wrapped["storage"] = user.Storage
	}
	return json.Marshal(wrapped)
}

// decodeLoose decodes what v asks for and ignores the rest.
func decodeLoose(config []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(config))
	dec.UseNumber()
	if err := dec.Decode(v); err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	return nil
}

func init() {
	caddy.RegisterModule(configLoader{})
}

// configLoader wraps what the user's config loader (admin.config.load) gets.
type configLoader struct {
	LoadRaw json.RawMessage `json:"load,omitempty" caddy:"namespace=caddy.config_loaders inline_key=module"`

	loader caddy.ConfigLoader
}

// CaddyModule returns the Caddy module information.
func (configLoader) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "caddy.config_loaders.hathi",
		New: func() caddy.Module { return new(configLoader) },
	}
}

// Provision loads the user's loader.
func (l *configLoader) Provision(ctx caddy.Context) error {
	v, err := ctx.LoadModule(l, "LoadRaw")
	if err != nil {
		return err
	}
	l.loader = v.(caddy.ConfigLoader)
	return nil
}

// LoadConfig gets a configuration and wraps it.
func (l *configLoader) LoadConfig(ctx caddy.Context) ([]byte, error) {
	config, err := l.loader.LoadConfig(ctx)
	if err != nil || config == nil {
		return nil, err
	}
	if config, err = canonicalJSON(config); err != nil {
		return nil, err
	}
	return wrapConfig(config)
}

var (
	_ caddy.Provisioner  = (*configLoader)(nil)
	_ caddy.ConfigLoader = (*configLoader)(nil)
)
