package pawl

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"testing"
	"time"
)

// What the conformance scenarios do not show, against a real server at PAWL_URL.

const patience = time.Minute

func connect(t *testing.T) (context.Context, *Client, string) {
	t.Helper()
	url := os.Getenv("PAWL_URL")
	if url == "" {
		t.Skip("PAWL_URL names no server")
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx, NewClient(url, os.Getenv("PAWL_KEY")), "go." + newID()
}

// working runs a worker with one handler until the test, or what it returns, ends it.
func working(t *testing.T, ctx context.Context, worker *Worker) (stop func()) {
	t.Helper()
	worker.ClaimWait = time.Second
	worker.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	if err := worker.Register(ctx); err != nil {
		t.Fatal(err)
	}
	inner, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- worker.Run(inner) }()
	isStopped := false
	stop = func() {
		if isStopped {
			return
		}
		isStopped = true
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(stop)
	return stop
}

func task(members map[string]any) map[string]any {
	definition := map[string]any{"lifecycle": "task", "retry": map[string]any{"maxAttempts": 1}}
	for name, value := range members {
		definition[name] = value
	}
	return definition
}

func TestAFaultyMemberIsNamed(t *testing.T) {
	ctx, client, _ := connect(t)
	_, err := client.Enqueue(ctx, NewJob{Type: "no such name!"})
	var refused *Error
	if !errors.As(err, &refused) || refused.Code != CodeValidation || refused.Faults[0].Pointer != "/type" {
		t.Fatalf("unexpected: %v", err)
	}
}

func TestAnUnreachableServerIsAnUnknownOutcome(t *testing.T) {
	client := &Client{URL: "http://127.0.0.1:1", Retries: -1}
	_, err := client.Enqueue(context.Background(), NewJob{Type: "any"})
	if !IsCode(err, CodeOutcomeUnknown) {
		t.Fatalf("unexpected: %v", err)
	}
}

func TestOneBadJobOfManyIsNamedAndSpoilsNoOther(t *testing.T) {
	ctx, client, name := connect(t)
	if err := client.PutType(ctx, name, task(nil)); err != nil {
		t.Fatal(err)
	}
	results, err := client.EnqueueMany(ctx, []NewJob{{Type: name}, {Type: "go.unknown"}}, false)
	if err != nil {
		t.Fatal(err)
	}
	if results[0].Job == nil || results[1].Error == nil || results[1].Error.Code != CodeUnknownType {
		t.Fatalf("unexpected: %+v", results)
	}
	_, err = client.EnqueueMany(ctx, []NewJob{{Type: "go.unknown"}}, true)
	if !IsCode(err, CodeUnknownType) {
		t.Fatalf("unexpected: %v", err)
	}
}

func TestAWaitForAResultEndsWithItsContext(t *testing.T) {
	ctx, client, name := connect(t)
	if err := client.PutType(ctx, name, task(nil)); err != nil {
		t.Fatal(err)
	}
	job, err := client.Enqueue(ctx, NewJob{Type: name, DelayMs: 3_600_000})
	if err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	if err := job.Result(short, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("unexpected: %v", err)
	}
	if _, err := job.Cancel(ctx, "enough", false); err != nil {
		t.Fatal(err)
	}
	events, err := job.Events(ctx)
	if err != nil || events[0].Type != "job_created" {
		t.Fatalf("unexpected: %v %v", events, err)
	}
}

func endOf(t *testing.T, ctx context.Context, client *Client, job NewJob) Job {
	t.Helper()
	handle, err := client.Enqueue(ctx, job)
	if err != nil {
		t.Fatal(err)
	}
	ended, err := handle.Ended(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return ended
}

func TestAnAttemptThatTakesTooLongFailsAsATimeout(t *testing.T) {
	ctx, client, name := connect(t)
	worker := &Worker{Client: client}
	worker.Handle(name, task(map[string]any{"timeoutMs": 10_000}), func(ctx context.Context, _ *Run) (any, error) {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	})
	working(t, ctx, worker)
	ended := endOf(t, ctx, client, NewJob{Type: name})
	if ended.Error == nil || ended.Error.Class != "timeout" {
		t.Fatalf("unexpected: %+v", ended.Error)
	}
}

func TestAPanicFailsTheAttemptAndNotTheWorker(t *testing.T) {
	ctx, client, name := connect(t)
	worker := &Worker{Client: client}
	worker.Handle(name, task(nil), func(context.Context, *Run) (any, error) { panic("no ink") })
	working(t, ctx, worker)
	for range 2 {
		ended := endOf(t, ctx, client, NewJob{Type: name})
		if ended.Error == nil || ended.Error.Class != "panic" || ended.Error.Message != "no ink" {
			t.Fatalf("unexpected: %+v", ended.Error)
		}
	}
}

func TestAnErrorIsKeptWithItsCause(t *testing.T) {
	ctx, client, name := connect(t)
	worker := &Worker{Client: client}
	worker.Handle(name, task(nil), func(context.Context, *Run) (any, error) {
		return nil, &Failure{Class: "OutOfInk", Message: "no ink", Code: "NO_INK", Cause: os.ErrNotExist}
	})
	working(t, ctx, worker)
	ended := endOf(t, ctx, client, NewJob{Type: name})
	if ended.Error == nil || ended.Error.Class != "OutOfInk" || ended.Error.Code != "NO_INK" {
		t.Fatalf("unexpected: %+v", ended.Error)
	}
}

func TestAWorkerThatStopsGivesBackWhatStillRuns(t *testing.T) {
	ctx, client, name := connect(t)
	begun := make(chan struct{})
	worker := &Worker{Client: client, Grace: time.Millisecond}
	worker.Handle(name, task(nil), func(ctx context.Context, _ *Run) (any, error) {
		close(begun)
		<-ctx.Done()
		return nil, context.Cause(ctx)
	})
	stop := working(t, ctx, worker)
	job, err := client.Enqueue(ctx, NewJob{Type: name})
	if err != nil {
		t.Fatal(err)
	}
	<-begun
	stop()
	snapshot, err := job.Snapshot(ctx)
	if err != nil || snapshot.Phase != "ready" {
		t.Fatalf("unexpected: %s %v", snapshot.Phase, err)
	}
	if _, err := job.Cancel(ctx, "", false); err != nil {
		t.Fatal(err)
	}
}

func TestTwoWaitsOfOneNameAreRefused(t *testing.T) {
	ctx, client, name := connect(t)
	worker := &Worker{Client: client}
	worker.Handle(name, task(nil), func(ctx context.Context, run *Run) (any, error) {
		if err := run.Sleep(ctx, "pause", 0); err != nil {
			return nil, err
		}
		return nil, run.Sleep(ctx, "pause", 0)
	})
	working(t, ctx, worker)
	ended := endOf(t, ctx, client, NewJob{Type: name})
	if ended.Error == nil || ended.Error.Class != "configuration_error" {
		t.Fatalf("unexpected: %+v", ended.Error)
	}
}

func TestAMessageIsReadIntoItsType(t *testing.T) {
	ctx, client, name := connect(t)
	type answer struct{ By string }
	worker := &Worker{Client: client}
	worker.Handle(name, task(nil), func(ctx context.Context, run *Run) (any, error) {
		said, err := Receive[answer](ctx, run, "approve")
		return said.By, err
	})
	working(t, ctx, worker)
	job, err := client.Enqueue(ctx, NewJob{Type: name})
	if err != nil {
		t.Fatal(err)
	}
	if err := job.Send(ctx, "approve", map[string]any{"by": "Ada"}, "first"); err != nil {
		t.Fatal(err)
	}
	var result json.RawMessage
	if err := job.Result(ctx, &result); err != nil || string(result) != `"Ada"` {
		t.Fatalf("unexpected: %s %v", result, err)
	}
}
