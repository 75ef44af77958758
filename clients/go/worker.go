package pawl

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"runtime/debug"
	"sync"
	"time"
)

const (
	claimWaitDefault = 5 * time.Second
	claimPauseMax    = 5 * time.Second
	announceEvery    = 10 * time.Second
	graceDefault     = 30 * time.Second
	shutdownTime     = 10 * time.Second
)

// Handler runs a job. What it returns is the job's result; an error fails the attempt, unless it says
// that the turn is over (ErrSuspended, ErrCancelled, Snooze).
type Handler func(ctx context.Context, run *Run) (any, error)

// Worker claims jobs, runs their handlers and reports how they ended.
type Worker struct {
	Client *Client
	// ID names this process; default: made of host, pid and chance.
	ID string
	// Concurrency is how many jobs run at a time; default: 1.
	Concurrency int
	Queues      []string
	// ClaimWait is how long the server waits for a job; default: 5 s.
	ClaimWait time.Duration
	// Grace is how long jobs in flight may take once the worker stops; default: 30 s. Those that take
	// longer are given back.
	Grace time.Duration
	Log   *slog.Logger

	types       []string
	handlers    map[string]Handler
	definitions map[string]any
}

// Handle registers a handler. The definition is a body of PUT /v1/types/{type}; nil: a task with the
// platform's defaults.
func (w *Worker) Handle(jobType string, definition any, handler Handler) {
	if w.handlers == nil {
		w.handlers = map[string]Handler{}
		w.definitions = map[string]any{}
	}
	if _, isKnown := w.handlers[jobType]; isKnown {
		panic(fmt.Sprintf("type %q has a handler already", jobType))
	}
	if definition == nil {
		definition = map[string]any{"lifecycle": "task"}
	}
	w.types = append(w.types, jobType)
	w.handlers[jobType] = handler
	w.definitions[jobType] = definition
}

// Register tells the server of the types. A credential that may not change types goes by what is there.
func (w *Worker) Register(ctx context.Context) error {
	for _, name := range w.types {
		err := w.Client.PutType(ctx, name, w.definitions[name])
		if IsCode(err, CodeForbidden) {
			path := "/v1/types/" + url.PathEscape(name)
			_, err = w.Client.do(ctx, request{method: http.MethodGet, path: path}, nil)
		}
		if err != nil {
			return fmt.Errorf("type %q: %w", name, err)
		}
	}
	return nil
}

func (w *Worker) defaults() {
	if w.ID == "" {
		host, _ := os.Hostname()
		w.ID = fmt.Sprintf("%s-%d-%s", host, os.Getpid(), newID()[:8])
	}
	if w.ClaimWait == 0 {
		w.ClaimWait = claimWaitDefault
	}
	if w.Grace == 0 {
		w.Grace = graceDefault
	}
	if w.Log == nil {
		w.Log = slog.Default()
	}
	w.Concurrency = max(1, w.Concurrency)
}

// Run registers the types and works until the context ends, then lets the jobs in flight finish.
func (w *Worker) Run(ctx context.Context) error {
	w.defaults()
	if err := w.Register(ctx); err != nil {
		return err
	}
	// Handlers are not ended by the context: they get time to finish first.
	handlers, endAll := context.WithCancelCause(context.WithoutCancel(ctx))
	defer endAll(nil)
	slots := make(chan struct{}, w.Concurrency)
	var inFlight sync.WaitGroup
	w.claimLoop(ctx, slots, func(lease *Lease) {
		inFlight.Add(1)
		go func() {
			defer inFlight.Done()
			defer func() { <-slots }()
			w.attempt(handlers, lease)
		}()
	})
	ended := make(chan struct{})
	go func() {
		inFlight.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(w.Grace):
		endAll(ErrShutdown)
		<-ended
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
	defer cancel()
	w.announce(last, "stopped")
	return nil
}

// claimLoop takes a slot for each job that it begins.
func (w *Worker) claimLoop(ctx context.Context, slots chan struct{}, begin func(*Lease)) {
	pause := backoffBase
	announcedAt := time.Time{}
	for ctx.Err() == nil {
		free, err := takeSlots(ctx, slots)
		if err != nil {
			return
		}
		if time.Since(announcedAt) >= announceEvery {
			announcedAt = time.Now()
			if w.announce(ctx, "working") {
				giveSlots(slots, free)
				return
			}
		}
		leases, err := w.claim(ctx, free)
		giveSlots(slots, free-len(leases))
		for _, lease := range leases {
			begin(lease)
		}
		if err == nil || ctx.Err() != nil {
			pause = backoffBase
			continue
		}
		w.Log.Warn("could not claim jobs, trying again", "error", err)
		if sleep(ctx, pause) != nil {
			return
		}
		pause = min(claimPauseMax, 2*pause)
	}
}

// claim is not given up when the worker stops: jobs that it wins meanwhile would count as lost.
func (w *Worker) claim(ctx context.Context, free int) ([]*Lease, error) {
	options := ClaimOptions{
		WorkerID: w.ID, Types: w.types, Queues: w.Queues, Max: free, Wait: w.ClaimWait,
	}
	leases, err := w.Client.Claim(context.WithoutCancel(ctx), options)
	if ctx.Err() == nil {
		return leases, err
	}
	for _, lease := range leases {
		w.report(lease, lease.Release(context.WithoutCancel(ctx), "shutdown"))
	}
	return nil, err
}

func takeSlots(ctx context.Context, slots chan struct{}) (int, error) {
	select {
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	case slots <- struct{}{}:
	}
	for free := 1; ; free++ {
		select {
		case slots <- struct{}{}:
		default:
			return free, nil
		}
	}
}

func giveSlots(slots chan struct{}, count int) {
	for range count {
		<-slots
	}
}

// announce tells how the worker is; true: it was asked to finish its jobs and leave.
func (w *Worker) announce(ctx context.Context, state string) bool {
	host, _ := os.Hostname()
	body := map[string]any{"types": w.types, "pid": os.Getpid(), "slots": w.Concurrency, "state": state}
	if host != "" {
		body["host"] = host
	}
	var answer struct {
		IsDrainAsked bool `json:"isDrainAsked"`
	}
	path := "/v1/workers/" + url.PathEscape(w.ID)
	call := request{method: http.MethodPut, path: path, body: body, noRetry: true}
	if _, err := w.Client.do(ctx, call, &answer); err != nil {
		w.Log.Debug("worker heartbeat failed", "error", err)
	}
	return answer.IsDrainAsked
}

func (w *Worker) attempt(ctx context.Context, lease *Lease) {
	run := newRun(ctx, lease)
	defer run.end(nil)
	settling := context.WithoutCancel(ctx)
	var result any
	err := run.begin(settling)
	if err == nil {
		result, err = safely(run.ctx, w.handlers[lease.Job.Type], run)
	}
	run.close()
	w.report(lease, w.settle(settling, run, result, err))
}

// safely turns a panic into an error.
func safely(ctx context.Context, handler Handler, run *Run) (result any, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			details := map[string]any{"stack": string(debug.Stack())}
			err = &Failure{Class: "panic", Message: fmt.Sprint(cause), Details: details}
		}
	}()
	return handler(ctx, run)
}

// settle reports how a turn ended; of a job that is another's by now there is nothing to report.
func (w *Worker) settle(ctx context.Context, run *Run, result any, err error) error {
	why := run.stopped()
	if errors.Is(why, ErrSuspended) || errors.Is(why, ErrLeaseLost) || errors.Is(why, ErrTimeout) {
		return nil
	}
	if errors.Is(why, ErrShutdown) && err != nil {
		return run.Release(ctx, "shutdown")
	}
	if flushed := run.flush(ctx); flushed != nil && !isRefusal(flushed) {
		return flushed
	}
	var snoozed *Snoozed
	switch {
	case err == nil:
		return run.Complete(ctx, result)
	case errors.As(err, &snoozed):
		return run.Snooze(ctx, snoozed.Delay, snoozed.Checkpoint)
	case errors.Is(why, ErrCancelled):
		return run.Cancelled(ctx, nil)
	}
	return run.Fail(ctx, err)
}

func (w *Worker) report(lease *Lease, err error) {
	switch {
	case err == nil:
		w.Log.Debug("reported", "job", lease.Job.ID)
	case IsCode(err, CodeLeaseLost, CodeNotFound):
		w.Log.Warn("the job is no longer this worker's", "job", lease.Job.ID)
	default:
		// Its lease expires, and another attempt is made.
		w.Log.Error("could not report the end of a job", "job", lease.Job.ID, "error", err)
	}
}
