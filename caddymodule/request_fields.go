package caddymodule

import (
	"crypto/tls"
	"encoding/base64"
	"net"
	"strings"

	"github.com/hathi-server/hathi/sapi"
)

// serverSoftware is $_SERVER['SERVER_SOFTWARE'], by which applications know that
// they run in a server with worker scripts.
const serverSoftware = "FrankenPHP"

// requestFields is a request as PHP has to see it, independent of any HTTP
// library: fill turns it into a record.
type requestFields struct {
	method      string
	uri         string // as the client sent it, before any rewrite
	query       string
	protocol    string // HTTP/1.1
	host        string // with its port, if the client gave one
	contentType string

	contentLength string // "" without a body
	authorization string
	cookie        string // all Cookie fields, joined by "; "

	remoteAddr string // without a port
	remotePort string
	remoteUser string // who the server itself authenticated

	https     bool
	tls       uint16 // version, 0 without
	tlsCipher uint16

	documentRoot string
	script       script
}

// fill sets every field of the record but the headers and the site's env.
func (q *requestFields) fill(rec *sapi.Record) {
	rec.Set(sapi.FieldRemoteAddr, q.remoteAddr)
	rec.Set(sapi.FieldRemoteHost, q.remoteAddr)
	rec.Set(sapi.FieldRemotePort, q.remotePort)
	rec.Set(sapi.FieldDocumentRoot, q.documentRoot)

	rec.Set(sapi.FieldPathInfo, q.script.info)
	rec.Set(sapi.FieldPHPSelf, q.script.name+q.script.info)
	rec.Set(sapi.FieldDocumentURI, q.script.name)
	rec.Set(sapi.FieldScriptFilename, q.script.filename)
	rec.Set(sapi.FieldScriptName, q.script.name)
	if q.script.info != "" {
		// RFC 3875, section 4.1.6: only with PATH_INFO.
		rec.Set(sapi.FieldPathTranslated, strings.TrimSuffix(q.documentRoot, "/")+q.script.info)
	}

	scheme, https := "http", ""
	if q.https {
		scheme, https = "https", "on"
	}
	rec.Set(sapi.FieldHTTPS, https)
	rec.Set(sapi.FieldSSLProtocol, sslProtocol(q.tls))
	cipher := ""
	if q.tls != 0 {
		cipher = tls.CipherSuiteName(q.tlsCipher)
	}
	rec.Set(sapi.FieldSSLCipher, cipher)
	rec.Set(sapi.FieldRequestScheme, scheme)

	name, port := serverName(q.host, scheme)
	rec.Set(sapi.FieldServerName, name)
	rec.Set(sapi.FieldServerPort, port)
	rec.Set(sapi.FieldHTTPHost, q.host)

	rec.Set(sapi.FieldContentLength, q.contentLength)
	rec.Set(sapi.FieldContentType, q.contentType)
	rec.Set(sapi.FieldServerProtocol, q.protocol)
	rec.Set(sapi.FieldRequestURI, q.uri)
	rec.Set(sapi.FieldQueryString, q.query)
	rec.Set(sapi.FieldRequestMethod, q.method)
	rec.Set(sapi.FieldGatewayInterface, "CGI/1.1")
	rec.Set(sapi.FieldServerSoftware, serverSoftware)
	rec.Set(sapi.FieldAuthType, "")
	rec.Set(sapi.FieldRemoteIdent, "")

	if q.authorization != "" {
		rec.Set(sapi.FieldAuthorization, q.authorization)
	}
	if user := q.remoteUser; user != "" {
		rec.Set(sapi.FieldRemoteUser, user)
	} else if user := basicUser(q.authorization); user != "" {
		rec.Set(sapi.FieldRemoteUser, user)
	}
	if q.cookie != "" {
		rec.Set(sapi.FieldCookie, q.cookie)
	}
}

// serverName divides a Host into name and port. The port is that of the scheme
// when there is none; an IPv6 literal keeps its brackets (RFC 3875, section 4.1.14).
func serverName(host, scheme string) (name, port string) {
	port = "80"
	if scheme == "https" {
		port = "443"
	}
	name = host
	if i := strings.LastIndexByte(host, ':'); i >= 0 && strings.IndexByte(host[i:], ']') < 0 &&
		(strings.HasPrefix(host, "[") || strings.IndexByte(host, ':') == i) {
		name = host[:i]
		if host[i+1:] != "" {
			port = host[i+1:]
		}
	}
	return name, port
}

// sslProtocol names a TLS version as mod_ssl does.
func sslProtocol(version uint16) string {
	switch version {
	case tls.VersionTLS10:
		return "TLSv1"
	case tls.VersionTLS11:
		return "TLSv1.1"
	case tls.VersionTLS12:
		return "TLSv1.2"
	case tls.VersionTLS13:
		return "TLSv1.3"
	}
	return ""
}

// basicUser is the user of an "Authorization: Basic", "" in every other one.
func basicUser(authorization string) string {
	const scheme = "Basic "
	if len(authorization) < len(scheme) || !strings.EqualFold(authorization[:len(scheme)], scheme) {
		return ""
	}
	decoded, err := base64.StdEncoding.DecodeString(authorization[len(scheme):])
	if err != nil {
		return ""
	}
	user, _, ok := strings.Cut(string(decoded), ":")
	if !ok {
		return ""
	}
	return user
}

// splitAddr divides a connection's address into host and port. One that is not
// host:port, as of a Unix socket, is all host.
func splitAddr(addr string) (host, port string) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return addr, ""
	}
	return host, port
}

// addHeader adds a header under its HTTP_ name, its values joined. Proxy is left
// out: HTTP_PROXY is an environment variable to many libraries (httpoxy).
func addHeader(rec *sapi.Record, name string, values []string) {
	if len(values) == 1 && name != "Proxy" {
		rec.AddHeader(name, values[0])
		return
	}
	switch name {
	case "Proxy":
	case "Cookie":
		rec.AddHeader(name, strings.Join(values, "; "))
	default:
		rec.AddHeader(name, strings.Join(values, ", "))
	}
}
