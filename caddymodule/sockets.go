package caddymodule

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// socketTable has the listening sockets of the master: for each address one per
// slot with SO_REUSEPORT, so that a process that is replaced leaves no connection
// in a closed queue. A Unix or an inherited socket cannot be doubled; all slots
// share it. A socket lives as long as a generation uses it.
type socketTable struct {
	mu      sync.Mutex
	sockets map[socketKey]*socket
}

type socketKey struct {
	network, address string
	slot             int // 0 for a shared socket
}

type socket struct {
	file  *os.File
	bound string // the address the kernel chose, for port 0
	users map[*lease]bool
	path  string // to unlink at the end, "" for none
}

// lease is what one generation uses of the table.
type lease struct {
	table *socketTable
}

func newSocketTable() *socketTable { return &socketTable{sockets: make(map[socketKey]*socket)} }

func (t *socketTable) lease() *lease { return &lease{t} }

// listen returns the socket of one slot, binding it if no generation has it. The
// file stays the table's: the caller duplicates it or passes it on, and does not
// close it.
func (l *lease) listen(network, address string, slot int) (*os.File, error) {
	t := l.table
	t.mu.Lock()
	defer t.mu.Unlock()

	if sharedNetwork(network) {
		slot = 0
	}
	key := socketKey{network, address, slot}
	s := t.sockets[key]
	if s == nil {
		var err error
		if s, err = t.bind(key); err != nil {
			return nil, err
		}
		t.sockets[key] = s
	}
	s.users[l] = true
	return s.file, nil
}

// release gives up all sockets of the lease and closes those that nobody else has.
func (l *lease) release() {
	t := l.table
	t.mu.Lock()
	defer t.mu.Unlock()
	for key, s := range t.sockets {
		delete(s.users, l)
		if len(s.users) > 0 {
			continue
		}
		if s.path != "" {
			_ = os.Remove(s.path)
		}
		s.file.Close()
		delete(t.sockets, key)
	}
}

func sharedNetwork(network string) bool {
	return strings.HasPrefix(network, "unix") || strings.HasPrefix(network, "fd")
}

func (t *socketTable) bind(key socketKey) (*socket, error) {
	s := &socket{users: make(map[*lease]bool)}
	var err error
	switch {
	case strings.HasPrefix(key.network, "fd"):
		s.file, err = inheritedSocket(key.address)
	case key.network == "unix":
		s.file, s.path, err = bindUnix(key.address)
	default:
		err = t.bindPort(s, key)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// bindPort binds a TCP or UDP address. SO_REUSEPORT would let us share a port
// with another program of the same user, so the first bind of an address goes
// without it.
func (t *socketTable) bindPort(s *socket, key socketKey) error {
	address := key.address
	sibling := t.sibling(key)
	if sibling != nil && sibling.bound != "" {
		address = sibling.bound
	} else if sibling == nil && !t.sharesPort(key) {
		if err := probe(key.network, address); err != nil {
			return err
		}
	}
	file, bound, err := bindReusable(key.network, address)
	if err != nil {
		return err
	}
	s.file = file
	if _, port, _ := net.SplitHostPort(key.address); port == "0" {
		s.bound = bound
	}
	return nil
}

// sibling is the socket of another slot on the same address.
func (t *socketTable) sibling(key socketKey) *socket {
	for other, s := range t.sockets {
		if other.network == key.network && other.address == key.address {
			return s
		}
	}
	return nil
}

// sharesPort tells whether a socket of ours, such as one on the wildcard address,
// would make the probe of an address fail.
func (t *socketTable) sharesPort(key socketKey) bool {
	_, port, _ := net.SplitHostPort(key.address)
	for other := range t.sockets {
		_, otherPort, _ := net.SplitHostPort(other.address)
		if other.network[:3] == key.network[:3] && otherPort == port {
			return true
		}
	}
	return false
}

func probe(network, address string) error {
	if strings.HasPrefix(network, "udp") {
		c, err := net.ListenPacket(network, address)
		if err == nil {
			c.Close()
		}
		return listenError(network, address, err)
	}
	ln, err := net.Listen(network, address)
	if err == nil {
		ln.Close()
	}
	return listenError(network, address, err)
}

func bindReusable(network, address string) (file *os.File, bound string, err error) {
	config := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) error {
		var failed error
		if err := c.Control(func(fd uintptr) {
			failed = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1)
		}); err != nil {
			return err
		}
		return failed
	}}
	type filer interface{ File() (*os.File, error) }
	if strings.HasPrefix(network, "udp") {
		c, err := config.ListenPacket(context.Background(), network, address)
		if err != nil {
			return nil, "", listenError(network, address, err)
		}
		defer c.Close()
		file, err = c.(filer).File()
		return file, c.LocalAddr().String(), err
	}
	ln, err := config.Listen(context.Background(), network, address)
	if err != nil {
		return nil, "", listenError(network, address, err)
	}
	defer ln.Close()
	file, err = ln.(filer).File()
	return file, ln.Addr().String(), err
}

// listenError says in one line what could not be bound and what to do about it.
func listenError(network, address string, err error) error {
	if err == nil {
		return nil
	}
	reason, hint := err.Error(), ""
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		reason = errno.Error()
		switch {
		case errno == syscall.EADDRINUSE:
			hint = " (another program has it)"
		case errno == syscall.EACCES && lowPort(address):
			hint = " (ports below 1024 need root or CAP_NET_BIND_SERVICE)"
		}
	}
	return fmt.Errorf("listen %s %s: %s%s", network, address, reason, hint)
}

func lowPort(address string) bool {
	_, port, _ := net.SplitHostPort(address)
	n, err := strconv.Atoi(port)
	return err == nil && n > 0 && n < 1024
}

// inheritedSocket duplicates a descriptor that Hathi was started with.
func inheritedSocket(number string) (*os.File, error) {
	fd, err := strconv.Atoi(number)
	if err != nil {
		return nil, fmt.Errorf("inherited socket %q: not a descriptor's number", number)
	}
	dup, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, fmt.Errorf("inherited socket %d: %w", fd, err)
	}
	return os.NewFile(uintptr(dup), "fd/"+number), nil
}

// defaultUnixMode is Caddy's.
const defaultUnixMode = fs.FileMode(0o200)

// bindUnix binds a Unix socket, "path" or "path|mode". A file that a dead server
// left is replaced; one that is served is not.
func bindUnix(address string) (file *os.File, unlink string, err error) {
	path, mode := address, defaultUnixMode
	if before, after, ok := strings.Cut(address, "|"); ok {
		bits, err := strconv.ParseUint(after, 8, 32)
		if err != nil {
			return nil, "", fmt.Errorf("listen unix %s: mode %q is not octal", before, after)
		}
		path, mode = before, fs.FileMode(bits)&fs.ModePerm
	}
	abstract := strings.HasPrefix(path, "@")
	if !abstract {
		if path, err = filepath.Abs(path); err != nil {
			return nil, "", err
		}
		if err := removeStaleSocket(path); err != nil {
			return nil, "", err
		}
	}
	ln, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, "", listenError("unix", path, err)
	}
	defer ln.Close()
	ln.SetUnlinkOnClose(false)
	if file, err = ln.File(); err != nil {
		return nil, "", fmt.Errorf("listen unix %s: %w", path, err)
	}
	if abstract {
		return file, "", nil
	}
	if err := os.Chmod(path, mode); err != nil {
		file.Close()
		return nil, "", fmt.Errorf("listen unix %s: %w", path, err)
	}
	return file, path, nil
}

func removeStaleSocket(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("listen unix %s: %w", path, err)
	}
	if info.Mode().Type() != fs.ModeSocket {
		return fmt.Errorf("listen unix %s: the file exists and is not a socket", path)
	}
	if c, err := net.DialTimeout("unix", path, time.Second); err == nil {
		c.Close()
		return fmt.Errorf("listen unix %s: %s (another program has it)", path, syscall.EADDRINUSE)
	}
	if err := os.Remove(path); err != nil {
		return fmt.Errorf("listen unix %s: %w", path, err)
	}
	return nil
}
