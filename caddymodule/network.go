package caddymodule

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

// The networks of serving processes. An address on one of them is the master's
// socket for the address on the network it stands for. Caddy knows a Unix or an
// inherited socket by the prefix of its network.
var networks = []struct {
	name   string // in the configuration of a serving process
	kernel string // in the user's
	http3  string // where Caddy finds HTTP/3 for it, "" if it has none
}{
	{"hathi", "tcp", "hathi-udp"},
	{"hathi4", "tcp4", "hathi-udp4"},
	{"hathi6", "tcp6", "hathi-udp6"},
	{"hathi-udp", "udp", ""},
	{"hathi-udp4", "udp4", ""},
	{"hathi-udp6", "udp6", ""},
	{"unix-hathi", "unix", ""},
	{"fd-hathi", "fd", "fdgram-hathi"},
	{"fdgram-hathi", "fdgram", "fdgram-hathi"},
}

func init() {
	for _, n := range networks {
		caddy.RegisterNetwork(n.name, listenFunc(n.kernel))
		if n.http3 != "" {
			caddyhttp.RegisterNetworkHTTP3(n.name, n.http3)
		}
	}
}

// servingNetwork returns the network that stands for one of the user's.
func servingNetwork(kernel string) (string, bool) {
	for _, n := range networks {
		if n.kernel == kernel {
			return n.name, true
		}
	}
	return "", false
}

// listenFunc makes Caddy's listeners and packet connections from sockets of the
// master. Each call has a descriptor of its own for the same socket.
func listenFunc(kernel string) caddy.ListenerFunc {
	return func(_ context.Context, _, host, portRange string, offset uint, cfg net.ListenConfig) (any, error) {
		s := currentServing()
		if s == nil {
			return nil, errors.New("only a serving process has the master's sockets")
		}
		address, err := socketAddress(kernel, host, portRange, offset)
		if err != nil {
			return nil, err
		}
		file, err := s.Listen(kernel, address)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		if isPacketNetwork(kernel) {
			return packetConn(file)
		}
		ln, err := net.FileListener(file)
		if err != nil {
			return nil, fmt.Errorf("socket of %s/%s: %w", kernel, address, err)
		}
		return withKeepAlive(ln, cfg.KeepAliveConfig), nil
	}
}

func isPacketNetwork(kernel string) bool {
	return strings.HasPrefix(kernel, "udp") || kernel == "fdgram"
}

// socketAddress is the address of one socket of a port range.
func socketAddress(kernel, host, portRange string, offset uint) (string, error) {
	if caddy.IsUnixNetwork(kernel) || caddy.IsFdNetwork(kernel) {
		return host, nil
	}
	first, _, _ := strings.Cut(portRange, "-")
	port, err := strconv.ParseUint(first, 10, 16)
	if err != nil {
		return "", fmt.Errorf("port %q: %w", portRange, err)
	}
	return net.JoinHostPort(host, strconv.FormatUint(port+uint64(offset), 10)), nil
}

// keepAliveListener sets what net.FileListener cannot be told.
type keepAliveListener struct {
	net.Listener
	config net.KeepAliveConfig
}

// withKeepAlive leaves ln alone when the configuration is net's default.
func withKeepAlive(ln net.Listener, config net.KeepAliveConfig) net.Listener {
	if config == (net.KeepAliveConfig{}) || config == (net.KeepAliveConfig{Enable: true}) {
		return ln
	}
	return keepAliveListener{ln, config}
}

func (l keepAliveListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetKeepAliveConfig(l.config) // as net does
	}
	return c, err
}

// http3Activity is what is known about the HTTP/3 servers of this process. Their
// own graceful shutdown waits for connections, and one whose client has vanished
// lasts until its idle timeout; a stop only waits for requests.
var http3Activity struct {
	sockets   atomic.Int64 // packet connections that servers hold
	requests  atomic.Int64 // running in PHP
	lastWrite atomic.Int64 // when a packet was sent, Unix nanoseconds
}

// http3Silence is how long nothing was sent when no response is on its way:
// longer than the gaps of a slow transfer, shorter than those between the probes
// that a vanished client gets.
const http3Silence = time.Second

// http3Quiet tells whether no HTTP/3 request is left.
func http3Quiet(now time.Time) bool {
	a := &http3Activity
	return a.sockets.Load() == 0 ||
		a.requests.Load() == 0 && now.UnixNano()-a.lastWrite.Load() > int64(http3Silence)
}

// quicConn embeds *net.UDPConn, or quic-go cannot batch and use ECN.
type quicConn struct {
	*net.UDPConn
	closed sync.Once
}

func packetConn(file *os.File) (net.PacketConn, error) {
	pc, err := net.FilePacketConn(file)
	if err != nil {
		return nil, err
	}
	udp, ok := pc.(*net.UDPConn)
	if !ok {
		return pc, nil
	}
	http3Activity.sockets.Add(1)
	return &quicConn{UDPConn: udp}, nil
}

// WriteMsgUDP is how quic-go sends.
func (c *quicConn) WriteMsgUDP(b, oob []byte, addr *net.UDPAddr) (n, oobn int, err error) {
	http3Activity.lastWrite.Store(time.Now().UnixNano())
	return c.UDPConn.WriteMsgUDP(b, oob, addr)
}

// Close closes the connection; Caddy does it when its server has finished.
func (c *quicConn) Close() error {
	err := c.UDPConn.Close()
	c.closed.Do(func() { http3Activity.sockets.Add(-1) })
	return err
}
