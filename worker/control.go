package worker

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// packetMax is the size of the largest control message; what may be larger
// travels in a memory file.
const packetMax = 64 << 10

// control is one end of a control socket (SOCK_SEQPACKET): packets that may
// carry a descriptor. Send may be called from several goroutines, receive from one.
type control struct {
	mu   sync.Mutex
	conn *net.UnixConn
}

// newControl takes over fd.
func newControl(fd int) (*control, error) {
	unix.CloseOnExec(fd)
	if err := unix.SetNonblock(fd, true); err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("control socket %d: %w", fd, err)
	}
	f := os.NewFile(uintptr(fd), "control")
	defer f.Close()
	conn, err := net.FileConn(f)
	if err != nil {
		return nil, fmt.Errorf("control socket %d: %w", fd, err)
	}
	uc, ok := conn.(*net.UnixConn)
	if !ok {
		conn.Close()
		return nil, fmt.Errorf("control socket %d is not a Unix socket", fd)
	}
	return &control{conn: uc}, nil
}

// controlPair returns the near end of a new control socket and the far end's
// descriptor, which stays blocking for the C code that may read it.
func controlPair() (*control, *os.File, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("control socket: %w", err)
	}
	near, err := newControl(fds[0])
	if err != nil {
		unix.Close(fds[1])
		return nil, nil, err
	}
	return near, os.NewFile(uintptr(fds[1]), "control"), nil
}

func (c *control) close() { c.conn.Close() }

// send sends one packet, with a descriptor unless file is nil. The caller keeps file.
func (c *control) send(packet []byte, file *os.File) error {
	var oob []byte
	if file != nil {
		raw, err := file.SyscallConn()
		if err != nil {
			return err
		}
		// Not file.Fd(), which would make a listening socket blocking.
		if err := raw.Control(func(fd uintptr) { oob = unix.UnixRights(int(fd)) }); err != nil {
			return err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	_, _, err := c.conn.WriteMsgUnix(packet, oob, nil)
	return err
}

// receive returns the next packet and the descriptor that came with it. The
// packet is valid until the next call; io.EOF is the other end's death.
func (c *control) receive(buf []byte) (packet []byte, file *os.File, err error) {
	oob := make([]byte, unix.CmsgSpace(4))
	n, oobn, _, _, err := c.conn.ReadMsgUnix(buf, oob)
	if err != nil {
		if errors.Is(err, unix.ECONNRESET) {
			err = io.EOF
		}
		return nil, nil, err
	}
	if n == 0 {
		return nil, nil, io.EOF
	}
	if oobn > 0 {
		if messages, err := unix.ParseSocketControlMessage(oob[:oobn]); err == nil && len(messages) > 0 {
			if fds, err := unix.ParseUnixRights(&messages[0]); err == nil && len(fds) > 0 {
				unix.CloseOnExec(fds[0])
				file = os.NewFile(uintptr(fds[0]), "passed")
			}
		}
	}
	return buf[:n], file, nil
}

// message is what the master and a serving process say to each other.
type message struct {
	Op      string `json:"op"`
	ID      uint64 `json:"id,omitempty"`      // of a listen request and its answer
	PID     int    `json:"pid,omitempty"`     // hello
	Network string `json:"network,omitempty"` // listen
	Address string `json:"address,omitempty"` // listen
	Error   string `json:"error,omitempty"`   // failed, socket
	Grace   int64  `json:"grace,omitempty"`   // stop, in nanoseconds
}

const (
	opHello  = "hello"  // from a serving process, first
	opConfig = "config" // to it, with a memory file
	opListen = "listen" // from it
	opSocket = "socket" // to it: the answer, with a descriptor
	opReady  = "ready"  // from it: it accepts
	opFailed = "failed" // from it: it could not start
	opStop   = "stop"   // to it
)

func (c *control) sendMessage(m message, file *os.File) error {
	if limit := packetMax / 2; len(m.Error) > limit {
		m.Error = m.Error[:limit]
	}
	packet, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return c.send(packet, file)
}

func (c *control) receiveMessage(buf []byte) (m message, file *os.File, err error) {
	packet, file, err := c.receive(buf)
	if err != nil {
		return m, nil, err
	}
	if err := json.Unmarshal(packet, &m); err != nil {
		if file != nil {
			file.Close()
		}
		return m, nil, fmt.Errorf("control message: %w", err)
	}
	return m, file, nil
}

// memoryFile returns an anonymous file with the given contents.
func memoryFile(name string, contents []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("memory file: %w", err)
	}
	f := os.NewFile(uintptr(fd), name)
	if _, err := f.Write(contents); err != nil {
		f.Close()
		return nil, fmt.Errorf("memory file: %w", err)
	}
	return f, nil
}

// readMemoryFile returns a memory file's contents and closes it.
func readMemoryFile(f *os.File) ([]byte, error) {
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	b := make([]byte, info.Size())
	_, err = f.ReadAt(b, 0)
	return b, err
}
