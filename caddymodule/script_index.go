package caddymodule

import (
	"path/filepath"
	"sync"
	"sync/atomic"
)

// notWorker marks a script in scriptIndex that no worker has.
const notWorker = -1

// scriptIndexSize bounds the cache of scripts that are symlinks or no workers.
const scriptIndexSize = 4096

// scriptIndex finds the global worker of a script. A worker's file is known with
// its symlinks resolved, a request's script is not, so what a script resolves to
// is remembered. It is safe for concurrent use.
type scriptIndex struct {
	workers map[string]int // by resolved file
	seen    sync.Map       // script -> int
	size    atomic.Int32
}

func newScriptIndex() *scriptIndex { return &scriptIndex{workers: make(map[string]int)} }

// add is for the time before the first find.
func (x *scriptIndex) add(file string, n int) { x.workers[file] = n }

// find returns the worker whose file the script is.
func (x *scriptIndex) find(filename string) (int, bool) {
	if len(x.workers) == 0 {
		return 0, false
	}
	if n, ok := x.workers[filename]; ok {
		return n, true
	}
	if n, ok := x.seen.Load(filename); ok {
		return n.(int), n.(int) != notWorker
	}
	resolved, err := filepath.EvalSymlinks(filename)
	if err != nil {
		return 0, false // missing now, perhaps not later
	}
	n, ok := x.workers[resolved]
	if !ok {
		n = notWorker
	}
	if x.size.Load() < scriptIndexSize {
		if _, loaded := x.seen.LoadOrStore(filename, n); !loaded {
			x.size.Add(1)
		}
	}
	return n, ok
}
