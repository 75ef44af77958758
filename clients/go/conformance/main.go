// The driver with which this client runs the conformance scenarios: see ../../README.md.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	pawl "pawl.dev/client"
)

type command struct {
	ID         int                        `json:"id"`
	Do         string                     `json:"do"`
	Type       string                     `json:"type"`
	Types      json.RawMessage            `json:"types"`
	Definition json.RawMessage            `json:"definition"`
	Input      json.RawMessage            `json:"input"`
	Key        string                     `json:"key"`
	JobID      string                     `json:"jobId"`
	Epoch      int                        `json:"epoch"`
	TimeoutMs  int64                      `json:"timeoutMs"`
	WaitMs     int64                      `json:"waitMs"`
	DelayMs    int64                      `json:"delayMs"`
	Reason     string                     `json:"reason"`
	Name       string                     `json:"name"`
	Payload    json.RawMessage            `json:"payload"`
	Worker     string                     `json:"worker"`
	Progress   *float64                   `json:"progress"`
	Message    *string                    `json:"message"`
	Checkpoint json.RawMessage            `json:"checkpoint"`
	Log        []string                   `json:"log"`
	Result     json.RawMessage            `json:"result"`
	Error      map[string]json.RawMessage `json:"error"`
}

type driver struct {
	client *pawl.Client
	leases map[string]*pawl.Lease
	stop   context.CancelFunc
	ended  chan error
}

type object = map[string]any

func main() {
	d := &driver{
		client: pawl.NewClient(os.Getenv("PAWL_URL"), os.Getenv("PAWL_KEY")),
		leases: map[string]*pawl.Lease{},
	}
	lines := bufio.NewReader(os.Stdin)
	answers := json.NewEncoder(os.Stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return
		}
		var asked command
		if err := json.Unmarshal(line, &asked); err != nil {
			panic(err)
		}
		value, err := d.do(context.Background(), asked)
		if err == nil {
			err = answers.Encode(object{"id": asked.ID, "value": value})
		} else {
			refusal := object{"code": codeOf(err), "message": err.Error()}
			err = answers.Encode(object{"id": asked.ID, "error": refusal})
		}
		if err != nil {
			panic(err)
		}
	}
}

func codeOf(err error) string {
	var refused *pawl.Error
	var failed *pawl.JobFailed
	var cancelled *pawl.JobCancelled
	switch {
	case errors.As(err, &refused):
		return string(refused.Code)
	case errors.As(err, &failed):
		return "JOB_FAILED"
	case errors.As(err, &cancelled):
		return "JOB_CANCELLED"
	}
	return "UNEXPECTED"
}

func (d *driver) do(ctx context.Context, asked command) (any, error) {
	switch asked.Do {
	case "hello":
		return object{"client": "go"}, nil
	case "register":
		return nil, d.client.PutType(ctx, asked.Type, asked.Definition)
	case "enqueue":
		job := pawl.NewJob{Type: asked.Type, Key: asked.Key}
		if asked.Input != nil {
			job.Input = asked.Input
		}
		handle, err := d.client.Enqueue(ctx, job)
		if err != nil {
			return nil, err
		}
		return object{"jobId": handle.ID, "isNew": handle.IsNew}, nil
	case "result":
		ctx, cancel := context.WithTimeout(ctx, time.Duration(asked.TimeoutMs)*time.Millisecond)
		defer cancel()
		var result json.RawMessage
		err := d.client.Job(asked.JobID).Result(ctx, &result)
		return result, err
	case "cancel":
		_, err := d.client.Job(asked.JobID).Cancel(ctx, asked.Reason, false)
		return nil, err
	case "send":
		return nil, d.client.Job(asked.JobID).Send(ctx, asked.Name, asked.Payload, "")
	case "claim":
		return d.claim(ctx, asked)
	case "work":
		return nil, d.work(ctx, asked)
	case "stop":
		d.stop()
		return nil, <-d.ended
	}
	return d.report(ctx, asked)
}

func (d *driver) claim(ctx context.Context, asked command) (any, error) {
	var types []string
	if err := json.Unmarshal(asked.Types, &types); err != nil {
		return nil, err
	}
	wait := time.Duration(asked.WaitMs) * time.Millisecond
	options := pawl.ClaimOptions{WorkerID: asked.Worker, Types: types, Max: 1, Wait: wait}
	leases, err := d.client.Claim(ctx, options)
	if err != nil || len(leases) == 0 {
		return nil, err
	}
	lease := leases[0]
	d.leases[keyOf(lease.Job.ID, lease.Epoch)] = lease
	return object{
		"jobId":      lease.Job.ID,
		"epoch":      lease.Epoch,
		"attempt":    lease.Attempt,
		"input":      lease.Input,
		"checkpoint": lease.Checkpoint,
		"stages":     lease.Stages,
	}, nil
}

func keyOf(id string, epoch int) string { return fmt.Sprintf("%s/%d", id, epoch) }

func (d *driver) report(ctx context.Context, asked command) (any, error) {
	lease := d.leases[keyOf(asked.JobID, asked.Epoch)]
	switch asked.Do {
	case "heartbeat":
		report := pawl.Report{Progress: asked.Progress, Message: asked.Message, Checkpoint: asked.Checkpoint}
		for _, line := range asked.Log {
			report.Log = append(report.Log, pawl.LogLine{Line: line, Level: "info"})
		}
		renewal, err := lease.Heartbeat(ctx, report)
		return object{"cancel": renewal.Cancel}, err
	case "keepStage":
		_, err := lease.KeepStage(ctx, asked.Name, asked.Result)
		return nil, err
	case "complete":
		return nil, lease.Complete(ctx, asked.Result)
	case "fail":
		failure := &pawl.Failure{}
		content, _ := json.Marshal(asked.Error)
		if err := json.Unmarshal(content, failure); err != nil {
			return nil, err
		}
		return nil, lease.Fail(ctx, failure)
	case "snooze":
		delay := time.Duration(asked.DelayMs) * time.Millisecond
		return nil, lease.Snooze(ctx, delay, asked.Checkpoint)
	case "release":
		return nil, lease.Release(ctx, "")
	case "cancelled":
		return nil, lease.Cancelled(ctx, nil)
	}
	return nil, fmt.Errorf("what is %q?", asked.Do)
}

func (d *driver) work(ctx context.Context, asked command) error {
	var types map[string]json.RawMessage
	if err := json.Unmarshal(asked.Types, &types); err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	worker := &pawl.Worker{Client: d.client, Concurrency: 4, ClaimWait: time.Second, Log: log}
	for name, definition := range types {
		worker.Handle(name, definition, handlers[name])
	}
	if err := worker.Register(ctx); err != nil {
		return err
	}
	working, stop := context.WithCancel(ctx)
	d.stop = stop
	d.ended = make(chan error, 1)
	go func() { d.ended <- worker.Run(working) }()
	return nil
}

var handlers = map[string]pawl.Handler{
	"conformance.echo":          echo,
	"conformance.fail":          fail,
	"conformance.retry":         retry,
	"conformance.stages":        stages,
	"conformance.checkpoint":    checkpoint,
	"conformance.wait":          wait,
	"conformance.snooze":        snooze,
	"conformance.flow":          flow,
	"conformance.failing-child": failingChild,
}

func echo(_ context.Context, run *pawl.Run) (any, error) { return run.Input, nil }

func fail(ctx context.Context, run *pawl.Run) (any, error) {
	var input struct{ Message string }
	if err := run.ReadInput(ctx, &input); err != nil {
		return nil, err
	}
	return nil, pawl.Permanent("TooBig", input.Message)
}

func retry(_ context.Context, run *pawl.Run) (any, error) {
	if run.Attempt == 1 {
		return nil, pawl.Transient("NotYet", "not yet")
	}
	return object{"attempt": run.Attempt}, nil
}

var stageRuns sync.Map

func stages(ctx context.Context, run *pawl.Run) (any, error) {
	counted, err := pawl.Stage(ctx, run, "count", func(context.Context) (int, error) {
		before, _ := stageRuns.LoadOrStore(run.Job.ID, 0)
		stageRuns.Store(run.Job.ID, before.(int)+1)
		return before.(int) + 1, nil
	})
	if err != nil {
		return nil, err
	}
	if run.Attempt == 1 {
		return nil, errors.New("after the stage")
	}
	runs, _ := stageRuns.Load(run.Job.ID)
	return object{"count": counted, "runs": runs, "attempt": run.Attempt}, nil
}

func checkpoint(ctx context.Context, run *pawl.Run) (any, error) {
	var from int
	if _, err := run.LastCheckpoint(&from); err != nil {
		return nil, err
	}
	for number := from + 1; number <= 4; number++ {
		if err := run.Keep(ctx, number); err != nil {
			return nil, err
		}
		if run.Attempt == 1 && number == 2 {
			return nil, errors.New("after two")
		}
	}
	return object{"from": from, "attempt": run.Attempt}, nil
}

func wait(ctx context.Context, run *pawl.Run) (any, error) {
	run.Progress(10, "waiting")
	run.Log("warn", "the job waits to be cancelled")
	<-ctx.Done()
	return nil, context.Cause(ctx)
}

func snooze(_ context.Context, run *pawl.Run) (any, error) {
	var last struct{ Slept bool }
	isThere, err := run.LastCheckpoint(&last)
	if err != nil {
		return nil, err
	}
	if !isThere {
		return nil, pawl.Snooze(10*time.Millisecond, object{"slept": true})
	}
	return object{"attempt": run.Attempt, "slept": last.Slept}, nil
}

func flow(ctx context.Context, run *pawl.Run) (any, error) {
	side, err := run.StartJob(ctx, "side", "conformance.echo", 3, pawl.WaitOptions{})
	if err != nil {
		return nil, err
	}
	children := []pawl.Child{
		{Key: "a", Type: "conformance.echo", Input: 1},
		{Key: "b", Type: "conformance.echo", Input: 2},
	}
	parts, err := run.CallAll(ctx, "parts", children, pawl.WaitOptions{})
	if err != nil {
		return nil, err
	}
	if err := run.Sleep(ctx, "pause", 10*time.Millisecond); err != nil {
		return nil, err
	}
	which, approved, err := run.First(ctx, "answer", map[string]*pawl.Wait{
		"said": pawl.MessageWait("approve"),
		"late": pawl.SleepWait("give-up", time.Hour),
	})
	if err != nil {
		return nil, err
	}
	sideResult, err := pawl.ResultOf[int](ctx, run, side)
	if err != nil {
		return nil, err
	}
	last, err := pawl.Call[int](ctx, run, "last", "conformance.echo", 4)
	if err != nil {
		return nil, err
	}
	results := []json.RawMessage{}
	for _, part := range parts {
		results = append(results, part.Result)
	}
	return object{
		"parts": results, "which": which, "approved": approved, "side": sideResult, "last": last,
	}, nil
}

func failingChild(ctx context.Context, run *pawl.Run) (any, error) {
	_, err := pawl.Call[any](ctx, run, "bad", "conformance.fail", object{"message": "no"})
	var failed *pawl.ChildrenFailed
	if !errors.As(err, &failed) {
		return nil, err
	}
	return object{"failed": failed.Counts.Failed, "class": failed.Failed[0].Error.Class}, nil
}
