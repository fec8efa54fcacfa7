package caddymodule

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/hathi-server/hathi/sapi"
)

const (
	// bodyInMemory is how much of a request body stays in memory; more goes to a file.
	bodyInMemory = 64 << 10
	// defaultBodyTimeout is how long a client may send nothing of its body.
	defaultBodyTimeout = 60 * time.Second
)

// requestBody is a request's body, read to its end before PHP is asked for, so
// that no interpreter waits for a client.
type requestBody struct {
	buf  *[]byte // pooled, nil without a body
	n    int64
	file *os.File // unlinked; nil when the body is in buf
}

var bodyPool = sync.Pool{New: func() any {
	b := make([]byte, bodyInMemory+1)
	return &b
}}

// readBody reads the whole body. The error has the status for the client.
func readBody(w http.ResponseWriter, r *http.Request, timeout time.Duration) (requestBody, error) {
	var b requestBody
	if r.Body == nil || r.Body == http.NoBody || r.ContentLength == 0 {
		return b, nil
	}
	src := io.Reader(r.Body)
	if timeout > 0 {
		stall := newStallReader(r.Body, http.NewResponseController(w), timeout)
		defer stall.stop()
		src = stall
	}
	b.buf = bodyPool.Get().(*[]byte)
	err := b.readFrom(src, r.ContentLength)
	if err != nil {
		b.close()
		return requestBody{}, bodyError(r.Context(), err)
	}
	return b, nil
}

// readFrom reads src into the buffer and, if it is longer, all into a file.
func (b *requestBody) readFrom(src io.Reader, length int64) error {
	n, err := io.ReadFull(src, *b.buf)
	b.n = int64(n)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		// The buffer is larger than the body; a body that is shorter than its
		// Content-Length has the same error.
		if length > 0 && b.n < length {
			return io.ErrUnexpectedEOF
		}
		return nil
	}
	if err != nil {
		return err
	}
	if b.file, err = bodyFile(); err != nil {
		return err
	}
	if _, err := b.file.Write(*b.buf); err != nil {
		return tempError{err}
	}
	// The buffer is in the file now and serves to copy the rest.
	rest, err := io.CopyBuffer(onlyWriter{b.file}, src, *b.buf)
	b.n += rest
	return err
}

// set gives the record the body. A file is the record's from then on.
func (b *requestBody) set(rec *sapi.Record) {
	switch {
	case b.file != nil:
		rec.SetBodyFile(b.file, b.n)
		b.file = nil
	case b.n > 0:
		rec.SetBody((*b.buf)[:b.n])
	}
}

// length is CONTENT_LENGTH: what the client said, else what came (a chunked body).
func (b *requestBody) length(header string) string {
	if header == "" && b.n > 0 {
		return strconv.FormatInt(b.n, 10)
	}
	return header
}

func (b *requestBody) close() {
	if b.file != nil {
		b.file.Close()
	}
	if b.buf != nil {
		bodyPool.Put(b.buf)
	}
	*b = requestBody{}
}

// bodyFile is a file without a name.
func bodyFile() (*os.File, error) {
	dir := os.TempDir()
	fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err == nil {
		return os.NewFile(uintptr(fd), dir+"/(request body)"), nil
	}
	f, err := os.CreateTemp(dir, "hathi-body-") // a file system without O_TMPFILE
	if err != nil {
		return nil, tempError{err}
	}
	if err := os.Remove(f.Name()); err != nil {
		f.Close()
		return nil, tempError{err}
	}
	return f, nil
}

// tempError is a failure on the server's side of a body.
type tempError struct{ error }

func (e tempError) Unwrap() error { return e.error }

// onlyWriter hides os.File's ReadFrom, which would not use our buffer.
type onlyWriter struct{ f *os.File }

func (w onlyWriter) Write(p []byte) (int, error) {
	n, err := w.f.Write(p)
	if err != nil {
		err = tempError{err}
	}
	return n, err
}

// statusClientClosed is nginx's status for a client that went away, as Caddy logs it.
const statusClientClosed = 499

// bodyError gives a failed read its status.
func bodyError(ctx context.Context, err error) error {
	if handled, ok := errors.AsType[caddyhttp.HandlerError](err); ok {
		return handled
	}
	status := http.StatusBadRequest
	_, tooLarge := errors.AsType[*http.MaxBytesError](err)
	_, ours := errors.AsType[tempError](err)
	switch {
	case tooLarge:
		status = http.StatusRequestEntityTooLarge
	case ours:
		status = http.StatusInternalServerError
	case errors.Is(err, os.ErrDeadlineExceeded):
		status = http.StatusRequestTimeout
	case ctx.Err() != nil:
		status = statusClientClosed
	}
	return caddyhttp.Error(status, fmt.Errorf("reading the request body: %w", err))
}

// stallReader fails a read that gets nothing within the timeout. It ends a
// blocked read with a deadline in the past, because Caddy sets deadlines of its
// own before each read.
type stallReader struct {
	r     io.Reader
	timer *time.Timer
	d     time.Duration
}

func newStallReader(r io.Reader, rc *http.ResponseController, d time.Duration) *stallReader {
	return &stallReader{r: r, d: d, timer: time.AfterFunc(d, func() {
		_ = rc.SetReadDeadline(time.Unix(1, 0))
	})}
}

func (s *stallReader) Read(p []byte) (int, error) {
	s.timer.Reset(s.d)
	return s.r.Read(p)
}

func (s *stallReader) stop() { s.timer.Stop() }
