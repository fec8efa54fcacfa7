package caddymodule

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"

	"go.uber.org/zap"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/hathi-server/hathi/sapi"
	"github.com/hathi-server/hathi/worker"
)

// serving is what a serving process has of its own: PHP and the master's
// sockets. *worker.Serving is one.
type serving interface {
	Script(name, file string) (int, bool)
	Serve(ctx context.Context, script int, rec *sapi.Record, sink worker.Sink) error
	Listen(network, address string) (*os.File, error)
	Slot() int
}

// currentServing returns this process's serving, nil in one that is none.
var currentServing = func() serving {
	if s := worker.Current(); s != nil {
		return s
	}
	return nil
}

var (
	errNoPHP  = errors.New("this process serves no PHP; start Hathi with `hathi run`")
	errNoFile = errors.New("File not found.") //nolint:staticcheck // PHP-FPM's words
)

// ServeHTTP answers a request with PHP.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request, _ caddyhttp.Handler) error {
	if h.php == nil {
		return caddyhttp.Error(http.StatusInternalServerError, errNoPHP)
	}
	if err := h.check(r); err != nil {
		reject(w, err)
		return nil
	}
	if r.ProtoMajor == 3 {
		http3Activity.requests.Add(1)
		defer http3Activity.requests.Add(-1)
	}
	repl, _ := r.Context().Value(caddy.ReplacerCtxKey).(*caddy.Replacer)
	root, err := h.documentRoot(r, repl)
	if err != nil {
		return caddyhttp.Error(http.StatusInternalServerError, err)
	}
	index, s, err := h.choose(r, root)
	if err != nil {
		return err
	}

	body, err := readBody(w, r, h.bodyTimeout)
	if err != nil {
		return err
	}
	defer body.close()

	q := fieldsOf(r, repl)
	q.documentRoot, q.script = root, s
	q.contentLength = body.length(q.contentLength)

	rec := sapi.NewRecord() // Serve gives it back
	q.fill(rec)
	addHeaders(rec, r.Header)
	for _, e := range h.env {
		value := e.value
		if e.dynamic && repl != nil {
			value = repl.ReplaceKnown(value, "")
		}
		rec.AddEnv(e.name, value)
	}
	body.set(rec)

	sink := responseSink{w: w, http1: r.ProtoMajor == 1, head: r.Method == http.MethodHead}
	err = h.php.Serve(r.Context(), index, rec, &sink)
	return h.finish(w, r, &sink, err)
}

// check finds requests that are answered with 400 before anything else happens.
func (h *Handler) check(r *http.Request) error {
	if orig, ok := r.Context().Value(caddyhttp.OriginalRequestCtxKey).(http.Request); ok && orig.URL != nil {
		if strings.IndexByte(orig.URL.Path, 0) >= 0 {
			return errInvalidPath
		}
	}
	if err := checkPath(r.URL, h.SplitPath); err != nil {
		return err
	}
	if !validContentLength(r.Header.Get("Content-Length")) {
		return errContentLength
	}
	return nil
}

// reject answers a request that is wrong in itself. It is not an error of the
// site, so handle_errors does not see it.
func reject(w http.ResponseWriter, err error) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(http.StatusBadRequest)
	_, _ = w.Write([]byte(err.Error() + "\n"))
}

// documentRoot returns the root for a request, absolute.
func (h *Handler) documentRoot(r *http.Request, repl *caddy.Replacer) (string, error) {
	if h.fixedRoot != "" {
		return h.fixedRoot, nil
	}
	var root string
	if h.Root == varsRoot {
		root, _ = caddyhttp.GetVar(r.Context(), "root").(string)
	} else {
		root = h.Root
	}
	if strings.Contains(root, "{") && repl != nil {
		root = repl.ReplaceAll(root, "")
	}
	if root == "" {
		root = "."
	}
	return caddy.FastAbs(root)
}

// choose finds what answers a request: one of the site's workers, by pattern or
// path; else the global worker of its script; else the script itself.
func (h *Handler) choose(r *http.Request, root string) (index int, s script, err error) {
	for i, w := range h.Workers {
		if len(w.match) > 0 {
			if ok, err := w.match.MatchWithError(r); err != nil {
				return 0, s, err
			} else if ok {
				return w.script, workerScript(w.FileName, root), nil
			}
			continue
		}
		name := h.sitePaths[i]
		if h.fixedRoot == "" {
			name = workerScript(w.FileName, root).name
		}
		if samePath(r.URL.Path, name) {
			return w.script, workerScript(w.FileName, root), nil
		}
	}
	s, ok := requestScript(r.URL.Path, root, h.SplitPath)
	if !ok {
		return 0, s, caddyhttp.Error(http.StatusNotFound, errNoFile)
	}
	if index, ok := h.siteWorker(s, root); ok {
		return index, s, nil
	}
	if index, ok := h.scripts.find(s.filename); ok {
		return index, s, nil
	}
	if info, err := os.Stat(s.filename); err != nil || !info.Mode().IsRegular() {
		return 0, s, caddyhttp.Error(http.StatusNotFound, fmt.Errorf("%w (%s)", errNoFile, s.filename))
	}
	return worker.Classic, s, nil
}

// siteWorker finds the site's worker whose URL path is the script's, for requests
// with PATH_INFO.
func (h *Handler) siteWorker(s script, root string) (int, bool) {
	for i, w := range h.Workers {
		if len(w.match) > 0 {
			continue
		}
		name := h.sitePaths[i]
		if h.fixedRoot == "" {
			name = workerScript(w.FileName, root).name
		}
		if name != "" && name == s.name {
			return w.script, true
		}
	}
	return 0, false
}

// finish turns the end of a request into what Caddy has to know about it.
func (h *Handler) finish(w http.ResponseWriter, r *http.Request, sink *responseSink, err error) error {
	switch {
	case err == nil && sink.started:
		return nil
	case sink.started:
		if r.Context().Err() != nil {
			return nil // the client has left
		}
		h.log.Error("response cut short", zap.String("uri", r.RequestURI), zap.Error(err))
		// A response that ends early must not look complete.
		panic(http.ErrAbortHandler)
	case r.Context().Err() != nil:
		return caddyhttp.Error(statusClientClosed, r.Context().Err())
	case errors.Is(err, worker.ErrUnavailable):
		w.Header().Set("Retry-After", "1")
		return caddyhttp.Error(http.StatusServiceUnavailable, err)
	case err == nil:
		err = worker.ErrFailed
	}
	return caddyhttp.Error(http.StatusInternalServerError, err)
}
