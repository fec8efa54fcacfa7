package main

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/notify"
	"github.com/caddyserver/certmagic"
	"go.uber.org/zap"

	"github.com/hathi-server/hathi/caddymodule"
	"github.com/hathi-server/hathi/worker"
)

// signalAction is what the master does about a signal.
type signalAction int

const (
	ignoreSignal signalAction = iota
	stopGracefully
	stopAtOnce
	reloadConfig
	reopenLogs
)

// decideSignal decides about a signal by whether the server has started and
// whether it is stopping.
func decideSignal(sig os.Signal, started, stopping bool) signalAction {
	switch sig {
	case syscall.SIGTERM, syscall.SIGINT, syscall.SIGQUIT:
		if stopping || !started {
			return stopAtOnce
		}
		return stopGracefully
	case syscall.SIGUSR2, syscall.SIGHUP:
		if started && !stopping {
			return reloadConfig
		}
	case syscall.SIGUSR1:
		if started && !stopping {
			return reopenLogs
		}
	}
	return ignoreSignal
}

// signalHandler acts on the signals of the master.
type signalHandler struct {
	pidfile string // removed at the end

	mu     sync.Mutex
	source *configSource // nil before the server has started
}

func trapSignals() *signalHandler {
	h := new(signalHandler)
	signal.Ignore(syscall.SIGPIPE) // a closed stderr ends no server
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGQUIT,
		syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGHUP)
	go h.loop(signals)
	return h
}

// started tells the handler what to reload.
func (h *signalHandler) started(s configSource) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.source = &s
}

func (h *signalHandler) current() *configSource {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.source
}

func (h *signalHandler) loop(signals <-chan os.Signal) {
	stopping := false
	reloads := make(chan configSource, 1)
	go reloadLoop(reloads)
	for sig := range signals {
		source := h.current()
		log := caddy.Log().With(zap.String("signal", sig.String()))
		switch decideSignal(sig, source != nil, stopping || caddy.Exiting()) {
		case stopGracefully:
			stopping = true
			log.Info("stopping; running requests finish, the next such signal stops at once")
			go h.stop()
		case stopAtOnce:
			log.Warn("stopping at once")
			h.removePIDFile()
			status := caddy.ExitCodeForceQuit
			if source == nil {
				status = caddy.ExitCodeFailedStartup
			}
			worker.KillAll()
			os.Exit(status)
		case reloadConfig:
			select {
			case reloads <- *source:
			default: // one is waiting already
			}
		case reopenLogs:
			caddymodule.ReopenLogs()
		}
	}
}

func reloadLoop(reloads <-chan configSource) {
	for source := range reloads {
		caddy.Log().Info("reloading", zap.String("file", source.file))
		if err := source.reload(); err != nil {
			caddy.Log().Error("reload failed, what ran before still runs", zap.Error(err))
			continue
		}
		caddy.Log().Info("reloaded")
	}
}

// stop ends the server when its requests have finished. It is Caddy's own way to
// exit, which Caddy offers only for its own signals.
func (h *signalHandler) stop() {
	if err := notify.Stopping(); err != nil {
		caddy.Log().Error("service manager not told of the stop", zap.Error(err))
	}
	status := caddy.ExitCodeSuccess
	caddymodule.SetExiting()
	if err := caddy.Stop(); err != nil {
		caddy.Log().Error("stop", zap.Error(err))
		status = caddy.ExitCodeFailedQuit
	}
	certmagic.CleanUpOwnLocks(context.Background(), caddy.Log())
	h.removePIDFile()
	caddy.Log().Info("stopped")
	_ = caddy.Log().Sync()
	os.Exit(status)
}

func (h *signalHandler) removePIDFile() {
	if h.pidfile != "" {
		_ = os.Remove(h.pidfile)
	}
}
