package caddymodule

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/caddyserver/caddy/v2/modules/caddypki"

	"github.com/hathi-server/hathi/worker"
)

func init() {
	caddy.RegisterModule(servingApp{})
}

// servingAppID is not for users: newPlan puts the app into the configuration of
// serving processes.
const servingAppID = "hathi.serving"

// servingApp knows the HTTP servers of a serving process, for the end of it.
type servingApp struct {
	// Directory is where Hathi was started.
	Directory string `json:"directory,omitempty"`
}

// CaddyModule returns the Caddy module information.
func (servingApp) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  servingAppID,
		New: func() caddy.Module { return new(servingApp) },
	}
}

// Provision comes before any app starts, and hooks into all HTTP servers, also
// those that automatic HTTPS adds.
func (a *servingApp) Provision(ctx caddy.Context) error {
	s := currentServing()
	if s == nil {
		return nil
	}
	if app, err := ctx.AppIfConfigured("http"); err == nil {
		for _, server := range app.(*caddyhttp.App).Servers {
			server.RegisterConnContext(servers.remember)
		}
	}
	// One process is enough to ask for the trust in an internal CA.
	if app, err := ctx.AppIfConfigured("pki"); err == nil && s.Slot() != 0 {
		no := false
		for _, ca := range app.(*caddypki.PKI).CAs {
			ca.InstallTrust = &no
		}
	}
	return nil
}

// Start does nothing.
func (*servingApp) Start() error { return nil }

// Stop does nothing.
func (*servingApp) Stop() error { return nil }

// serverSet has the HTTP/1 and HTTP/2 servers that had a connection.
type serverSet struct {
	mu  sync.Mutex
	set map[*http.Server]bool
}

var servers serverSet

func (s *serverSet) remember(ctx context.Context, _ net.Conn) context.Context {
	if server, ok := ctx.Value(http.ServerContextKey).(*http.Server); ok {
		s.mu.Lock()
		if s.set == nil {
			s.set = make(map[*http.Server]bool)
		}
		s.set[server] = true
		s.mu.Unlock()
	}
	return ctx
}

// drain waits until the servers, which are shutting down, have no request left.
func (s *serverSet) drain(ctx context.Context) error {
	for {
		// Not under the lock: Shutdown waits for Serve, which may be in remember.
		servers := s.take()
		if len(servers) == 0 {
			return nil
		}
		for server := range servers {
			if err := server.Shutdown(ctx); err != nil {
				return err
			}
		}
	}
}

func (s *serverSet) take() map[*http.Server]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	set := s.set
	s.set = nil
	return set
}

// StartServing runs a configuration that newPlan made in a serving process. It
// is the start function of worker.Main. stop returns when no request runs any
// more, or with an error when ctx ends before that.
func StartServing(payload []byte) (stop func(context.Context) error, err error) {
	if err := inDirectoryOf(payload, func() error { return caddy.Load(payload, true) }); err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "loading new config: "))
	}
	if s := worker.Current(); s != nil {
		s.SetLogger(caddy.Log().Named("php"))
	}
	return stopServing, nil
}

// stopServing stops accepting and waits. caddy.Stop starts the shutdown of the
// servers but waits for them only when Caddy itself ends the process.
func stopServing(ctx context.Context) error {
	if err := caddy.Stop(); err != nil {
		return err
	}
	if err := servers.drain(ctx); err != nil {
		return fmt.Errorf("requests still running: %w", err)
	}
	for !http3Quiet(time.Now()) {
		select {
		case <-time.After(http3Poll):
		case <-ctx.Done():
			return fmt.Errorf("HTTP/3 requests still running: %w", context.Cause(ctx))
		}
	}
	return nil
}

// http3Poll is how often the end looks whether HTTP/3 is quiet.
const http3Poll = 20 * time.Millisecond

// inDirectoryOf calls f in the directory that Hathi was started in. The worker
// script may have changed it at boot, and gets its own back.
func inDirectoryOf(payload []byte, f func() error) error {
	var config struct {
		Apps struct {
			Serving servingApp `json:"hathi.serving"`
		} `json:"apps"`
	}
	if err := decodeLoose(payload, &config); err != nil {
		return err
	}
	dir := config.Apps.Serving.Directory
	before, err := os.Getwd()
	if err != nil || dir == "" || before == dir {
		return f()
	}
	if err := os.Chdir(dir); err != nil {
		return err
	}
	defer func() {
		if err := os.Chdir(before); err != nil {
			caddy.Log().Warn("working directory of the worker script is gone", zap.Error(err))
		}
	}()
	return f()
}
