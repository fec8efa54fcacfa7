// Package server starts Hathi for a measurement and reads what its processes cost.
package server

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Server is a running `hathi run`.
type Server struct {
	cmd *exec.Cmd
	dir string
	// Log is the file with its output.
	Log string
	// ToReady is the time from exec to the first answer.
	ToReady time.Duration
}

// Ports returns n free TCP ports.
func Ports(n int) ([]int, error) {
	var ports []int
	for range n {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer ln.Close()
		ports = append(ports, ln.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

// Start runs binary with a Caddyfile until url answers 200 and all processes are
// ready, at most for 30 s.
func Start(binary, caddyfile, url string) (*Server, error) {
	dir, err := os.MkdirTemp("", "hathi-bench")
	if err != nil {
		return nil, err
	}
	config := filepath.Join(dir, "Caddyfile")
	if err := os.WriteFile(config, []byte(caddyfile), 0o644); err != nil {
		return nil, err
	}
	s := &Server{dir: dir, Log: filepath.Join(dir, "log")}
	log, err := os.Create(s.Log)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	s.cmd = exec.Command(binary, "run", "--config", config)
	s.cmd.Env = append(os.Environ(), "XDG_DATA_HOME="+dir, "XDG_CONFIG_HOME="+dir)
	s.cmd.Stdout, s.cmd.Stderr = log, log
	begin := time.Now()
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	for time.Since(begin) < 30*time.Second {
		resp, err := http.Get(url)
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK && s.ToReady == 0 {
				s.ToReady = time.Since(begin)
			}
		}
		if text, _ := os.ReadFile(s.Log); s.ToReady != 0 && bytes.Contains(text, []byte(`"msg":"serving"`)) {
			return s, nil
		}
		time.Sleep(2 * time.Millisecond)
	}
	text, _ := os.ReadFile(s.Log)
	s.Stop()
	return nil, fmt.Errorf("%s does not answer; log:\n%s", url, text)
}

// Stop ends the server gracefully.
func (s *Server) Stop() error {
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	err := s.cmd.Wait()
	os.RemoveAll(s.dir)
	return err
}

// Process is one of the server's processes.
type Process struct {
	PID  int
	Name string // hathi, hathi-template, hathi-serving
}

// Processes returns all processes of the server: the master and its descendants.
func (s *Server) Processes() []Process {
	parents := map[int]int{}
	names := map[int]string{}
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		name, fields, err := stat(pid)
		if err != nil {
			continue
		}
		parents[pid], _ = strconv.Atoi(fields[1])
		names[pid] = name
	}
	var list []Process
	for pid := range parents {
		for p := pid; p > 1; p = parents[p] {
			if p == s.cmd.Process.Pid {
				list = append(list, Process{pid, names[pid]})
				break
			}
		}
	}
	return list
}

// stat returns a process's name and the fields of /proc/<pid>/stat after it.
func stat(pid int) (string, []string, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", nil, err
	}
	open, end := bytes.IndexByte(b, '('), bytes.LastIndexByte(b, ')')
	return string(b[open+1 : end]), strings.Fields(string(b[end+1:])), nil
}

// CPU returns the CPU time that all processes have used (utime + stime).
func (s *Server) CPU() time.Duration {
	var ticks int64
	for _, p := range s.Processes() {
		if _, f, err := stat(p.PID); err == nil {
			u, _ := strconv.ParseInt(f[11], 10, 64)
			k, _ := strconv.ParseInt(f[12], 10, 64)
			ticks += u + k
		}
	}
	return time.Duration(ticks) * 10 * time.Millisecond // USER_HZ is 100
}

// PSS returns a process's proportional set size in bytes (/proc/<pid>/smaps_rollup).
func PSS(pid int) int64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) >= 2 && f[0] == "Pss:" {
			kb, _ := strconv.ParseInt(f[1], 10, 64)
			return kb << 10
		}
	}
	return 0
}
