package caddymodule

import (
	"fmt"
	"os"

	"go.uber.org/zap"

	"github.com/caddyserver/caddy/v2"
)

// Validate checks a configuration of the user's (Caddy JSON) as far as that goes
// without PHP.
func Validate(config []byte) error {
	if err := validateServing(caddy.RemoveMetaFields(config)); err != nil {
		return err
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	p, err := newPlan(config, dir)
	if p == nil || err != nil {
		return err
	}
	return validateServing(p.serving)
}

// validateServing provisions a configuration and throws it away.
func validateServing(config []byte) error {
	var c *caddy.Config
	if err := caddy.StrictUnmarshalJSON(config, &c); err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	// What it logs, the processes log when they do the same. Validate makes the
	// configuration's default log that of this process, so that is put back.
	_, log, _ := caddy.BufferedLog()
	c.Logging = quietLogging(c.Logging)
	defer func() {
		caddy.BufferedLog()
		caddy.UnbufferDefaultLogger(log)
		zap.RedirectStdLog(log)
	}()
	return caddy.Validate(c)
}

// quietLogging is a configuration's logging, which is validated too, with a
// default log that gets errors only.
func quietLogging(l *caddy.Logging) *caddy.Logging {
	if l == nil {
		l = new(caddy.Logging)
	}
	if l.Logs == nil {
		l.Logs = make(map[string]*caddy.CustomLog)
	}
	if l.Logs["default"] == nil {
		l.Logs["default"] = new(caddy.CustomLog)
	}
	l.Logs["default"].Level = "ERROR"
	return l
}
