package caddymodule

import (
	"fmt"

	"github.com/andybalholm/brotli"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp/encode"
)

func init() {
	caddy.RegisterModule(Brotli{})
}

// defaultBrotliQuality costs about as much as gzip's default level.
const defaultBrotliQuality = 4

// Brotli makes `encode br` work, which Caddy itself has only for files that are
// compressed already.
type Brotli struct {
	// Quality is from 0 (fast) to 11 (small). Default: 4.
	Quality *int `json:"quality,omitempty"`
}

// CaddyModule returns the Caddy module information.
func (Brotli) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "http.encoders.br",
		New: func() caddy.Module { return new(Brotli) },
	}
}

// UnmarshalCaddyfile reads `br [<quality>]`.
func (b *Brotli) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next() // the encoding's name
	if !d.NextArg() {
		return nil
	}
	quality, err := parseNumber(d, "br", d.Val(), brotli.BestSpeed)
	if err != nil {
		return err
	}
	b.Quality = &quality
	return nil
}

// Validate checks the quality.
func (b *Brotli) Validate() error {
	if q := b.quality(); q < brotli.BestSpeed || q > brotli.BestCompression {
		return fmt.Errorf("br: quality %d is not between %d and %d", q, brotli.BestSpeed, brotli.BestCompression)
	}
	return nil
}

func (b *Brotli) quality() int {
	if b.Quality == nil {
		return defaultBrotliQuality
	}
	return *b.Quality
}

// AcceptEncoding is the name in the Accept-Encoding header.
func (*Brotli) AcceptEncoding() string { return "br" }

// NewEncoder returns a writer that compresses.
func (b *Brotli) NewEncoder() encode.Encoder {
	return brotli.NewWriterLevel(nil, b.quality())
}

var (
	_ caddy.Validator       = (*Brotli)(nil)
	_ caddyfile.Unmarshaler = (*Brotli)(nil)
	_ encode.Encoding       = (*Brotli)(nil)
)
