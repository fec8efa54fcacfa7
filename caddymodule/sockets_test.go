package caddymodule

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// accept takes one connection from a socket of the table, as a process would.
func accept(t *testing.T, file *os.File) {
	t.Helper()
	ln, err := net.FileListener(file)
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	go func() {
		c, err := net.Dial(ln.Addr().Network(), ln.Addr().String())
		if err == nil {
			_, _ = io.WriteString(c, "x")
			c.Close()
		}
	}()
	c, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
}

func TestEachSlotHasItsOwnTCPSocket(t *testing.T) {
	table := newSocketTable()
	l := table.lease()
	address := freePort(t)
	first, err := l.listen("tcp", address, 0)
	if err != nil {
		t.Fatal(err)
	}
	second, err := l.listen("tcp", address, 1)
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := l.listen("tcp", address, 0); again != first || second == first {
		t.Error("slots and sockets do not match")
	}
	second.Close() // so that the kernel gives the connection to the first
	accept(t, first)

	later := table.lease()
	if kept, _ := later.listen("tcp", address, 0); kept != first {
		t.Error("a new lease has another socket")
	}
	l.release()
	if len(table.sockets) != 1 {
		t.Errorf("%d sockets are open, want the one that the later lease has", len(table.sockets))
	}
	later.release()
	if len(table.sockets) != 0 {
		t.Error("a socket is left")
	}
	if ln, err := net.Listen("tcp", address); err != nil {
		t.Error(err)
	} else {
		ln.Close()
	}
}

func TestPortZeroIsOnePortForAllSlots(t *testing.T) {
	l := newSocketTable().lease()
	defer l.release()
	ports := map[string]bool{}
	for slot := range 3 {
		file, err := l.listen("tcp", "127.0.0.1:0", slot)
		if err != nil {
			t.Fatal(err)
		}
		ln, err := net.FileListener(file)
		if err != nil {
			t.Fatal(err)
		}
		ports[ln.Addr().String()] = true
		ln.Close()
	}
	if len(ports) != 1 {
		t.Errorf("have %v", ports)
	}
}

func TestLIFE09PortThatIsTakenIsNamed(t *testing.T) {
	// Another program with SO_REUSEPORT too: the kernel would let us share.
	address := freePort(t)
	other, _, err := bindReusable("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	l := newSocketTable().lease()
	defer l.release()
	_, err = l.listen("tcp", address, 0)
	if want := "listen tcp " + address + ": address already in use (another program has it)"; err == nil || err.Error() != want {
		t.Errorf("have %v, want %s", err, want)
	}
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer udp.Close()
	if _, err := l.listen("udp", udp.LocalAddr().String(), 0); err == nil {
		t.Error("a UDP port that is taken was bound")
	}
}

func TestOwnWildcardSocketIsNoOtherProgram(t *testing.T) {
	l := newSocketTable().lease()
	defer l.release()
	_, port, _ := net.SplitHostPort(freePort(t))
	if _, err := l.listen("tcp", ":"+port, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := l.listen("tcp", "127.0.0.1:"+port, 0); err != nil {
		t.Error(err)
	}
	if _, err := l.listen("udp", ":"+port, 0); err != nil {
		t.Error(err)
	}
}

func TestUnixSocketIsSharedAndUnlinked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "h.sock")
	// What a server that was killed leaves.
	stale, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	stale.SetUnlinkOnClose(false)
	stale.Close()

	l := newSocketTable().lease()
	first, err := l.listen("unix", path+"|0660", 0)
	if err != nil {
		t.Fatal(err)
	}
	if second, _ := l.listen("unix", path+"|0660", 1); second != first {
		t.Error("two slots have two sockets")
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o660 {
		t.Errorf("have %v, %v", info.Mode(), err)
	}
	accept(t, first)

	other := newSocketTable().lease()
	if _, err := other.listen("unix", path, 0); err == nil || !strings.Contains(err.Error(), "address already in use") {
		t.Errorf("a socket that is served: have %v", err)
	}
	l.release()
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Error("the socket's file is left")
	}

	if err := os.WriteFile(path, []byte("data"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := other.listen("unix", path, 0); err == nil || !strings.Contains(err.Error(), "is not a socket") {
		t.Errorf("a file that is no socket: have %v", err)
	}
}

func TestInheritedSocketIsDuplicated(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	file, err := ln.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := newSocketTable().lease().listen("fd", "x", 0); err == nil {
		t.Error("x is no descriptor")
	}
	l := newSocketTable().lease()
	dup, err := l.listen("fd", strconv.Itoa(int(file.Fd())), 0)
	if err != nil {
		t.Fatal(err)
	}
	accept(t, dup)
	l.release()
	accept(t, file)
}
