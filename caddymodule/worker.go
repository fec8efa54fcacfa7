package caddymodule

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

// Worker is a worker script: it boots an application once and then loops over
// the requests. It is either global (apps.hathi.workers) or of one site (the
// php handler's workers).
type Worker struct {
	// Name is the label in logs, metrics and the process list. Default: the file.
	Name string `json:"name,omitempty"`

	// FileName is the script, required. A relative one is below the handler's root
	// when that is fixed, else below the directory Hathi was started in.
	FileName string `json:"file_name,omitempty"`

	// Num is the number of interpreters that run the script. Fewer than the CPUs
	// means as many serving processes. Default: one in every serving process.
	Num int `json:"num,omitempty"`

	// MaxThreads is the most interpreters that may run the script under load.
	// Checked and kept; not in force yet.
	MaxThreads int `json:"max_threads,omitempty"`

	// Env is seen in $_SERVER and by getenv() while the script boots.
	Env map[string]string `json:"env,omitempty"`

	// Watch has patterns of files whose change restarts the workers. Kept; not in
	// force yet.
	Watch []string `json:"watch,omitempty"`

	// MatchPath has path patterns, in the syntax of Caddy's path matcher, of the
	// requests that the script answers whatever file they name. Only in a site.
	MatchPath []string `json:"match_path,omitempty"`

	// MaxConsecutiveFailures is how often in a row the script may fail to reach its
	// loop during start before the start fails. 0 means at the first, -1 never.
	MaxConsecutiveFailures int `json:"max_consecutive_failures,omitempty"`

	match  caddyhttp.MatchPath
	script int // index for Serve, once known
}

// provision makes the file absolute, below root when that is not "".
func (w *Worker) provision(root string) error {
	if w.FileName == "" {
		return errors.New("worker: no file is given")
	}
	file, err := workerFile(w.FileName, root)
	if err != nil {
		return err
	}
	w.FileName = file
	if w.Name == "" {
		w.Name = file
	}
	return nil
}

func (w *Worker) validate() error {
	if w.Num < 0 {
		return fmt.Errorf("worker %s: num: %d is less than 0", w.Name, w.Num)
	}
	if w.MaxThreads < 0 {
		return fmt.Errorf("worker %s: max_threads: %d is less than 0", w.Name, w.MaxThreads)
	}
	if w.MaxThreads > 0 && w.Num > w.MaxThreads {
		return fmt.Errorf("worker %s: max_threads: %d is less than num, which is %d", w.Name, w.MaxThreads, w.Num)
	}
	if w.MaxConsecutiveFailures < -1 {
		return fmt.Errorf("worker %s: max_consecutive_failures: %d is less than -1", w.Name, w.MaxConsecutiveFailures)
	}
	return fileExists("worker", w.FileName)
}

// workerFile is a worker's file made absolute, symlinks resolved where it
// exists: requests are matched with it by their resolved script.
func workerFile(file, root string) (string, error) {
	if !filepath.IsAbs(file) {
		file = filepath.Join(root, file)
	}
	file, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	if resolved, err := filepath.EvalSymlinks(file); err == nil {
		return resolved, nil
	}
	return file, nil
}
