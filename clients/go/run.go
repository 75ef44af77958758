package pawl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Why the context of a handler ends: context.Cause tells. A handler returns what its calls return.
var (
	// ErrCancelled: somebody cancelled the job; the worker reports that it stopped.
	ErrCancelled = errors.New("the job was cancelled")
	// ErrSuspended: the turn is over; the handler is run again, from the top, when a wait is decided.
	ErrSuspended = errors.New("the job is suspended")
	// ErrLeaseLost: the job is another worker's by now; nothing is reported.
	ErrLeaseLost = errors.New("the lease was lost")
	// ErrTimeout: the attempt took longer than its type allows; the worker has reported it.
	ErrTimeout = errors.New("the attempt took too long")
	// ErrShutdown: the worker stops and has given the job back.
	ErrShutdown = errors.New("the worker stops")
)

// Snoozed is returned by a handler whose job comes back after a time, without an attempt spent.
type Snoozed struct {
	Delay time.Duration
	// Checkpoint is kept with the job; nil keeps the last one.
	Checkpoint any
}

func (s *Snoozed) Error() string { return fmt.Sprintf("snoozed for %s", s.Delay) }

// Snooze is what a handler returns to come back after a time.
func Snooze(delay time.Duration, checkpoint any) error {
	return &Snoozed{Delay: delay, Checkpoint: checkpoint}
}

const (
	linesMax      = 256
	reportTimeMax = 2 * time.Second
	beatPauseMin  = 50 * time.Millisecond
)

// Run is one turn of a job, as a handler gets it. Heartbeats are sent in the background. It is safe for
// concurrent use.
type Run struct {
	*Lease
	ctx    context.Context
	end    context.CancelCauseFunc
	cancel context.CancelFunc
	done   chan struct{}

	mu       sync.Mutex
	news     Report
	dropped  int
	names    map[string]bool
	isNewer  bool
	expireAt time.Time
	renewAt  time.Time

	beating sync.Mutex
}

func newRun(ctx context.Context, lease *Lease) *Run {
	inner, end := context.WithCancelCause(ctx)
	now := time.Now()
	run := &Run{Lease: lease, ctx: inner, end: end, names: map[string]bool{}, done: make(chan struct{})}
	run.expireAt = now.Add(lease.ExpiresIn)
	run.renewAt = now.Add(run.renewAfter(lease.RenewIn, lease.ExpiresIn))
	return run
}

// renewAfter: a lease ends with the attempt's time limit; close to that nothing can be gained.
func (r *Run) renewAfter(renewIn, expiresIn time.Duration) time.Duration {
	return min(renewIn, max(expiresIn/2, r.Lease.RenewIn/4))
}

// Progress goes with the next heartbeat; a later one replaces it.
func (r *Run) Progress(percent float64, message string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.news.Progress = &percent
	if message != "" {
		r.news.Message = &message
	}
}

// Log adds a line to the job's history (levels: debug, info, warn, error); it goes with the next
// heartbeat.
func (r *Run) Log(level, line string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.news.Log) < linesMax {
		r.news.Log = append(r.news.Log, LogLine{Line: line, Level: level})
	} else {
		r.dropped++
	}
}

// Keep saves a checkpoint: it is kept when Keep returns, and a later attempt finds it.
func (r *Run) Keep(ctx context.Context, checkpoint any) error {
	content, err := json.Marshal(checkpoint)
	if err != nil {
		return err
	}
	if err := r.stopped(); err != nil {
		return err
	}
	if err := r.beat(ctx, content); err != nil {
		return err
	}
	r.mu.Lock()
	r.Lease.Checkpoint = content
	r.isNewer = true
	r.mu.Unlock()
	return r.stopped()
}

// LastCheckpoint reads the checkpoint into out and tells whether there is one.
func (r *Run) LastCheckpoint(out any) (bool, error) {
	r.mu.Lock()
	content := r.Lease.Checkpoint
	r.mu.Unlock()
	if content == nil {
		return false, nil
	}
	return true, json.Unmarshal(content, out)
}

// Stage runs a part of the job once: later attempts get the result that was kept.
func Stage[Result any](ctx context.Context, run *Run, name string, work func(context.Context) (Result, error)) (Result, error) {
	var result Result
	if err := run.stopped(); err != nil {
		return result, err
	}
	if kept, isKept := run.Stages[name]; isKept {
		return result, json.Unmarshal(kept, &result)
	}
	run.mu.Lock()
	run.news.Stage = name
	run.mu.Unlock()
	result, err := work(ctx)
	if err != nil {
		return result, err
	}
	renewal, err := run.KeepStage(ctx, name, result)
	if err != nil {
		return result, run.owned(err)
	}
	run.hear(renewal)
	return result, run.stopped()
}

// stopped is why the turn is over; nil while it goes on.
func (r *Run) stopped() error {
	if r.ctx.Err() == nil {
		return nil
	}
	return context.Cause(r.ctx)
}

// owned ends the turn where the server says that the job is another's.
func (r *Run) owned(err error) error {
	if IsCode(err, CodeLeaseLost, CodeNotFound) {
		r.end(fmt.Errorf("%w: %w", ErrLeaseLost, err))
		return context.Cause(r.ctx)
	}
	return err
}

func (r *Run) hear(renewal Renewal) {
	now := time.Now()
	expiresIn := time.Duration(renewal.Lease.ExpiresInMs) * time.Millisecond
	renewIn := time.Duration(renewal.Lease.RenewInMs) * time.Millisecond
	r.mu.Lock()
	r.expireAt = now.Add(expiresIn)
	r.renewAt = now.Add(r.renewAfter(renewIn, expiresIn))
	r.mu.Unlock()
	if renewal.Cancel == nil {
		return
	}
	if renewal.Cancel.Reason == nil {
		r.end(ErrCancelled)
	} else {
		r.end(fmt.Errorf("%w: %s", ErrCancelled, *renewal.Cancel.Reason))
	}
}

// beat sends a heartbeat with the news; what could not be sent goes with the next one.
func (r *Run) beat(ctx context.Context, checkpoint json.RawMessage) error {
	r.beating.Lock()
	defer r.beating.Unlock()
	r.mu.Lock()
	news := r.news
	r.news = Report{}
	if r.dropped > 0 {
		line := fmt.Sprintf("%d lines were left out", r.dropped)
		news.Log = append(news.Log, LogLine{Line: line, Level: "warn"})
		r.dropped = 0
	}
	r.mu.Unlock()
	sent := news
	sent.Checkpoint = checkpoint
	var renewal Renewal
	err := r.post(ctx, "heartbeat", sent, &renewal, checkpoint == nil)
	if err != nil {
		r.restore(news)
		return r.owned(err)
	}
	r.hear(renewal)
	return nil
}

func (r *Run) restore(news Report) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.news.Progress == nil {
		r.news.Progress = news.Progress
	}
	if r.news.Message == nil {
		r.news.Message = news.Message
	}
	if r.news.Stage == "" {
		r.news.Stage = news.Stage
	}
	r.news.Log = append(news.Log, r.news.Log...)
	r.news.Log = r.news.Log[:min(len(r.news.Log), linesMax)]
}

func (r *Run) hasNews() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.news.Progress != nil || r.news.Message != nil || r.news.Stage != "" || len(r.news.Log) > 0
}

// flush sends what waits for a heartbeat.
func (r *Run) flush(ctx context.Context) error {
	if !r.hasNews() {
		return nil
	}
	return r.beat(ctx, nil)
}

// keep sends heartbeats until close. All durations are the server's, so that no clocks are compared.
func (r *Run) keep(ctx context.Context) {
	defer close(r.done)
	timeoutAt := time.Time{}
	if r.Timeout > 0 {
		// The lease ends with the time limit, so the attempt is ended a little earlier.
		timeoutAt = time.Now().Add(r.Timeout - min(reportTimeMax, r.Timeout/10))
	}
	for {
		r.mu.Lock()
		look := r.renewAt
		r.mu.Unlock()
		if !timeoutAt.IsZero() && timeoutAt.Before(look) {
			look = timeoutAt
		}
		if sleep(ctx, time.Until(look)) != nil {
			return
		}
		if !timeoutAt.IsZero() && !time.Now().Before(timeoutAt) {
			r.timeOut(ctx)
			return
		}
		r.mu.Lock()
		isDue := !time.Now().Before(r.renewAt)
		r.mu.Unlock()
		if !isDue {
			continue
		}
		if err := r.beat(ctx, nil); err != nil && !r.hold(err) {
			return
		}
	}
}

// hold plans another beat after one that was not answered; false: the lease is over by any clock.
func (r *Run) hold(err error) bool {
	if errors.Is(err, ErrLeaseLost) {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	left := time.Until(r.expireAt)
	if left <= 0 {
		r.end(fmt.Errorf("%w: it was not renewed in time: %w", ErrLeaseLost, err))
		return false
	}
	r.renewAt = time.Now().Add(max(beatPauseMin, left/4))
	return true
}

// timeOut reports for a handler that cannot be ended: what it does later counts no more.
func (r *Run) timeOut(ctx context.Context) {
	// A handler that ends at once stops the heartbeats, which must not take the report with them.
	ctx = context.WithoutCancel(ctx)
	r.mu.Lock()
	isNewer := r.isNewer
	r.mu.Unlock()
	r.end(ErrTimeout)
	if r.OnTimeout == "resume" && isNewer {
		_ = r.Release(ctx, "timeout")
		return
	}
	message := fmt.Sprintf("the attempt took longer than %s", r.Timeout)
	_ = r.Fail(ctx, &Failure{Class: "timeout", Message: message})
}

// begin starts the job and its heartbeats.
func (r *Run) begin(ctx context.Context) error {
	if r.Job.Phase == "leased" {
		if err := r.Start(ctx); err != nil {
			close(r.done)
			return r.owned(err)
		}
	}
	beats, cancel := context.WithCancel(context.WithoutCancel(ctx))
	r.cancel = cancel
	go r.keep(beats)
	return nil
}

// close stops the heartbeats.
func (r *Run) close() {
	if r.cancel != nil {
		r.cancel()
	}
	<-r.done
}
