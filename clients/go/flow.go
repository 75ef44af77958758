package pawl

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// onlyKey is the key of the only child of a wait, the same in every client.
const onlyKey = "1"

// WaitOptions say what a failed child and the end of the parent mean.
type WaitOptions struct {
	// OnFailure: throw (default), failFast, collect or hold.
	OnFailure string
	// OnParentEnd: cancel (default) or abandon.
	OnParentEnd string
	Child       ChildOptions
}

// Wait is something to wait for under a name.
type Wait struct {
	name    string
	request map[string]any
	prepare func(ctx context.Context, run *Run) error
	read    func(ctx context.Context, run *Run, value *WaitValue) (any, error)
	// isNamed: the name was met when the wait began.
	isNamed bool
}

// SleepWait is a time that passes, from the first time that the name is met.
func SleepWait(name string, delay time.Duration) *Wait {
	return &Wait{
		name:    name,
		request: map[string]any{"name": name, "kind": "time", "delayMs": delay.Milliseconds()},
		read:    func(context.Context, *Run, *WaitValue) (any, error) { return nil, nil },
	}
}

// MessageWait is the oldest message of the name, as a json.RawMessage.
func MessageWait(name string) *Wait {
	return &Wait{
		name:    name,
		request: map[string]any{"name": name, "kind": "message"},
		read: func(_ context.Context, _ *Run, value *WaitValue) (any, error) {
			return value.Payload, nil
		},
	}
}

func childrenWait(name string, children []Child, options WaitOptions) *Wait {
	return &Wait{
		name:    name,
		request: map[string]any{"name": name, "kind": "children"},
		prepare: func(ctx context.Context, run *Run) error {
			_, err := run.Spawn(ctx, name, children, options)
			return err
		},
		read: func(ctx context.Context, run *Run, value *WaitValue) (any, error) {
			return resultsOf(ctx, run, name, value, options)
		},
	}
}

func resultsOf(ctx context.Context, run *Run, name string, value *WaitValue, options WaitOptions) ([]ChildResult, error) {
	results := value.Results
	if !value.IsAll {
		var err error
		if results, err = run.ChildResults(ctx, name); err != nil {
			return nil, err
		}
	}
	if options.OnFailure == "collect" || value.Counts.Failed == 0 {
		return results, nil
	}
	failed := []ChildResult{}
	for _, result := range results {
		if !result.OK && len(failed) < 10 {
			failed = append(failed, result)
		}
	}
	return nil, &ChildrenFailed{Wait: name, Counts: value.Counts, Failed: failed}
}

// CallWait is a job and its result, as a ChildResult.
func CallWait(name, jobType string, input any, options WaitOptions) *Wait {
	child := Child{Key: onlyKey, Type: jobType, Input: input, ChildOptions: options.Child}
	wait := childrenWait(name, []Child{child}, options)
	all := wait.read
	wait.read = func(ctx context.Context, run *Run, value *WaitValue) (any, error) {
		results, err := all(ctx, run, value)
		if err != nil {
			return nil, err
		}
		return results.([]ChildResult)[0], nil
	}
	return wait
}

func (r *Run) claimName(wait *Wait) error {
	if wait.isNamed {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.names[wait.name] {
		return Permanent("configuration_error", fmt.Sprintf(
			"there are two waits named %q in one turn: give each a name of its own, in a loop one "+
				"with the number of the round", wait.name))
	}
	r.names[wait.name] = true
	wait.isNamed = true
	return nil
}

// Wait gives the value of a wait. One that is not decided ends the turn: the error is ErrSuspended,
// which the handler returns, and it is run again, from the top, when the wait is decided.
func (r *Run) Wait(ctx context.Context, wait *Wait) (any, error) {
	if err := r.stopped(); err != nil {
		return nil, err
	}
	if err := r.claimName(wait); err != nil {
		return nil, err
	}
	if err := r.flush(ctx); err != nil {
		return nil, err
	}
	if wait.prepare != nil {
		if err := wait.prepare(ctx, r); err != nil {
			return nil, r.owned(err)
		}
	}
	isSuspended, states, err := r.Await(ctx, wait.request)
	if err != nil {
		return nil, r.owned(err)
	}
	if isSuspended {
		r.end(fmt.Errorf("%w: it waits for %s", ErrSuspended, wait.name))
		return nil, context.Cause(r.ctx)
	}
	value, err := wait.read(ctx, r, states[0].Value)
	if err != nil {
		return nil, r.owned(err)
	}
	return value, nil
}

// Sleep waits for a time to pass.
func (r *Run) Sleep(ctx context.Context, name string, delay time.Duration) error {
	_, err := r.Wait(ctx, SleepWait(name, delay))
	return err
}

// Receive waits for a message, which may have come long before.
func Receive[Payload any](ctx context.Context, run *Run, name string) (Payload, error) {
	var payload Payload
	value, err := run.Wait(ctx, MessageWait(name))
	if err != nil {
		return payload, err
	}
	return payload, json.Unmarshal(value.(json.RawMessage), &payload)
}

// Call runs a job and waits for its result.
func Call[Result any](ctx context.Context, run *Run, name, jobType string, input any) (Result, error) {
	return ResultOf[Result](ctx, run, CallWait(name, jobType, input, WaitOptions{}))
}

// ResultOf waits for a call that was made by CallWait or started by Run.StartJob.
func ResultOf[Result any](ctx context.Context, run *Run, wait *Wait) (Result, error) {
	var result Result
	value, err := run.Wait(ctx, wait)
	if err != nil {
		return result, err
	}
	child, isCall := value.(ChildResult)
	if !isCall {
		return result, Permanent("configuration_error", fmt.Sprintf("%q is no call", wait.name))
	}
	return result, json.Unmarshal(child.Result, &result)
}

// CallAll runs a job for each child and waits until all have ended; the results are in order.
func (r *Run) CallAll(ctx context.Context, name string, children []Child, options WaitOptions) ([]ChildResult, error) {
	value, err := r.Wait(ctx, childrenWait(name, children, options))
	if err != nil {
		return nil, err
	}
	return value.([]ChildResult), nil
}

// StartJob starts a job and goes on; ResultOf waits for it later.
func (r *Run) StartJob(ctx context.Context, name, jobType string, input any, options WaitOptions) (*Wait, error) {
	if err := r.stopped(); err != nil {
		return nil, err
	}
	wait := CallWait(name, jobType, input, options)
	if err := r.claimName(wait); err != nil {
		return nil, err
	}
	if err := wait.prepare(ctx, r); err != nil {
		return nil, r.owned(err)
	}
	wait.prepare = nil
	return wait, nil
}

// First waits for the first of several waits to be decided, and gives its key and its value. Losing
// calls are cancelled.
func (r *Run) First(ctx context.Context, name string, waits map[string]*Wait) (string, any, error) {
	members := []map[string]any{}
	for key, wait := range waits {
		if err := r.claimName(wait); err != nil {
			return "", nil, err
		}
		members = append(members, map[string]any{"key": key, "wait": wait.request})
	}
	type found struct {
		which string
		value any
	}
	value, err := r.Wait(ctx, &Wait{
		name:    name,
		request: map[string]any{"name": name, "kind": "first", "members": members},
		prepare: func(ctx context.Context, run *Run) error {
			for _, wait := range waits {
				if wait.prepare == nil {
					continue
				}
				if err := wait.prepare(ctx, run); err != nil {
					return err
				}
			}
			return nil
		},
		read: func(ctx context.Context, run *Run, value *WaitValue) (any, error) {
			read, err := waits[value.Which].read(ctx, run, value.Value)
			return found{value.Which, read}, err
		},
	})
	if err != nil {
		return "", nil, err
	}
	one := value.(found)
	return one.which, one.value, nil
}
