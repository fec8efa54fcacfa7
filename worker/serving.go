package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/hathi-server/hathi/sapi"
)

// Serving is a serving process's own view: its interpreter and its master.
type Serving struct {
	cfg servingConfig
	ctl *control
	log *zap.Logger
	php *pool

	mu      sync.Mutex
	nextID  uint64
	answers map[uint64]chan socketAnswer
}

type socketAnswer struct {
	file *os.File
	err  error
}

var current atomic.Pointer[Serving]

// Current returns the serving process's Serving, nil in every other process.
func Current() *Serving { return current.Load() }

// Classic is the pool index of requests whose script runs from scratch.
const Classic = -1

// Script returns the index of a worker script for Serve, and whether it is known.
// file is an absolute path with symlinks resolved; name may be "".
func (s *Serving) Script(name, file string) (int, bool) {
	for i, script := range s.cfg.Scripts {
		if script.File == file && (name == "" || script.Name == name) {
			return i, true
		}
	}
	return 0, false
}

// Serve runs one request to its end and returns when the response is with the
// sink. script is an index from Script, or Classic. Serve takes rec over: it
// releases it, possibly later than it returns. ctx ends when the client goes away.
func (s *Serving) Serve(ctx context.Context, script int, rec *sapi.Record, sink Sink) error {
	return s.php.serve(ctx, script, rec, sink)
}

// Slot is this process's number, from 0.
func (s *Serving) Slot() int { return s.cfg.Slot }

// SetLogger sets where PHP's messages go. Before it is called they go to stderr.
func (s *Serving) SetLogger(log *zap.Logger) { s.php.setLogger(log) }

// Listen asks the master for this process's socket on an address.
// network is "tcp", "udp" or "unix".
func (s *Serving) Listen(network, address string) (*os.File, error) {
	answer := make(chan socketAnswer, 1)
	s.mu.Lock()
	s.nextID++
	id := s.nextID
	s.answers[id] = answer
	s.mu.Unlock()
	if err := s.ctl.sendMessage(message{Op: opListen, ID: id, Network: network, Address: address}, nil); err != nil {
		return nil, fmt.Errorf("listen %s %s: the master is gone: %w", network, address, err)
	}
	a := <-answer
	return a.file, a.err
}

// Main runs a serving process. start gets the generation's Payload and returns a
// function that stops accepting and waits for running requests. Main never returns.
func Main(start func(payload []byte) (stop func(context.Context) error, err error)) {
	fd, _ := sapi.ChildControl()
	os.Args = []string{"hathi"} // argv holds the process's title now
	// A thread in PHP keeps its P until sysmon takes it: with one P, Go would stall.
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(2)
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	ctl, err := newControl(fd)
	if err != nil {
		fmt.Fprintln(os.Stderr, "hathi:", err)
		os.Exit(1)
	}
	s := &Serving{ctl: ctl, answers: make(map[uint64]chan socketAnswer)}
	if err := s.greet(); err != nil {
		s.fail(err)
	}
	mode := sapi.ThreadAny
	if s.cfg.Pinned {
		mode = sapi.ThreadPinned
	}
	if os.Getenv("HATHI_DEBUG_THREADS") == "rotate" {
		mode = sapi.ThreadRotate
	}
	s.php = newPool(s.cfg.Scripts, sapi.NewInterpreter(mode), !s.cfg.BootHere && len(s.cfg.Scripts) > 0)
	current.Store(s)

	stops := make(chan time.Duration, 1)
	go s.read(stops)
	if s.cfg.BootHere {
		if err := s.php.bootFirst(s.cfg.Scripts[0].MaxConsecutiveFailures); err != nil {
			s.fail(err)
		}
	}
	stop, err := start(s.cfg.Payload)
	if err != nil {
		s.fail(err)
	}
	go s.php.watch()
	if err := ctl.sendMessage(message{Op: opReady}, nil); err != nil {
		s.fail(err)
	}
	s.finish(<-stops, stop)
}

// greet tells the master who we are and receives the configuration.
func (s *Serving) greet() error {
	if err := s.ctl.sendMessage(message{Op: opHello, PID: os.Getpid()}, nil); err != nil {
		return err
	}
	m, file, err := s.ctl.receiveMessage(make([]byte, packetMax))
	if err != nil {
		return err
	}
	if m.Op != opConfig || file == nil {
		return fmt.Errorf("expected the configuration from the master, got %q", m.Op)
	}
	text, err := readMemoryFile(file)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, &s.cfg)
}

func (s *Serving) fail(err error) {
	_ = s.ctl.sendMessage(message{Op: opFailed, Error: err.Error()}, nil)
	os.Exit(1)
}

// read handles the master's messages. A master that dies is a stop.
func (s *Serving) read(stops chan<- time.Duration) {
	buf := make([]byte, packetMax)
	for {
		m, file, err := s.ctl.receiveMessage(buf)
		if err != nil {
			if !errors.Is(err, io.EOF) {
				fmt.Fprintln(os.Stderr, "hathi: control socket:", err)
			}
			grace := time.Duration(s.cfg.Grace)
			select {
			case stops <- grace:
			default:
			}
			// Nobody is left to wait for a start that has not come to its end.
			time.AfterFunc(grace+killMargin, func() { os.Exit(1) })
			s.abandon()
			return
		}
		switch m.Op {
		case opSocket:
			s.answer(m, file)
		case opStop:
			select {
			case stops <- time.Duration(m.Grace):
			default:
			}
		}
	}
}

func (s *Serving) answer(m message, file *os.File) {
	s.mu.Lock()
	answer := s.answers[m.ID]
	delete(s.answers, m.ID)
	s.mu.Unlock()
	if answer == nil {
		return
	}
	switch {
	case m.Error != "":
		answer <- socketAnswer{err: errors.New(m.Error)}
	case file == nil:
		answer <- socketAnswer{err: errors.New("the master sent no socket")}
	default:
		answer <- socketAnswer{file: file}
	}
}

func (s *Serving) abandon() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, answer := range s.answers {
		answer <- socketAnswer{err: errors.New("the master is gone")}
		delete(s.answers, id)
	}
}

// finish ends the process: requests first, then the worker script's own end.
func (s *Serving) finish(grace time.Duration, stop func(context.Context) error) {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	// PHP may be stuck where nothing reaches it.
	time.AfterFunc(grace+killMargin/2, func() { os.Exit(0) })
	if err := stop(ctx); err != nil {
		fmt.Fprintf(os.Stderr, "hathi: serving process %d: %v\n", s.cfg.Slot, err)
	}
	s.php.close(ctx)
	os.Exit(0)
}
