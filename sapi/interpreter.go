package sapi

/*
#include "hathi.h"
*/
import "C"

import (
	"runtime"
	"sync"
	"unsafe"
)

// Command is what a resume asks of the interpreter. See hathi_command in hathi.h.
type Command C.hathi_command

const (
	Continue Command = C.HATHI_CONTINUE // go on after a yield that was not Parked or Ended
	Boot     Command = C.HATHI_BOOT     // run the worker script
	Work     Command = C.HATHI_WORK     // give the parked worker a request
	RunFile  Command = C.HATHI_CLASSIC  // run a request's script from scratch
	Stop     Command = C.HATHI_STOP     // let the parked worker's loop end
)

// Reason is why the interpreter yielded.
type Reason uint32

const (
	Parked Reason = C.HATHI_YIELD_PARKED // the worker waits for a request
	Done   Reason = C.HATHI_YIELD_DONE   // the response is complete; Continue for what PHP does after it
	Output Reason = C.HATHI_YIELD_OUTPUT // a piece of a streamed response
	Inform Reason = C.HATHI_YIELD_INFORM // a 1xx response
	Logged Reason = C.HATHI_YIELD_LOG    // log lines only
	Ended  Reason = C.HATHI_YIELD_ENDED  // the script is over
)

// Yield is what PHP handed over. Header is valid until the next Resume. Body is C
// memory that belongs to the caller until it is given to Recycle.
type Yield struct {
	Reason     Reason
	HasHead    bool // Status and Header are set
	Flush      bool // PHP asked for a flush
	Fatal      bool // the script ended by a fatal error
	Status     int
	ExitStatus int
	Header     HeaderBlock
	Body       []byte
	Error      string // with Ended after Boot: why the worker did not reach its loop
	Logs       []LogLine
}

// LogLine is a message of PHP's.
type LogLine struct {
	Level   int // as syslog: 3 is error, 7 is debug
	Message string
}

// ThreadMode says which OS threads may run PHP.
type ThreadMode int

const (
	ThreadAny    ThreadMode = iota // the caller's
	ThreadPinned                   // one thread, locked
	ThreadRotate                   // another one at every resume; for tests
)

// Interpreter is the one PHP of this process. Its methods may be called from any
// goroutine, Resume by one at a time.
type Interpreter struct {
	threads []chan func() // nil for ThreadAny
	next    int

	mu    sync.Mutex
	spare []unsafe.Pointer
	caps  []int
}

// NewInterpreter returns the interpreter of a serving process.
func NewInterpreter(mode ThreadMode) *Interpreter {
	in := &Interpreter{}
	n := map[ThreadMode]int{ThreadPinned: 1, ThreadRotate: 3}[mode]
	for range n {
		c := make(chan func())
		in.threads = append(in.threads, c)
		go func() {
			runtime.LockOSThread()
			for f := range c {
				f()
			}
		}()
	}
	return in
}

// SetScript names the worker script that Boot runs. env has "name", "value", ...
// The strings are never freed: PHP may keep pointers into the ones of before.
func (in *Interpreter) SetScript(file string, env []string) {
	var strings []byte
	for _, s := range env {
		strings = append(append(strings, s...), 0)
	}
	script := C.hathi_script{file: C.CString(file)}
	if len(strings) > 0 {
		script.env = (*C.char)(C.CBytes(strings))
		script.env_len = C.size_t(len(strings))
	}
	C.hathi_engine_set_script(&script)
}

// IsParked tells whether the worker script waits for a request.
func (in *Interpreter) IsParked() bool { return bool(C.hathi_parked()) }

// Resume runs PHP until it yields and fills y. record must stay unchanged until
// Parked or Ended. aborted tells PHP that the client is gone.
func (in *Interpreter) Resume(cmd Command, record []byte, aborted bool, y *Yield) {
	if in.threads == nil {
		in.resume(cmd, record, aborted, y)
		return
	}
	done := make(chan struct{})
	in.threads[in.next] <- func() {
		in.resume(cmd, record, aborted, y)
		close(done)
	}
	<-done
	in.next = (in.next + 1) % len(in.threads)
}

func (in *Interpreter) resume(cmd Command, record []byte, aborted bool, y *Yield) {
	recycle, recycleCap := in.takeSpare()
	out := C.hathi_resume(C.hathi_command(cmd), (*C.uchar)(unsafe.SliceData(record)), C.size_t(len(record)),
		C.bool(aborted), (*C.char)(recycle), C.size_t(recycleCap))

	*y = Yield{
		Reason:     Reason(out.reason),
		HasHead:    out.flags&C.HATHI_OUT_HEAD != 0,
		Flush:      out.flags&C.HATHI_OUT_FLUSH != 0,
		Fatal:      out.flags&C.HATHI_OUT_FATAL != 0,
		Status:     int(out.status),
		ExitStatus: int(out.exit_status),
	}
	if out.headers_len > 0 {
		y.Header = unsafe.Slice((*byte)(unsafe.Pointer(out.headers)), int(out.headers_len))
	}
	if out.body != nil {
		y.Body = unsafe.Slice((*byte)(unsafe.Pointer(out.body)), int(out.body_cap))[:out.body_len]
	}
	if out.error_len > 0 {
		y.Error = C.GoStringN(out.error, C.int(out.error_len))
	}
	if out.log_len > 0 {
		y.Logs = splitLog(C.GoStringN(out.log, C.int(out.log_len)))
	}
}

// splitLog takes apart the engine's log entries, "<level digit><message>\0" each.
func splitLog(s string) (lines []LogLine) {
	for start, i := 0, 0; i < len(s); i++ {
		if s[i] != 0 {
			continue
		}
		if i > start {
			lines = append(lines, LogLine{Level: int(s[start] - '0'), Message: s[start+1 : i]})
		}
		start = i + 1
	}
	return lines
}

func (in *Interpreter) takeSpare() (unsafe.Pointer, int) {
	in.mu.Lock()
	defer in.mu.Unlock()
	n := len(in.spare) - 1
	if n < 0 {
		return nil, 0
	}
	p, c := in.spare[n], in.caps[n]
	in.spare, in.caps = in.spare[:n], in.caps[:n]
	return p, c
}

// Recycle gives a body back to the interpreter.
func (in *Interpreter) Recycle(body []byte) {
	if cap(body) == 0 {
		return
	}
	p := unsafe.Pointer(unsafe.SliceData(body))
	in.mu.Lock()
	if len(in.spare) < 4 {
		in.spare = append(in.spare, p)
		in.caps = append(in.caps, cap(body))
		p = nil
	}
	in.mu.Unlock()
	if p != nil {
		C.hathi_buffer_free((*C.char)(p))
	}
}

// CheckTimeout interrupts PHP if the script has used up its max_execution_time. To
// be called a few times a second while PHP runs.
func CheckTimeout() { C.hathi_timeout_check() }
