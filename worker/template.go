package worker

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/user"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"go.uber.org/zap"
	"golang.org/x/sys/unix"
)

// titleRoom is the length of the space in argv that children name themselves in.
const titleRoom = 200

// template is the master's handle on a template: the process that has PHP warm,
// or, forked from it, the one that has a worker script booted.
type template struct {
	ctl  *control
	log  *zap.Logger
	dead chan struct{} // closed at its end

	pid   int // 0 for a worker template
	group int

	// Set once the process is ready.
	iniFiles   string
	opcache    string // why OPcache is off, "" when it is on
	extensions string
	threads    int
	problems   []string // of a worker template: what keeps it from being forked
}

// credentials are what the PHP processes become.
type credentials struct{ uid, gid, name string }

// lookupCredentials resolves the configured user and group; nil means to stay.
func lookupCredentials(userName, groupName string) (*credentials, error) {
	if userName == "" && groupName == "" {
		return nil, nil
	}
	if os.Geteuid() != 0 {
		return nil, fmt.Errorf("user and group can be changed only when Hathi is started as root (it runs as uid %d)", os.Geteuid())
	}
	c := &credentials{uid: "0", gid: "0"}
	if userName != "" {
		u, err := user.Lookup(userName)
		if err != nil {
			byID, idErr := user.LookupId(userName)
			if idErr != nil {
				return nil, fmt.Errorf("user %q: %w", userName, err)
			}
			u = byID
		}
		c.uid, c.gid, c.name = u.Uid, u.Gid, u.Username
	}
	if groupName != "" {
		g, err := user.LookupGroup(groupName)
		if err != nil {
			byID, idErr := user.LookupGroupId(groupName)
			if idErr != nil {
				return nil, fmt.Errorf("group %q: %w", groupName, err)
			}
			g = byID
		}
		c.gid = g.Gid
	}
	return c, nil
}

// Identity returns what the PHP processes' user and group are, which is this
// process's own where the names are "".
func Identity(userName, groupName string) (uid, gid int, err error) {
	c, err := lookupCredentials(userName, groupName)
	if err != nil || c == nil {
		return os.Geteuid(), os.Getegid(), err
	}
	if uid, err = strconv.Atoi(c.uid); err != nil {
		return 0, 0, err
	}
	gid, err = strconv.Atoi(c.gid)
	return uid, gid, err
}

// packStrings makes NUL-terminated strings of its arguments.
func packStrings(s ...string) []byte {
	var b bytes.Buffer
	for _, s := range s {
		b.WriteString(strings.ReplaceAll(s, "\x00", ""))
		b.WriteByte(0)
	}
	return b.Bytes()
}

// unpackStrings is the reverse of packStrings.
func unpackStrings(b []byte) []string {
	return strings.Split(strings.TrimSuffix(string(b), "\x00"), "\x00")
}

// iniText is the php.ini text of the configuration's entries.
func iniText(entries []INI) string {
	var b strings.Builder
	for _, e := range entries {
		fmt.Fprintf(&b, "%s=%s\n", e.Key, iniValue(strings.ReplaceAll(e.Value, "\n", " ")))
	}
	return b.String()
}

// iniValue quotes a value, so that PHP reads it as it is, unless it is what the ini
// language has to evaluate, or quoted already.
func iniValue(value string) string {
	quoted := len(value) > 1 && value[0] == '"' && value[len(value)-1] == '"'
	if quoted || strings.HasPrefix(value, "E_") || !strings.ContainsAny(value, ";=#\"'${}|&~!()^ ") {
		return value
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
}

// startTemplate executes this binary again as a template and waits until PHP is up.
func startTemplate(ctx context.Context, cfg *Config, creds *credentials, late bool, log *zap.Logger) (*template, error) {
	words := []string{"ini", iniText(cfg.PHPIni)}
	if creds != nil {
		words = append(words, "uid", creds.uid, "gid", creds.gid, "user", creds.name)
	}
	if late {
		words = append(words, "late", "1")
	}
	config, err := memoryFile("hathi-template", packStrings(words...))
	if err != nil {
		return nil, err
	}
	defer config.Close()
	near, far, err := controlPair()
	if err != nil {
		return nil, err
	}
	defer far.Close()
	null, err := os.Open(os.DevNull)
	if err != nil {
		near.close()
		return nil, err
	}
	defer null.Close()

	reaper := theReaper()
	// Not os/exec: the reaper collects this child with its group.
	env := append(slices.DeleteFunc(os.Environ(), isServiceVariable), "HATHI_TEMPLATE=3,4")
	pid, err := syscall.ForkExec("/proc/self/exe", []string{"hathi: template", strings.Repeat(" ", titleRoom)}, &syscall.ProcAttr{
		Env:   env,
		Files: []uintptr{null.Fd(), 1, 2, far.Fd(), config.Fd()},
		Sys:   &syscall.SysProcAttr{Setpgid: true},
	})
	if err != nil {
		near.close()
		return nil, fmt.Errorf("start of the template: %w", err)
	}
	reaper.add(pid)
	t := &template{ctl: near, log: log, dead: make(chan struct{}), pid: pid, group: pid}
	if err := t.await(ctx, "PHP did not start"); err != nil {
		near.close()
		_ = unix.Kill(pid, unix.SIGKILL)
		reaper.retire(pid)
		return nil, err
	}
	return t, nil
}

// isServiceVariable: what systemd says to the service's main process is not for PHP
// processes, which would announce themselves as the service or take its sockets.
func isServiceVariable(entry string) bool {
	for _, name := range []string{"NOTIFY_SOCKET=", "LISTEN_FDS=", "LISTEN_PID=", "LISTEN_FDNAMES=", "WATCHDOG_USEC=", "WATCHDOG_PID="} {
		if strings.HasPrefix(entry, name) {
			return true
		}
	}
	return false
}

// await reads the template's messages until it is ready, and then keeps reading
// in the background.
func (t *template) await(ctx context.Context, what string) error {
	result := make(chan error, 1)
	go t.read(what, result)
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (t *template) read(what string, result chan<- error) {
	defer close(t.dead)
	buf := make([]byte, packetMax)
	waiting := true
	tell := func(err error) {
		if waiting {
			waiting = false
			result <- err
		}
	}
	for {
		packet, _, err := t.ctl.receive(buf)
		if err != nil {
			tell(fmt.Errorf("%s: the process ended", what))
			return
		}
		words := append(unpackStrings(packet), "", "", "", "")
		switch words[0] {
		case "ready":
			t.iniFiles, t.opcache, t.extensions = words[1], words[2], words[3]
			t.threads, _ = strconv.Atoi(words[4])
			tell(nil)
		case "parked":
			for _, p := range words[1:] {
				if p != "" {
					t.problems = append(t.problems, p)
				}
			}
			tell(nil)
		case "failed":
			tell(fmt.Errorf("%s: %s", what, words[1]))
		case "log":
			level, _ := strconv.Atoi(words[1])
			logPHP(t.log, level, words[2])
		case "forked":
			t.log.Debug("forked", zap.String("microseconds", words[1]))
		case "nofork":
			t.log.Error("fork failed", zap.String("error", words[1]))
		}
	}
}

// logPHP logs a message of PHP's. level is as in syslog.
func logPHP(log *zap.Logger, level int, message string) {
	switch {
	case level <= 3:
		log.Error(message)
	case level == 4:
		log.Warn(message)
	case level <= 6:
		log.Info(message)
	default:
		log.Debug(message)
	}
}

func (s *Script) words() []string {
	words := []string{s.File}
	for _, e := range s.Env {
		words = append(words, e.Key, e.Value)
	}
	return words
}

// bootWorker forks a worker template, which boots the script, and waits for it.
func (t *template) bootWorker(ctx context.Context, s *Script) (*template, error) {
	near, far, err := controlPair()
	if err != nil {
		return nil, err
	}
	defer far.Close()
	words := append([]string{"worker", "hathi: template " + s.Name}, s.words()...)
	if err := t.ctl.send(packStrings(words...), far); err != nil {
		near.close()
		return nil, fmt.Errorf("worker %s: the template is gone: %w", s.File, err)
	}
	far.Close() // or its end would not show
	w := &template{ctl: near, log: t.log, dead: make(chan struct{}), group: t.group}
	if err := w.await(ctx, "worker "+s.File); err != nil {
		near.close()
		return nil, err
	}
	return w, nil
}

// forkServing forks a serving process. A script is booted by the process itself.
func (t *template) forkServing(slot int, s *Script, boot bool) (*control, error) {
	near, far, err := controlPair()
	if err != nil {
		return nil, err
	}
	defer far.Close()
	title := fmt.Sprintf("hathi: serving %d", slot)
	words := []string{"serve", title, strconv.Itoa(slot), ""}
	if s != nil {
		words[1] += " " + s.Name
		if boot {
			words = append(words[:3], s.words()...)
		}
	}
	if err := t.ctl.send(packStrings(words...), far); err != nil {
		near.close()
		return nil, fmt.Errorf("fork of serving process %d: the template is gone: %w", slot, err)
	}
	return near, nil
}

// alive tells whether the process can still fork.
func (t *template) alive() bool {
	select {
	case <-t.dead:
		return false
	default:
		return true
	}
}
