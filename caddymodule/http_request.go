package caddymodule

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/hathi-server/hathi/sapi"
)

// errContentLength is the answer to a Content-Length that is not a number.
var errContentLength = errors.New("invalid Content-Length header")

// fieldsOf reads the fields of a request of net/http that Caddy prepared.
func fieldsOf(r *http.Request, repl *caddy.Replacer) requestFields {
	q := requestFields{
		method:        r.Method,
		uri:           originalURI(r),
		query:         r.URL.RawQuery,
		protocol:      r.Proto,
		host:          r.Host,
		contentType:   r.Header.Get("Content-Type"),
		contentLength: r.Header.Get("Content-Length"),
		authorization: r.Header.Get("Authorization"),
	}
	if cookies := r.Header["Cookie"]; len(cookies) == 1 {
		q.cookie = cookies[0]
	} else if len(cookies) > 1 {
		q.cookie = strings.Join(cookies, "; ")
	}
	q.remoteAddr, q.remotePort = splitAddr(r.RemoteAddr)
	if r.TLS != nil {
		q.https = true
		q.tls, q.tlsCipher = r.TLS.Version, r.TLS.CipherSuite
	}
	q.fromTrustedProxy(r)
	if repl != nil {
		q.remoteUser, _ = repl.GetString("http.auth.user.id")
	}
	return q
}

// fromTrustedProxy takes the client's address and scheme from a proxy that
// trusted_proxies names, as nginx's realip module does.
func (q *requestFields) fromTrustedProxy(r *http.Request) {
	if trusted, _ := caddyhttp.GetVar(r.Context(), caddyhttp.TrustedProxyVarKey).(bool); !trusted {
		return
	}
	client, _ := caddyhttp.GetVar(r.Context(), caddyhttp.ClientIPVarKey).(string)
	if client != "" && client != q.remoteAddr {
		q.remoteAddr, q.remotePort = client, ""
	}
	switch proto := strings.ToLower(strings.TrimSpace(r.Header.Get("X-Forwarded-Proto"))); proto {
	case "https", "http":
		q.https = proto == "https"
	}
}

// originalURI is the request target as the client sent it.
func originalURI(r *http.Request) string {
	orig, ok := r.Context().Value(caddyhttp.OriginalRequestCtxKey).(http.Request)
	if !ok {
		orig = *r
	}
	if strings.HasPrefix(orig.RequestURI, "/") || orig.URL == nil {
		return orig.RequestURI
	}
	return orig.URL.RequestURI() // absolute-form (RFC 9112, section 3.2.2)
}

// validContentLength tells whether a Content-Length is a length. net/http checks
// it on HTTP/1 only.
func validContentLength(value string) bool {
	if value == "" {
		return true
	}
	n, err := strconv.ParseInt(value, 10, 64)
	return err == nil && n >= 0 && value[0] != '+'
}

// addHeaders adds all headers of a request. Host is a field of its own.
func addHeaders(rec *sapi.Record, header http.Header) {
	for name, values := range header {
		if name != "Host" {
			addHeader(rec, name, values)
		}
	}
}
