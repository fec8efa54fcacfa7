package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/hathi-server/hathi/sapi"
)

// pool is a serving process's interpreter and the queue in front of it.
type pool struct {
	scripts []Script
	php     *sapi.Interpreter
	log     atomic.Pointer[zap.Logger]

	turn chan struct{} // holds one token: the right to use the interpreter
	busy atomic.Bool   // for the watchdog

	// With the token:
	resident int // the script that is parked or to be booted, Classic for none
	set      int // the script that the engine knows, Classic for none
	failures int // boots in a row that did not reach the loop
	retryAt  time.Time
	closed   bool
	y        sapi.Yield
}

func newPool(scripts []Script, php *sapi.Interpreter, parked bool) *pool {
	p := &pool{scripts: scripts, php: php, turn: make(chan struct{}, 1), resident: Classic, set: Classic}
	p.turn <- struct{}{}
	if parked {
		p.resident = 0
	}
	return p
}

func (p *pool) setLogger(log *zap.Logger) { p.log.Store(log) }

// logs writes what PHP had to say.
func (p *pool) logs() {
	for _, l := range p.y.Logs {
		if log := p.log.Load(); log != nil {
			logPHP(log, l.Level, l.Message)
		} else {
			fmt.Fprintln(os.Stderr, l.Message)
		}
	}
}

func (p *pool) resume(cmd sapi.Command, record []byte, aborted bool) {
	p.php.Resume(cmd, record, aborted, &p.y)
	p.logs()
}

// settle resumes PHP, ignoring output, until it is parked or idle.
func (p *pool) settle(cmd sapi.Command) {
	p.resume(cmd, nil, false)
	for p.y.Reason != sapi.Parked && p.y.Reason != sapi.Ended {
		p.php.Recycle(p.y.Body)
		p.resume(sapi.Continue, nil, false)
	}
}

func (p *pool) acquire(ctx context.Context) error {
	select {
	case <-p.turn:
	default:
		select {
		case <-p.turn:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	p.busy.Store(true)
	return nil
}

func (p *pool) release() {
	p.busy.Store(false)
	p.turn <- struct{}{}
}

// boot runs a worker script to its loop.
func (p *pool) boot(script int) error {
	s := &p.scripts[script]
	if p.set != script {
		env := make([]string, 0, 2*len(s.Env))
		for _, e := range s.Env {
			env = append(env, e.Key, e.Value)
		}
		p.php.SetScript(s.File, env)
		p.set = script
	}
	p.resident = script
	p.settle(sapi.Boot)
	if p.y.Reason == sapi.Parked {
		p.failures = 0
		return nil
	}
	p.failures++
	p.retryAt = time.Now().Add(bootDelay(p.failures))
	return fmt.Errorf("worker %s: %s", s.File, p.y.Error)
}

// bootFirst boots the first script at the start of the process.
func (p *pool) bootFirst(maxFailures int) error {
	for failures := 0; ; failures++ {
		err := p.boot(0)
		if err == nil {
			return nil
		}
		if maxFailures >= 0 && failures >= maxFailures {
			return err
		}
		fmt.Fprintln(os.Stderr, "hathi:", err)
		time.Sleep(time.Until(p.retryAt))
	}
}

// prepare brings the interpreter into the state that a request needs.
func (p *pool) prepare(script int) (sapi.Command, error) {
	if p.closed {
		return 0, ErrUnavailable
	}
	parked := p.php.IsParked()
	if parked && (script != p.resident) {
		p.settle(sapi.Stop)
		parked = false
	}
	if script == Classic {
		return sapi.RunFile, nil
	}
	if !parked {
		if p.resident == script && time.Now().Before(p.retryAt) {
			return 0, ErrUnavailable
		}
		if err := p.boot(script); err != nil {
			p.report(err)
			return 0, ErrUnavailable
		}
	}
	return sapi.Work, nil
}

func (p *pool) report(err error) {
	if log := p.log.Load(); log != nil {
		log.Error("worker script did not boot; it is run again", zap.Error(err), zap.Int("failures", p.failures))
	} else {
		fmt.Fprintln(os.Stderr, "hathi:", err)
	}
}

// inlineMax is the size up to which a response is written before PHP goes on: it
// fits a socket's buffer, so that the client cannot keep PHP waiting.
const inlineMax = 64 << 10

// serve runs a request. It returns when the response is with the sink.
func (p *pool) serve(ctx context.Context, script int, rec *sapi.Record, sink Sink) error {
	if script != Classic && (script < 0 || script >= len(p.scripts)) {
		rec.Release()
		return fmt.Errorf("no worker script %d: %w", script, ErrUnavailable)
	}
	record := rec.Bytes()
	if err := p.acquire(ctx); err != nil {
		rec.Release()
		return err
	}
	cmd, err := p.prepare(script)
	if err != nil {
		p.release()
		rec.Release()
		return err
	}

	headSent, streamed := false, false
	p.resume(cmd, record, false)
	for {
		y := &p.y
		switch y.Reason {
		case sapi.Inform:
			sink.Informational(y.Status, y.Header)
		case sapi.Output, sapi.Done:
			length := int64(-1)
			if y.Reason == sapi.Done {
				length = int64(len(y.Body))
			}
			if y.HasHead && !headSent {
				headSent = true
				sink.Head(y.Status, y.Header, length)
			}
			if y.Reason == sapi.Done {
				if !headSent {
					p.php.Recycle(y.Body)
					y.Body, err = nil, ErrFailed
				} else if y.Fatal && streamed {
					err = ErrFailed // what the client has must not look complete
				}
				return p.done(rec, sink, err)
			}
			streamed = true
			err = sink.Body(y.Body)
			if y.Flush && err == nil {
				err = sink.Flush()
			}
			p.php.Recycle(y.Body)
			p.resume(sapi.Continue, nil, err != nil || ctx.Err() != nil)
			continue
		case sapi.Parked, sapi.Ended:
			p.after(rec)
			return ErrFailed
		}
		p.resume(sapi.Continue, nil, false)
	}
}

// done sends the last part of a response and lets PHP go on: at once where that
// cannot keep the client waiting, else beside it.
// failed is why the response cannot be a good one, nil when it is.
func (p *pool) done(rec *sapi.Record, sink Sink, failed error) error {
	body := p.y.Body
	if len(body) > inlineMax {
		go p.finish(rec)
		err := sink.Body(body)
		p.php.Recycle(body)
		return errors.Join(failed, err)
	}
	var err error
	if len(body) > 0 {
		err = sink.Body(body)
	}
	p.php.Recycle(body)
	if err == nil && failed == nil && sink.Complete() {
		p.finish(rec)
		return nil
	}
	go p.finish(rec)
	return errors.Join(failed, err)
}

// finish runs what PHP does after a response, and gives the interpreter free.
func (p *pool) finish(rec *sapi.Record) {
	p.settle(sapi.Continue)
	p.after(rec)
}

// after looks at an interpreter that is parked or idle, and gives it free.
func (p *pool) after(rec *sapi.Record) {
	rec.Release()
	if p.y.Reason == sapi.Ended && p.resident != Classic && !p.php.IsParked() && !p.closed {
		p.rerun()
		return
	}
	p.release()
}

// rerun starts a worker script again that has ended: at its own wish, or by a fatal
// error. The next request finds it booted, or boots it itself when that failed.
func (p *pool) rerun() {
	if err := p.boot(p.resident); err != nil {
		p.report(err)
		delay := time.Until(p.retryAt)
		time.AfterFunc(delay, func() {
			if p.acquire(context.Background()) == nil {
				if p.closed || p.php.IsParked() {
					p.release()
					return
				}
				p.rerun()
			}
		})
	}
	p.release()
}

// close ends the worker script: its code after the loop runs.
func (p *pool) close(ctx context.Context) {
	if p.acquire(ctx) != nil {
		return
	}
	p.closed = true
	if p.php.IsParked() {
		p.settle(sapi.Stop)
	}
	p.release()
}

// watch enforces max_execution_time.
func (p *pool) watch() {
	for range time.Tick(200 * time.Millisecond) {
		if p.busy.Load() {
			sapi.CheckTimeout()
		}
	}
}
