package caddymodule

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/certmagic"

	"github.com/hathi-server/hathi/worker"
)

func init() {
	caddy.RegisterModule(new(master))
}

// masterAppID is not for users: wrapConfig puts the app around their configuration.
const masterAppID = "hathi.master"

// generation is a running set of processes; *worker.Generation is one.
type generation interface {
	Stop(ctx context.Context) error
	Processes() int
}

// startGeneration starts processes.
var startGeneration = func(ctx context.Context, cfg worker.Config) (generation, error) {
	g, err := worker.StartGeneration(ctx, cfg)
	if err != nil {
		return nil, err
	}
	return g, nil
}

// sockets are the master's, over all configurations.
var sockets = newSocketTable()

// master runs the user's configuration in serving processes. Caddy starts the
// new one of a reload before it stops the old one, so the sockets stay open.
type master struct {
	// Config is the user's configuration, as a string so that Caddy leaves its
	// "@id" fields alone.
	Config string `json:"config,omitempty"`

	log        *zap.Logger
	storage    certmagic.Storage
	lease      *lease
	generation generation
	grace      time.Duration
	stopOnce   sync.Once
}

// CaddyModule returns the Caddy module information.
func (*master) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  masterAppID,
		New: func() caddy.Module { return new(master) },
	}
}

// Provision prepares the master.
func (m *master) Provision(ctx caddy.Context) error {
	m.log = ctx.Logger()
	m.storage = ctx.Storage()
	return nil
}

// Start returns when every serving process accepts. On failure nothing is left
// running, and the error is kept for Load, since Caddy wraps it in its own words.
func (m *master) Start() error {
	err := m.start()
	if err != nil {
		startFailure.Store(&err)
		return err
	}
	running.set([]byte(m.Config))
	return nil
}

func (m *master) start() error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	p, err := newPlan([]byte(m.Config), dir)
	if err != nil {
		return err
	}
	if p == nil {
		summary.Store(new(Summary))
		return nil
	}
	// What is wrong with a configuration is found here, where it costs no fork.
	// This also makes the internal CA, before several processes would.
	if err := validateServing(p.serving); err != nil {
		return err
	}
	if err := m.shareStorage(p.generation.User, p.generation.Group); err != nil {
		return err
	}
	if p.rotatesLogs {
		m.log.Info("log files are not rotated, because several processes write to them; use logrotate with copytruncate")
	}
	m.lease = sockets.lease()
	m.grace = p.generation.Grace
	cfg := p.generation
	var bind bindError
	cfg.Listen = bind.remember(m.lease.listen)
	cfg.Log = m.log
	if m.generation, err = startGeneration(context.Background(), cfg); err != nil {
		m.lease.release()
		m.lease = nil
		return cmp.Or(bind.get(), err)
	}
	s := Summary{Processes: m.generation.Processes(), Addresses: p.addresses}
	for _, script := range cfg.Scripts {
		s.Workers = append(s.Workers, script.Name)
	}
	summary.Store(&s)
	m.log.Info("serving",
		zap.Int("processes", s.Processes),
		zap.Strings("addresses", s.Addresses),
		zap.Strings("workers", s.Workers))
	return nil
}

// shareStorage lets the serving processes use the certificate storage.
func (m *master) shareStorage(user, group string) error {
	if user == "" && group == "" {
		return nil
	}
	if dir := unreachable(m.storage, user, group); dir != "" {
		m.log.Warn("the user of the PHP processes cannot reach the certificate storage, so HTTPS will not work; set XDG_DATA_HOME, or the option storage file_system, to a directory that it can enter",
			zap.String("user", user), zap.String("directory", dir))
		return nil
	}
	return giveStorage(m.storage, user, group)
}

// bindFunc binds a socket of one slot.
type bindFunc func(network, address string, slot int) (*os.File, error)

// bindError keeps the first socket that could not be bound: it says more than
// what the process that asked for it makes of it.
type bindError struct {
	mu  sync.Mutex
	err error
}

func (b *bindError) remember(bind bindFunc) bindFunc {
	return func(network, address string, slot int) (*os.File, error) {
		file, err := bind(network, address, slot)
		if err != nil {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.err = cmp.Or(b.err, err)
		}
		return file, err
	}
}

func (b *bindError) get() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err
}

// Stop lets running requests finish. After a reload it does so beside the new
// processes; at the end of the server it waits for them.
func (m *master) Stop() error {
	if caddy.Exiting() || exiting.Load() {
		m.stop()
		draining.Wait()
		return nil
	}
	draining.Go(m.stop)
	return nil
}

// draining has the generations that end beside a new one.
var draining sync.WaitGroup

// Cleanup stops a generation that Caddy started but does not stop, because
// something else of the configuration failed.
func (m *master) Cleanup() error { return m.Stop() }

func (m *master) stop() {
	m.stopOnce.Do(func() {
		if m.generation == nil {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), m.grace+stopMargin)
		defer cancel()
		if err := m.generation.Stop(ctx); err != nil {
			m.log.Error("stopping PHP", zap.Error(err))
		}
		m.lease.release()
	})
}

// stopMargin is what a generation gets beyond the requests' time, to end processes.
const stopMargin = 5 * time.Second

// exiting tells that the server ends, so that Stop waits.
var exiting atomic.Bool

// SetExiting tells that the process ends after the next caddy.Stop, which then
// waits for running requests.
func SetExiting() { exiting.Store(true) }

// startFailure is why the last Start failed.
var startFailure atomic.Pointer[error]

// loading serializes changes of the configuration.
var loading sync.Mutex

// Load runs a configuration of the user's (Caddy JSON) in serving processes, in
// place of the one before. An unchanged one is left running unless force is set.
func Load(config []byte, force bool) error {
	loading.Lock()
	defer loading.Unlock()
	return load(config, force)
}

func load(config []byte, force bool) error {
	canonical, err := canonicalJSON(config)
	if err != nil {
		return err
	}
	wrapped, err := wrapConfig(canonical)
	if err != nil {
		return err
	}
	startFailure.Store(nil)
	if err := caddy.Load(wrapped, force); err != nil {
		if failure := startFailure.Swap(nil); failure != nil {
			return *failure
		}
		return err
	}
	autosave(canonical)
	return nil
}

// canonicalJSON makes configurations comparable.
func canonicalJSON(config []byte) ([]byte, error) {
	tree, err := decodeConfig(config)
	if err != nil || tree == nil {
		return []byte("null"), err
	}
	if err := indexIDs(tree, "/config", make(map[string]string)); err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	return json.Marshal(tree)
}

// autosave keeps the user's configuration for --resume, as Caddy does.
func autosave(config []byte) {
	var c struct {
		Admin struct {
			Config struct {
				Persist *bool `json:"persist"`
			} `json:"config"`
		} `json:"admin"`
	}
	if string(config) == "null" || json.Unmarshal(config, &c) != nil {
		return
	}
	if persist := c.Admin.Config.Persist; persist != nil && !*persist {
		return
	}
	err := os.MkdirAll(filepath.Dir(caddy.ConfigAutosavePath), 0o700)
	if err == nil {
		err = os.WriteFile(caddy.ConfigAutosavePath, config, 0o600)
	}
	if err != nil {
		caddy.Log().Error("configuration not saved for --resume", zap.Error(err))
	}
}

var (
	_ caddy.App          = (*master)(nil)
	_ caddy.Provisioner  = (*master)(nil)
	_ caddy.CleanerUpper = (*master)(nil)
)
