package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"
	"golang.org/x/sys/unix"
)

// defaultGrace is how long running requests may take to finish at a stop.
const defaultGrace = 30 * time.Second

// killMargin is what a process gets beyond its grace before it is killed.
const killMargin = 2 * time.Second

// Generation is a template and everything forked from it.
type Generation struct {
	cfg   Config
	log   *zap.Logger
	creds *credentials
	ctx   context.Context // ends when the generation stops
	end   context.CancelCauseFunc

	mu       sync.Mutex
	stopping bool
	base     *template
	booted   *template // has the first script parked; nil without scripts or when it cannot be shared
	bootHere bool
	late     bool
	pinned   bool
	iniFiles string
	groups   []int
	children []*child // by slot; nil while one is replaced

	watchers sync.WaitGroup
}

// errStopped is why a start or a replacement was given up.
var errStopped = errors.New("stopped")

// StartGeneration starts PHP, boots the worker scripts and returns when every
// serving process accepts. On failure nothing is left running and the error
// says what failed, with PHP's own message where there is one.
func StartGeneration(ctx context.Context, cfg Config) (*Generation, error) {
	if cfg.Log == nil {
		cfg.Log = zap.NewNop()
	}
	if cfg.Grace <= 0 {
		cfg.Grace = defaultGrace
	}
	if cfg.Processes <= 0 {
		cfg.Processes = CPUs()
	}
	if len(cfg.Scripts) > 0 && cfg.Scripts[0].Num > 0 {
		cfg.Processes = min(cfg.Processes, cfg.Scripts[0].Num)
	}
	creds, err := lookupCredentials(cfg.User, cfg.Group)
	if err != nil {
		return nil, err
	}
	if creds == nil && os.Geteuid() == 0 {
		cfg.Log.Warn("PHP runs as root; set user and group to what the application needs")
	}
	g := &Generation{cfg: cfg, log: cfg.Log, creds: creds, children: make([]*child, cfg.Processes)}
	g.ctx, g.end = context.WithCancelCause(context.Background())
	stop := context.AfterFunc(ctx, func() { g.end(context.Cause(ctx)) })
	defer stop()
	if err := g.start(); err != nil {
		g.cleanup(0)
		return nil, err
	}
	return g, nil
}

func (g *Generation) start() error {
	if err := g.startBase(true); err != nil {
		return err
	}
	if err := g.bootScript(true); err != nil {
		return err
	}
	// The first process starts alone: what Caddy makes once, such as the internal
	// CA's root, is there when the others start.
	for slot := range g.children {
		if err := g.startSlot(slot); err != nil {
			return err
		}
		if slot == 0 {
			if err := g.awaitReady(g.children[0]); err != nil {
				return err
			}
		}
	}
	for _, c := range g.children[1:] {
		if err := g.awaitReady(c); err != nil {
			return err
		}
	}
	for slot, c := range g.children {
		g.watchers.Go(func() { g.supervise(slot, c) })
	}
	g.watchers.Go(g.superviseTemplates)
	return nil
}

// startBase starts the template. first: at the start of the generation.
func (g *Generation) startBase(first bool) error {
	t, err := startTemplate(g.ctx, &g.cfg, g.creds, g.late, g.log)
	if err != nil {
		return err
	}
	if !g.late && t.threads > 1 {
		g.log.Warn("an extension starts threads when PHP starts, so PHP cannot be forked warm: every process starts its own, without a shared OPcache",
			zap.Int("threads", t.threads-1), zap.String("extensions", t.extensions))
		g.retire(t)
		g.late, g.bootHere = true, true
		if t, err = startTemplate(g.ctx, &g.cfg, g.creds, true, g.log); err != nil {
			return err
		}
	}
	g.mu.Lock()
	g.base = t
	g.groups = append(g.groups, t.group)
	g.mu.Unlock()
	if !first || g.late {
		return nil
	}
	if err := g.checkOPcache(t.opcache); err != nil {
		return err
	}
	g.iniFiles = t.iniFiles
	g.log.Info("PHP started", zap.String("ini_files", t.iniFiles))
	g.decideThreads(t.extensions)
	return nil
}

// checkOPcache turns a missing OPcache into an error, except where the
// configuration itself turns it off.
func (g *Generation) checkOPcache(problem string) error {
	if problem == "" {
		return nil
	}
	for _, e := range g.cfg.PHPIni {
		if e.Key == "opcache.enable" && slices.Contains([]string{"0", "off", "Off", "false", "no", ""}, e.Value) {
			g.log.Warn("OPcache is off by php_ini opcache.enable: PHP compiles every script again for every request")
			return nil
		}
	}
	return fmt.Errorf("OPcache is off: %s", problem)
}

func (g *Generation) decideThreads(extensions string) {
	switch g.cfg.PHPThread {
	case "any":
	case "pinned":
		g.pinned = true
	default:
		if names := pinnedBy(extensions); len(names) > 0 {
			g.pinned = true
			g.log.Warn("PHP keeps to one thread because these extensions are not known to work on several; that costs about 15 us per request; php_thread any overrides it",
				zap.Strings("extensions", names))
		}
	}
}

// bootScript boots the first worker script in a template of its own.
func (g *Generation) bootScript(first bool) error {
	if len(g.cfg.Scripts) == 0 || g.bootHere {
		return nil
	}
	s := &g.cfg.Scripts[0]
	for failures := 1; ; failures++ {
		w, err := g.base.bootWorker(g.ctx, s)
		if err == nil {
			return g.useBooted(w, s)
		}
		giveUp := first && s.MaxConsecutiveFailures >= 0 && failures > s.MaxConsecutiveFailures
		if giveUp || g.ctx.Err() != nil || !g.base.alive() {
			return err
		}
		delay := bootDelay(failures)
		g.log.Error("worker script did not boot; it is run again", zap.Error(err), zap.Int("failures", failures), zap.Duration("after", delay))
		select {
		case <-time.After(delay):
		case <-g.ctx.Done():
			return context.Cause(g.ctx)
		}
	}
}

func (g *Generation) useBooted(w *template, s *Script) error {
	if len(w.problems) > 0 {
		g.log.Warn("the booted worker script cannot be shared between processes, so each boots its own; close what is named before the loop, or open it in Hathi\\after_fork()",
			zap.String("worker", s.File), zap.Strings("open", w.problems))
		w.ctl.close()
		g.bootHere = true
		return nil
	}
	g.mu.Lock()
	g.booted = w
	g.mu.Unlock()
	return nil
}

// startSlot forks a serving process.
func (g *Generation) startSlot(slot int) error {
	var s *Script
	if len(g.cfg.Scripts) > 0 {
		s = &g.cfg.Scripts[0]
	}
	g.mu.Lock()
	from, boot := g.base, s != nil
	if g.booted != nil {
		from, boot = g.booted, false
	}
	g.mu.Unlock()
	ctl, err := from.forkServing(slot, s, boot)
	if err != nil {
		return err
	}
	c, err := startChild(slot, ctl, &g.cfg, boot, g.pinned)
	if err != nil {
		return err
	}
	g.mu.Lock()
	g.children[slot] = c
	g.mu.Unlock()
	return nil
}

func (g *Generation) awaitReady(c *child) error {
	select {
	case <-c.ready:
		return nil
	case <-c.dead:
		if err := c.failure(); err != nil {
			return err
		}
		return fmt.Errorf("serving process %d (pid %d) %s before it was ready", c.slot, c.processID(), describeExit(c.exitStatus()))
	case <-g.ctx.Done():
		return context.Cause(g.ctx)
	}
}

// supervise replaces the serving process of a slot whenever it ends.
func (g *Generation) supervise(slot int, c *child) {
	failures := 0
	for {
		select {
		case <-c.dead:
		case <-g.ctx.Done():
			return
		}
		age := time.Since(c.started)
		status, known := c.exitStatus()
		if g.ctx.Err() != nil {
			return
		}
		if age < young {
			failures++
		} else {
			failures = 0
		}
		delay := respawnDelay(max(failures-1, 0))
		g.log.Error("serving process "+describeExit(status, known)+"; it is replaced",
			zap.Int("slot", slot), zap.Int("pid", c.processID()), zap.Duration("age", age), zap.Duration("after", delay))
		begin := time.Now()
		if c = g.replace(slot, delay, &failures); c == nil {
			return
		}
		g.log.Info("serving process replaced", zap.Int("slot", slot), zap.Int("pid", c.processID()), zap.Duration("took", time.Since(begin)))
	}
}

// replace forks until a process is ready, with growing pauses; nil when the
// generation stops.
func (g *Generation) replace(slot int, delay time.Duration, failures *int) *child {
	for {
		select {
		case <-time.After(delay):
		case <-g.ctx.Done():
			return nil
		}
		err := g.startSlot(slot)
		if err == nil {
			g.mu.Lock()
			c := g.children[slot]
			g.mu.Unlock()
			if err = g.awaitReady(c); err == nil {
				return c
			}
			c.kill()
		}
		if g.ctx.Err() != nil {
			return nil
		}
		*failures++
		delay = max(respawnDelay(*failures), 100*time.Millisecond)
		g.log.Error("serving process could not be replaced", zap.Int("slot", slot), zap.Error(err), zap.Duration("again_after", delay))
	}
}

// superviseTemplates starts a template that died again. Serving processes do not
// notice: they are the master's children.
func (g *Generation) superviseTemplates() {
	failures := 0
	for {
		g.mu.Lock()
		base, booted := g.base, g.booted
		g.mu.Unlock()
		var bootedDead chan struct{}
		if booted != nil {
			bootedDead = booted.dead
		}
		baseDead := base.dead
		if !base.alive() && booted != nil && booted.alive() {
			baseDead = nil
		}
		select {
		case <-baseDead:
		case <-bootedDead:
		case <-g.ctx.Done():
			return
		}
		if g.ctx.Err() != nil {
			return
		}
		begin := time.Now()
		var err error
		if !base.alive() {
			status, known := theReaper().status(base.pid, time.Second)
			g.log.Error("template "+describeExit(status, known)+"; it is started again", zap.Int("pid", base.pid))
			theReaper().retire(base.group)
			err = g.startBase(false)
		}
		if err == nil && booted != nil && !booted.alive() {
			g.log.Error("worker template ended; the worker script is booted again", zap.String("worker", g.cfg.Scripts[0].File))
			err = g.bootScript(false)
		}
		if g.ctx.Err() != nil {
			return
		}
		if err == nil {
			failures = 0
			g.log.Info("template is back", zap.Duration("took", time.Since(begin)))
			continue
		}
		failures++
		delay := max(respawnDelay(failures), 100*time.Millisecond)
		g.log.Error("template could not be started", zap.Error(err), zap.Duration("again_after", delay))
		select {
		case <-time.After(delay):
		case <-g.ctx.Done():
			return
		}
	}
}

// Stop lets running requests finish, up to the grace period, and ends every process.
func (g *Generation) Stop(ctx context.Context) error {
	g.mu.Lock()
	again := g.stopping
	g.stopping = true
	g.mu.Unlock()
	if again {
		return nil
	}
	g.end(errStopped)
	g.watchers.Wait()
	grace := g.cfg.Grace
	if deadline, ok := ctx.Deadline(); ok {
		grace = min(grace, time.Until(deadline))
	}
	return g.cleanup(grace)
}

// cleanup ends all processes: the serving ones with a grace, then the rest.
func (g *Generation) cleanup(grace time.Duration) error {
	g.end(errStopped)
	var late []string
	var wait sync.WaitGroup
	var mu sync.Mutex
	for _, c := range g.children {
		if c == nil {
			continue
		}
		wait.Go(func() {
			c.stop(grace)
			select {
			case <-c.dead:
			case <-time.After(grace + killMargin):
				c.kill()
				mu.Lock()
				late = append(late, fmt.Sprint(c.processID()))
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	for _, t := range []*template{g.booted, g.base} {
		if t != nil {
			g.retire(t)
		}
	}
	for _, group := range g.groups {
		// What PHP started and left behind ends with it.
		if !theReaper().empty(group, 100*time.Millisecond) {
			_ = unix.Kill(-group, unix.SIGKILL)
			theReaper().empty(group, time.Second)
		}
		theReaper().retire(group)
	}
	if len(late) > 0 {
		return fmt.Errorf("killed after the grace period of %v: pid %s", grace, strings.Join(late, ", "))
	}
	return nil
}

// retire lets a template end.
func (g *Generation) retire(t *template) {
	t.ctl.close()
	select {
	case <-t.dead:
	case <-time.After(time.Second):
	}
	if t.pid != 0 {
		theReaper().retire(t.group)
	}
}

// INIFiles returns the php.ini files that were read, comma-separated.
func (g *Generation) INIFiles() string { return g.iniFiles }

// Processes returns the number of serving processes.
func (g *Generation) Processes() int { return len(g.children) }
