package worker

import (
	"errors"

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
	// Complete sends a whole response to the client before Serve returns. It
	// returns false, having done nothing, where only the end of Serve can do so.
	Complete() bool
}

// Errors of Serve, for the caller to turn into a status.
var (
	// ErrUnavailable: the pool has no interpreter that can run (503).
	ErrUnavailable = errors.New("no PHP interpreter available")
	// ErrFailed: PHP ended without a response (500). The log has the reason.
	ErrFailed = errors.New("PHP ended without a response")
)
