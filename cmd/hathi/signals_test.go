package main

import (
	"os"
	"syscall"
	"testing"
)

func TestSignalsStopReloadAndReopen(t *testing.T) {
	for _, c := range []struct {
		sig               os.Signal
		started, stopping bool
		want              signalAction
	}{
		{syscall.SIGTERM, true, false, stopGracefully},
		{syscall.SIGINT, true, false, stopGracefully},
		{syscall.SIGQUIT, true, false, stopGracefully},
		{syscall.SIGTERM, true, true, stopAtOnce},
		{syscall.SIGINT, true, true, stopAtOnce},
		{syscall.SIGINT, false, false, stopAtOnce},
		{syscall.SIGUSR2, true, false, reloadConfig},
		{syscall.SIGHUP, true, false, reloadConfig},
		{syscall.SIGHUP, false, false, ignoreSignal},
		{syscall.SIGUSR2, true, true, ignoreSignal},
		{syscall.SIGUSR1, true, false, reopenLogs},
		{syscall.SIGWINCH, true, false, ignoreSignal},
	} {
		if have := decideSignal(c.sig, c.started, c.stopping); have != c.want {
			t.Errorf("%+v: have %d", c, have)
		}
	}
}
