package caddymodule

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/hathi-server/hathi/sapi"
	"github.com/hathi-server/hathi/worker"
)

// responseSink writes a response of PHP to a ResponseWriter of net/http.
type responseSink struct {
	w        http.ResponseWriter
	head     bool // a HEAD request
	http1    bool // HTTP/1.0 or 1.1
	started  bool // Head has been called
	bodyless bool // nothing may follow the header
}

var _ worker.Sink = (*responseSink)(nil)

// Informational sends a 1xx response and forgets its headers.
func (s *responseSink) Informational(status int, header sapi.HeaderBlock) {
	if status < 100 || status > 199 || status == http.StatusSwitchingProtocols {
		return
	}
	h := s.w.Header()
	saved := h.Clone()
	setHeaders(h, header)
	s.w.WriteHeader(status)
	clear(h)
	for name, values := range saved {
		h[name] = values
	}
}

// Head sends the status and the headers.
func (s *responseSink) Head(status int, header sapi.HeaderBlock, contentLength int64) {
	s.started = true
	if status < 100 || status > 999 {
		status = http.StatusInternalServerError // WriteHeader panics on it
	}
	s.bodyless = s.head || !bodyAllowed(status)
	h := s.w.Header()
	setHeaders(h, header)
	switch {
	case !bodyAllowed(status):
		delete(h, "Content-Length")
	case s.head && h["Content-Length"] != nil:
		// The application's word.
	case s.head && contentLength <= 0:
		// A framework leaves the body out itself, and a streamed one is not counted. An
		// entry without a value keeps quic-go from saying 0.
		h["Content-Length"] = nil
	case contentLength >= 0:
		h["Content-Length"] = []string{strconv.FormatInt(contentLength, 10)}
	}
	s.w.WriteHeader(status)
}

// Body sends a part of the body.
func (s *responseSink) Body(p []byte) error {
	if s.bodyless {
		return nil
	}
	_, err := s.w.Write(p)
	return err
}

// Flush sends what is buffered.
func (s *responseSink) Flush() error {
	return http.NewResponseController(s.w).Flush()
}

// Complete flushes a response that ends with its last byte: HTTP/1 with a
// Content-Length. Chunked, HTTP/2 and HTTP/3 responses, and what encode has
// compressed, have an end of their own that comes when the handler returns.
func (s *responseSink) Complete() bool {
	if !s.http1 || !s.started || (!s.bodyless && len(s.w.Header()["Content-Length"]) == 0) {
		return false
	}
	return s.Flush() == nil
}

// bodyAllowed is RFC 9110, section 6.4.1.
func bodyAllowed(status int) bool {
	return status >= 200 && status != http.StatusNoContent && status != http.StatusNotModified
}

// setHeaders puts PHP's headers into h. PHP's replace what the configuration set
// before, except for those that several parties add to.
func setHeaders(h http.Header, block sapi.HeaderBlock) {
	seen := make([]string, 0, 32) // names already replaced
	block.Each(func(name, value string) {
		name = http.CanonicalHeaderKey(name)
		switch name {
		case "", "Transfer-Encoding", "Trailer":
			// The framing is ours.
		case "Set-Cookie", "Vary", "Link":
			h[name] = append(h[name], value)
		default:
			if slices.Contains(seen, name) {
				h[name] = append(h[name], value)
				return
			}
			seen = append(seen, name)
			h[name] = []string{value}
		}
	})
}
