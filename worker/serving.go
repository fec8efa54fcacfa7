package worker

import (
	"context"
	"errors"
	"os"

	"github.com/hathi-server/hathi/sapi"
)

// Sink receives the response to one request, independent of any HTTP library.
// Its methods are called from one goroutine, in the order Informational*, Head, Body*, Flush*.
type Sink interface {
	// Informational sends a 1xx response (early hints).
	Informational(status int, header sapi.HeaderBlock)
	// Head is called once. contentLength is -1 when the response is streamed.
	Head(status int, header sapi.HeaderBlock, contentLength int64)
	// Body sends bytes that are valid only during the call.
	Body(p []byte) error
	// Flush sends what is buffered to the client.
	Flush() error
}

// Errors of Serve, for the caller to turn into a status.
var (
	// ErrUnavailable: the pool has no interpreter that can run (503).
	ErrUnavailable = errors.New("no PHP interpreter available")
	// ErrFailed: PHP ended without a response (500). The log has the reason.
	ErrFailed = errors.New("PHP ended without a response")
)

// Serving is a serving process's own view: its interpreter and its master.
type Serving struct{}

// Current returns the serving process's Serving, nil in every other process.
func Current() *Serving { return nil }

// Script returns the index of a worker script for Serve, and whether it is known.
// file is an absolute path with symlinks resolved; name may be "".
func (s *Serving) Script(name, file string) (int, bool) { return 0, false }

// Classic is the pool index of requests whose script runs from scratch.
const Classic = -1

// Serve runs one request to its end and returns when the response is with the
// sink. script is an index from Script, or Classic.
// ctx ends when the client goes away.
func (s *Serving) Serve(ctx context.Context, script int, rec *sapi.Record, sink Sink) error {
	return ErrUnavailable
}

// Listen asks the master for this process's socket on an address.
// network is "tcp", "udp" or "unix".
func (s *Serving) Listen(network, address string) (*os.File, error) { return nil, ErrUnavailable }

// Slot is this process's number, from 0.
func (s *Serving) Slot() int { return 0 }

// Main runs a serving process. start gets the generation's Payload and returns a
// function that stops accepting and waits for running requests. Main never returns.
func Main(start func(payload []byte) (stop func(context.Context) error, err error)) {
	os.Exit(1)
}
