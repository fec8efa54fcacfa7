package main

import (
	"bytes"
	"fmt"
	"os"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	"go.uber.org/zap"

	"github.com/hathi-server/hathi/caddymodule"
)

// watchInterval is how often --watch looks. What counts is the adapted
// configuration, which has imported files in it, so it is adapted each time.
const watchInterval = time.Second

// watchConfig loads the configuration when its file has changed. It never returns.
func watchConfig(source configSource) {
	log := func() *zap.Logger { return caddy.Log().Named("watcher") }
	if source.file == "" {
		log().Warn("--watch: the configuration did not come from a file")
		return
	}
	log().Info("watching the configuration file", zap.String("file", source.file))
	last, failed := source.config, ""
	for range time.Tick(watchInterval) {
		config, err := source.adapt()
		if err != nil {
			if err.Error() != failed { // once for each mistake
				failed = err.Error()
				log().Error("the configuration stays as it is", zap.Error(err))
			}
			continue
		}
		failed = ""
		if bytes.Equal(config, last) {
			continue
		}
		last = config
		if err := caddymodule.Load(config, false); err != nil {
			log().Error("the configuration stays as it is", zap.Error(err))
		}
	}
}

// adapt reads the configuration again, without the log lines of a start.
func (s configSource) adapt() ([]byte, error) {
	config, err := os.ReadFile(s.file)
	if err != nil || s.adapter == "" {
		return config, err
	}
	adapter := caddyconfig.GetAdapter(s.adapter)
	if adapter == nil {
		return nil, fmt.Errorf("unrecognized config adapter %q", s.adapter)
	}
	config, _, err = adapter.Adapt(config, map[string]any{"filename": s.file})
	return config, err
}
