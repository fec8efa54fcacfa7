package worker

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// child is the master's handle on one serving process.
type child struct {
	slot    int
	ctl     *control
	started time.Time

	ready chan struct{} // closed when it accepts
	dead  chan struct{} // closed at its end

	mu     sync.Mutex
	pid    int
	failed error // why it could not start
}

// startChild talks with a process that has just been forked.
func startChild(slot int, ctl *control, cfg *Config, bootHere, pinned bool) (*child, error) {
	c := &child{
		slot:    slot,
		ctl:     ctl,
		started: time.Now(),
		ready:   make(chan struct{}),
		dead:    make(chan struct{}),
	}
	text, err := json.Marshal(servingConfig{
		Slot: slot, Scripts: cfg.Scripts, BootHere: bootHere, Pinned: pinned, Grace: int64(cfg.Grace), Payload: cfg.Payload,
	})
	if err == nil {
		var f *os.File
		if f, err = memoryFile("hathi-serving", text); err == nil {
			err = ctl.sendMessage(message{Op: opConfig}, f)
			f.Close()
		}
	}
	if err != nil {
		ctl.close()
		return nil, fmt.Errorf("serving process %d: %w", slot, err)
	}
	go c.read(cfg)
	return c, nil
}

func (c *child) read(cfg *Config) {
	defer close(c.dead)
	defer c.ctl.close()
	buf := make([]byte, packetMax)
	for {
		m, file, err := c.ctl.receiveMessage(buf)
		if err != nil {
			return
		}
		if file != nil {
			file.Close() // nothing that a child sends has a descriptor
		}
		switch m.Op {
		case opHello:
			c.mu.Lock()
			c.pid = m.PID
			c.mu.Unlock()
		case opListen:
			answer := message{Op: opSocket, ID: m.ID}
			socket, err := cfg.Listen(m.Network, m.Address, c.slot)
			if err != nil {
				answer.Error = err.Error()
			}
			_ = c.ctl.sendMessage(answer, socket) // its death shows at the next receive
		case opReady:
			close(c.ready)
		case opFailed:
			c.mu.Lock()
			c.failed = errors.New(m.Error)
			c.mu.Unlock()
		}
	}
}

func (c *child) processID() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pid
}

func (c *child) failure() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failed
}

// stop asks the process to finish its requests and end.
func (c *child) stop(grace time.Duration) {
	_ = c.ctl.sendMessage(message{Op: opStop, Grace: int64(grace)}, nil)
}

func (c *child) kill() {
	if pid := c.processID(); pid > 0 {
		_ = unix.Kill(pid, unix.SIGKILL)
	}
}

// exitStatus is known when the process has ended.
func (c *child) exitStatus() (unix.WaitStatus, bool) {
	pid := c.processID()
	if pid <= 0 {
		return 0, false
	}
	return theReaper().status(pid, time.Second)
}
