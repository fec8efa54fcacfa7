package caddymodule

import (
	"crypto/tls"
	"testing"

	"github.com/hathi-server/hathi/sapi"
)

func TestFieldsOfARecord(t *testing.T) {
	q := requestFields{
		method: "POST", uri: "/x.php/p?a=1", query: "a=1", protocol: "HTTP/2.0", host: "[::1]:8443",
		contentType: "text/plain", contentLength: "5", authorization: "Basic bWU6c2VjcmV0", cookie: "a=1; b=2",
		remoteAddr: "10.0.0.9", remotePort: "4711",
		https: true, tls: tls.VersionTLS13, tlsCipher: tls.TLS_AES_128_GCM_SHA256,
		documentRoot: "/srv", script: script{"/x.php", "/p", "/srv/x.php"},
	}
	rec := sapi.NewRecord()
	defer rec.Release()
	q.fill(rec)
	for field, want := range map[sapi.Field]string{
		sapi.FieldRemoteAddr:       "10.0.0.9",
		sapi.FieldRemoteHost:       "10.0.0.9",
		sapi.FieldRemotePort:       "4711",
		sapi.FieldDocumentRoot:     "/srv",
		sapi.FieldPathInfo:         "/p",
		sapi.FieldPHPSelf:          "/x.php/p",
		sapi.FieldDocumentURI:      "/x.php",
		sapi.FieldScriptFilename:   "/srv/x.php",
		sapi.FieldScriptName:       "/x.php",
		sapi.FieldHTTPS:            "on",
		sapi.FieldSSLProtocol:      "TLSv1.3",
		sapi.FieldSSLCipher:        "TLS_AES_128_GCM_SHA256",
		sapi.FieldRequestScheme:    "https",
		sapi.FieldServerName:       "[::1]",
		sapi.FieldServerPort:       "8443",
		sapi.FieldContentLength:    "5",
		sapi.FieldServerProtocol:   "HTTP/2.0",
		sapi.FieldHTTPHost:         "[::1]:8443",
		sapi.FieldRequestURI:       "/x.php/p?a=1",
		sapi.FieldGatewayInterface: "CGI/1.1",
		sapi.FieldServerSoftware:   "FrankenPHP",
		sapi.FieldAuthType:         "",
		sapi.FieldRemoteIdent:      "",
		sapi.FieldContentType:      "text/plain",
		sapi.FieldQueryString:      "a=1",
		sapi.FieldRequestMethod:    "POST",
		sapi.FieldPathTranslated:   "/srv/p",
		sapi.FieldRemoteUser:       "me",
		sapi.FieldAuthorization:    "Basic bWU6c2VjcmV0",
		sapi.FieldCookie:           "a=1; b=2",
	} {
		if have := rec.Get(field); have != want {
			t.Errorf("field %d: have %q, want %q", field, have, want)
		}
	}
}

func TestREQ06ServerNameAndPortOfAHost(t *testing.T) {
	for _, c := range []struct{ host, scheme, name, port string }{
		{"example.com", "http", "example.com", "80"},
		{"example.com", "https", "example.com", "443"},
		{"example.com:8080", "https", "example.com", "8080"},
		{"example.com:", "http", "example.com", "80"},
		{"[::1]", "http", "[::1]", "80"},
		{"[::1]:8080", "http", "[::1]", "8080"},
		{"[2001:db8::1%25eth0]:1", "http", "[2001:db8::1%25eth0]", "1"},
		{"127.0.0.1:80", "http", "127.0.0.1", "80"},
		{"", "http", "", "80"},
	} {
		if name, port := serverName(c.host, c.scheme); name != c.name || port != c.port {
			t.Errorf("%s %s: have %q, %q, want %q, %q", c.scheme, c.host, name, port, c.name, c.port)
		}
	}
}

func TestREQ08BasicUser(t *testing.T) {
	for in, want := range map[string]string{
		"":                        "",
		"Basic bWU6c2VjcmV0":      "me",
		"basic bWU6c2VjcmV0":      "me",
		"Basic bWU6YTpi":          "me",
		"Basic bWU=":              "", // no colon
		"Basic !":                 "",
		"Bearer bWU6c2VjcmV0":     "",
		"Digest username=\"me\"":  "",
		"Basic OnNlY3JldA==":      "", // no user
		"BasicbWU6c2VjcmV0 extra": "",
	} {
		if have := basicUser(in); have != want {
			t.Errorf("%q: have %q, want %q", in, have, want)
		}
	}
}

func TestContentLengthIsANumber(t *testing.T) {
	for in, want := range map[string]bool{
		"": true, "0": true, "12": true, "-1": false, "+1": false, "1a": false, "1, 1": false, " 1": false,
	} {
		if have := validContentLength(in); have != want {
			t.Errorf("%q: have %v", in, have)
		}
	}
}
