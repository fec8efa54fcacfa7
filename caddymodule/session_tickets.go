package caddymodule

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"sync"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddytls"
)

func init() {
	caddy.RegisterModule(sharedTickets{})
}

// sharedTickets makes the keys of TLS session tickets, so that a client can resume
// a session with another process than the one it began with. All processes derive
// the same keys from a secret of the master and the time, without a word between
// them; the secret lives as long as the master, so a reload keeps sessions.
type sharedTickets struct {
	// Secret is the master's. It reaches serving processes in memory only.
	Secret []byte `json:"secret,omitempty"`

	interval time.Duration
	keys     int
}

// CaddyModule returns the Caddy module information.
func (sharedTickets) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "tls.stek.hathi",
		New: func() caddy.Module { return new(sharedTickets) },
	}
}

// ticketSecret is this process's secret, made at its first use.
var ticketSecret = sync.OnceValue(func() []byte {
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never fails, see its documentation
	return secret
})

// shareTickets gives a configuration of serving processes the shared keys, unless
// the user chose a source.
func shareTickets(apps object) {
	tls, _ := apps["tls"].(object)
	if tls == nil {
		tls = object{}
		apps["tls"] = tls
	}
	tickets, _ := tls["session_tickets"].(object)
	if tickets == nil {
		tickets = object{}
		tls["session_tickets"] = tickets
	}
	if tickets["key_source"] == nil {
		tickets["key_source"] = object{"provider": "hathi", "secret": ticketSecret()}
	}
}

// Initialize returns the keys of now.
func (t *sharedTickets) Initialize(config *caddytls.SessionTicketService) ([][32]byte, error) {
	if len(t.Secret) == 0 {
		return nil, errors.New("session tickets: no secret from the master")
	}
	t.interval, t.keys = time.Duration(config.RotationInterval), config.MaxKeys
	return ticketKeys(t.Secret, time.Now(), t.interval, t.keys), nil
}

// Next sends new keys whenever an interval begins.
func (t *sharedTickets) Next(done <-chan struct{}) <-chan [][32]byte {
	keys := make(chan [][32]byte)
	go func() {
		for {
			now := time.Now()
			timer := time.NewTimer(now.Truncate(t.interval).Add(t.interval).Sub(now))
			select {
			case now := <-timer.C:
				select {
				case keys <- ticketKeys(t.Secret, now, t.interval, t.keys):
				case <-done:
					return
				}
			case <-done:
				timer.Stop()
				return
			}
		}
	}()
	return keys
}

// ticketKeys returns n keys, that of the current interval first, then those of the
// intervals before.
func ticketKeys(secret []byte, now time.Time, interval time.Duration, n int) [][32]byte {
	keys := make([][32]byte, n)
	for i := range keys {
		start := now.Truncate(interval).Add(-time.Duration(i) * interval)
		mac := hmac.New(sha256.New, secret)
		_ = binary.Write(mac, binary.BigEndian, start.UnixNano()) // a hash takes everything
		mac.Sum(keys[i][:0])
	}
	return keys
}

var _ caddytls.STEKProvider = (*sharedTickets)(nil)
