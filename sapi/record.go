package sapi

import (
	"encoding/binary"
	"os"
	"strings"
	"sync"
)

// Field names one CGI value of a request. The order is the order of the keys
// in $_SERVER and of the enum hathi_field in request.h; a test compares them.
type Field int

const (
	FieldRemoteAddr Field = iota
	FieldRemoteHost
	FieldRemotePort
	FieldDocumentRoot
	FieldPathInfo
	FieldPHPSelf
	FieldDocumentURI
	FieldScriptFilename
	FieldScriptName
	FieldHTTPS
	FieldSSLProtocol
	FieldSSLCipher
	FieldRequestScheme
	FieldServerName
	FieldServerPort
	FieldContentLength
	FieldServerProtocol
	FieldHTTPHost
	FieldRequestURI
	FieldGatewayInterface
	FieldServerSoftware
	FieldAuthType
	FieldRemoteIdent
	FieldContentType
	FieldQueryString
	FieldRequestMethod
	FieldPathTranslated // set only with path info
	FieldRemoteUser     // set only with Authorization
	FieldAuthorization  // never in $_SERVER; PHP's own parser makes PHP_AUTH_* of it
	FieldCookie         // never in $_SERVER as such; the raw Cookie header

	numFields
)

// Record is one request in the flat form that the engine reads in place
// (layout: request.h). Offsets count from the record's first byte and every
// string is NUL-terminated. Records are pooled: get one with NewRecord; worker.Serving's Serve
// gives it back.
//
// A Record knows nothing of net/http. It is not safe for concurrent use.
type Record struct {
	buf     []byte
	pairs   []uint32 // name offset, name length, value offset, value length of each header
	env     []uint32 // the same for the site's env entries
	fields  [numFields][2]uint32
	body    []byte
	file    *os.File
	bodyLen int64
}

const (
	recordMagic = 0x48544852 // "HTHR"

	// Offsets of the fixed part: magic, size, flags, body fd, body length (8 bytes),
	// body offset, reserved, header count and offset, env count and offset, fields.
	offMagic       = 0
	offSize        = 4
	offFlags       = 8
	offBodyFD      = 12
	offBodyLen     = 16
	offBodyOff     = 24
	offHeaderCount = 32
	offHeaderOff   = 36
	offEnvCount    = 40
	offEnvOff      = 44
	offFields      = 48
	fixedSize      = offFields + int(numFields)*8
)

var recordPool = sync.Pool{New: func() any { return &Record{buf: make([]byte, 0, 4096)} }}

// NewRecord returns an empty record.
func NewRecord() *Record {
	r := recordPool.Get().(*Record)
	r.Reset()
	return r
}

// Reset makes the record empty again.
func (r *Record) Reset() {
	r.buf = r.buf[:fixedSize]
	clear(r.buf)
	r.pairs = r.pairs[:0]
	r.env = r.env[:0]
	clear(r.fields[:])
	r.body = nil
	r.file = nil
	r.bodyLen = 0
}

// Release gives the record back to the pool and closes its body file, if any.
func (r *Record) Release() {
	if r.file != nil {
		_ = r.file.Close() // it was only read from
	}
	if cap(r.buf) > 256<<10 {
		return // one large request must not keep its memory for ever
	}
	r.body, r.file = nil, nil
	recordPool.Put(r)
}

func (r *Record) add(s string) (off, n uint32) {
	off = uint32(len(r.buf))
	r.buf = append(r.buf, s...)
	r.buf = append(r.buf, 0)
	return off, uint32(len(s))
}

// Set gives a field its value. An empty value is present and empty in $_SERVER.
func (r *Record) Set(f Field, value string) {
	off, n := r.add(value)
	r.fields[f] = [2]uint32{off, n}
}

// Get returns the value of a field, "" when it is not set.
func (r *Record) Get(f Field) string {
	v := r.fields[f]
	return string(r.buf[v[0] : v[0]+v[1]])
}

// AddHeader adds a request header under its HTTP_* name. name may have any
// case; bytes outside A-Z, a-z and 0-9 become "_" (RFC 3875, section 4.1.18).
// The caller joins repeated headers and drops "Proxy" (httpoxy).
func (r *Record) AddHeader(name, value string) {
	noff := uint32(len(r.buf))
	r.buf = append(r.buf, "HTTP_"...)
	for i := 0; i < len(name); i++ {
		c := name[i]
		switch {
		case c >= 'a' && c <= 'z':
			c -= 'a' - 'A'
		case c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		default:
			c = '_'
		}
		r.buf = append(r.buf, c)
	}
	r.buf = append(r.buf, 0)
	voff, vlen := r.add(value)
	r.pairs = append(r.pairs, noff, uint32(len(name)+len("HTTP_")), voff, vlen)
}

// AddEnv adds an entry of the site's env: it overrides everything else in
// $_SERVER and is seen by getenv().
func (r *Record) AddEnv(name, value string) {
	noff, nlen := r.add(name)
	voff, vlen := r.add(value)
	r.env = append(r.env, noff, nlen, voff, vlen)
}

// SetBody gives the request a body that is in memory. The slice is copied by Bytes.
func (r *Record) SetBody(b []byte) {
	r.body, r.file, r.bodyLen = b, nil, int64(len(b))
}

// SetBodyFile gives the request a body of n bytes that starts at offset 0 of f.
// The engine reads it with pread(2) while the request runs; Release closes f.
func (r *Record) SetBodyFile(f *os.File, n int64) {
	r.body, r.file, r.bodyLen = nil, f, n
}

// Bytes completes the record and returns it. It is valid until Reset or Release.
func (r *Record) Bytes() []byte {
	put := func(at int, v uint32) { binary.NativeEndian.PutUint32(r.buf[at:], v) }
	bodyOff := len(r.buf)
	r.buf = append(r.buf, r.body...)
	r.buf = append(r.buf, 0)
	for len(r.buf)%4 != 0 {
		r.buf = append(r.buf, 0)
	}
	hoff := len(r.buf)
	for _, v := range r.pairs {
		r.buf = binary.NativeEndian.AppendUint32(r.buf, v)
	}
	eoff := len(r.buf)
	for _, v := range r.env {
		r.buf = binary.NativeEndian.AppendUint32(r.buf, v)
	}
	fd := int32(-1)
	if r.file != nil {
		fd = int32(r.file.Fd())
	}
	put(offMagic, recordMagic)
	put(offSize, uint32(len(r.buf)))
	put(offFlags, 0)
	put(offBodyFD, uint32(fd))
	binary.NativeEndian.PutUint64(r.buf[offBodyLen:], uint64(r.bodyLen))
	put(offBodyOff, uint32(bodyOff))
	put(offHeaderCount, uint32(len(r.pairs)/4))
	put(offHeaderOff, uint32(hoff))
	put(offEnvCount, uint32(len(r.env)/4))
	put(offEnvOff, uint32(eoff))
	for i, v := range r.fields {
		put(offFields+i*8, v[0])
		put(offFields+i*8+4, v[1])
	}
	return r.buf
}

// HeaderBlock is a response's header lines as PHP has them, "Name: value"
// each, every line ended by "\n". Values cannot contain NUL, CR or LF: PHP
// refuses them (main/SAPI.c, sapi_header_op).
type HeaderBlock []byte

// Each calls f for every header line, in PHP's order. The strings are copies.
func (h HeaderBlock) Each(f func(name, value string)) {
	rest := string(h)
	for rest != "" {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		f(name, strings.TrimLeft(value, " \t"))
	}
}
