package caddymodule

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hathi-server/hathi/sapi"
	"github.com/hathi-server/hathi/worker"
)

// fakeServing answers with what it got, as JSON. The header X-Do makes it do
// something else.
type fakeServing struct {
	scripts map[string]int
	sockets *lease // of a master in the same process
}

func (f *fakeServing) Slot() int { return 0 }

func (f *fakeServing) Listen(network, address string) (*os.File, error) {
	file, err := f.sockets.listen(network, address, 0)
	if err != nil {
		return nil, err
	}
	fd, err := unix.FcntlInt(file.Fd(), unix.F_DUPFD_CLOEXEC, 3)
	return os.NewFile(uintptr(fd), address), err
}

// answer is the response of fakeServing.
type answer struct {
	Script  int
	Server  map[string]string // by the names of $_SERVER
	Headers map[string]string // HTTP_*
	Env     map[string]string
	Body    string
	InFile  bool
}

var fieldNames = map[sapi.Field]string{
	sapi.FieldRemoteAddr: "REMOTE_ADDR", sapi.FieldRemotePort: "REMOTE_PORT", sapi.FieldDocumentRoot: "DOCUMENT_ROOT",
	sapi.FieldPathInfo: "PATH_INFO", sapi.FieldPHPSelf: "PHP_SELF", sapi.FieldDocumentURI: "DOCUMENT_URI",
	sapi.FieldScriptFilename: "SCRIPT_FILENAME", sapi.FieldScriptName: "SCRIPT_NAME", sapi.FieldHTTPS: "HTTPS",
	sapi.FieldSSLProtocol: "SSL_PROTOCOL", sapi.FieldRequestScheme: "REQUEST_SCHEME", sapi.FieldServerName: "SERVER_NAME",
	sapi.FieldServerPort: "SERVER_PORT", sapi.FieldContentLength: "CONTENT_LENGTH", sapi.FieldServerProtocol: "SERVER_PROTOCOL",
	sapi.FieldHTTPHost: "HTTP_HOST", sapi.FieldRequestURI: "REQUEST_URI", sapi.FieldContentType: "CONTENT_TYPE",
	sapi.FieldQueryString: "QUERY_STRING", sapi.FieldRequestMethod: "REQUEST_METHOD",
	sapi.FieldPathTranslated: "PATH_TRANSLATED", sapi.FieldRemoteUser: "REMOTE_USER", sapi.FieldCookie: "(cookie)",
}

func (e *fakeServing) Script(_, file string) (int, bool) {
	n, ok := e.scripts[file]
	return n, ok
}

func (e *fakeServing) Serve(ctx context.Context, script int, rec *sapi.Record, sink worker.Sink) error {
	defer rec.Release()
	a := answer{Script: script, Server: map[string]string{}}
	for field, name := range fieldNames {
		a.Server[name] = rec.Get(field)
	}
	raw := rec.Bytes()
	a.Headers = pairsOf(raw, 32)
	a.Env = pairsOf(raw, 40)
	var err error
	if a.Body, a.InFile, err = bodyOf(raw); err != nil {
		return err
	}
	header := "X-Powered-By: fake\nContent-type: application/json\nSet-Cookie: a=1\nSet-Cookie: b=\xe4\n"
	switch do := a.Headers["HTTP_X_DO"]; do {
	case "unavailable":
		return worker.ErrUnavailable
	case "fail":
		return worker.ErrFailed
	case "nothing":
		return nil
	case "cut":
		sink.Head(200, sapi.HeaderBlock(header), 100)
		_ = sink.Body([]byte("half"))
		_ = sink.Flush()
		return worker.ErrFailed
	case "hints":
		sink.Informational(103, sapi.HeaderBlock("Link: </a.css>; rel=preload\n"))
	case "slow":
		time.Sleep(500 * time.Millisecond)
	case "wait":
		<-ctx.Done()
		return ctx.Err()
	default:
		var status int
		if n, _ := fmt.Sscanf(do, "status %d", &status); n == 1 {
			sink.Head(status, sapi.HeaderBlock(header), 4)
			return sink.Body([]byte("body"))
		}
	}
	body, err := json.Marshal(a)
	if err != nil {
		return err
	}
	sink.Head(200, sapi.HeaderBlock(header), int64(len(body)))
	return sink.Body(body)
}

// pairsOf reads names and values of a record (layout: request.h).
func pairsOf(raw []byte, at int) map[string]string {
	u32 := func(at int) int { return int(binary.NativeEndian.Uint32(raw[at:])) }
	pairs := map[string]string{}
	count, off := u32(at), u32(at+4)
	for i := range count {
		p := off + 16*i
		name := string(raw[u32(p) : u32(p)+u32(p+4)])
		pairs[name] = string(raw[u32(p+8) : u32(p+8)+u32(p+12)])
	}
	return pairs
}

func bodyOf(raw []byte) (body string, inFile bool, err error) {
	fd := int32(binary.NativeEndian.Uint32(raw[12:]))
	n := int(binary.NativeEndian.Uint64(raw[16:]))
	if fd < 0 {
		off := int(binary.NativeEndian.Uint32(raw[24:]))
		return string(raw[off : off+n]), false, nil
	}
	b := make([]byte, n)
	for got := 0; got < n; {
		k, err := unix.Pread(int(fd), b[got:], int64(got))
		if err != nil {
			return "", true, err
		}
		if k == 0 {
			return "", true, io.ErrUnexpectedEOF
		}
		got += k
	}
	return strings.Clone(string(b)), true, nil
}
