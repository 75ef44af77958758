package pawl

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"
)

type leaseTimes struct {
	ExpiresInMs int64 `json:"expiresInMs"`
	RenewInMs   int64 `json:"renewInMs"`
}

type claim struct {
	Job            Job                        `json:"job"`
	Input          json.RawMessage            `json:"input"`
	Epoch          int                        `json:"epoch"`
	Token          string                     `json:"token"`
	Lease          leaseTimes                 `json:"lease"`
	Checkpoint     json.RawMessage            `json:"checkpoint"`
	Stages         map[string]json.RawMessage `json:"stages"`
	Attempt        int                        `json:"attempt"`
	TimeoutMs      *int64                     `json:"timeoutMs"`
	OnTimeout      string                     `json:"onTimeout"`
	IdempotencyKey string                     `json:"idempotencyKey"`
}

// Lease is a job that a worker owns until the lease expires. Each report carries the claim's epoch and
// token and can be sent again; one of an owner that lost its lease is refused with CodeLeaseLost.
type Lease struct {
	client   *Client
	WorkerID string
	Job      Job
	Epoch    int
	Token    string
	Attempt  int
	// Input is what the job was given; Lease.ReadInput reads one that is kept aside because of its size.
	Input json.RawMessage
	// Checkpoint is what was kept last; nil at first.
	Checkpoint json.RawMessage
	Stages     map[string]json.RawMessage
	// IdempotencyKey is the same in every attempt: for effects elsewhere.
	IdempotencyKey string
	// RenewIn is when the next heartbeat is due, ExpiresIn when the lease ends without one.
	RenewIn   time.Duration
	ExpiresIn time.Duration
	// Timeout is how long the attempt may take; 0: as long as it likes.
	Timeout   time.Duration
	OnTimeout string
}

func newLease(client *Client, workerID string, c claim) *Lease {
	lease := &Lease{
		client:         client,
		WorkerID:       workerID,
		Job:            c.Job,
		Epoch:          c.Epoch,
		Token:          c.Token,
		Attempt:        c.Attempt,
		Input:          c.Input,
		Checkpoint:     orNil(c.Checkpoint),
		Stages:         c.Stages,
		IdempotencyKey: c.IdempotencyKey,
		RenewIn:        time.Duration(c.Lease.RenewInMs) * time.Millisecond,
		ExpiresIn:      time.Duration(c.Lease.ExpiresInMs) * time.Millisecond,
		OnTimeout:      c.OnTimeout,
	}
	if c.TimeoutMs != nil {
		lease.Timeout = time.Duration(*c.TimeoutMs) * time.Millisecond
	}
	if lease.Stages == nil {
		lease.Stages = map[string]json.RawMessage{}
	}
	return lease
}

func orNil(value json.RawMessage) json.RawMessage {
	if string(value) == "null" {
		return nil
	}
	return value
}

// CancelWish says that somebody wants the job to end.
type CancelWish struct {
	Mode   string  `json:"mode"`
	Reason *string `json:"reason"`
}

// Renewal is the answer to a heartbeat.
type Renewal struct {
	Lease    leaseTimes  `json:"lease"`
	Progress float64     `json:"progress"`
	Cancel   *CancelWish `json:"cancel"`
}

// LogLine is a line of a job's history.
type LogLine struct {
	Line  string `json:"line"`
	Level string `json:"level"`
}

// Report is what a heartbeat carries.
type Report struct {
	Stage      string          `json:"stage,omitempty"`
	Progress   *float64        `json:"progress,omitempty"`
	Message    *string         `json:"message,omitempty"`
	Checkpoint json.RawMessage `json:"checkpoint,omitempty"`
	Log        []LogLine       `json:"log,omitempty"`
	Tokens     string          `json:"tokens,omitempty"`
}

func (l *Lease) post(ctx context.Context, verb string, members any, out any, noRetry bool) error {
	held := map[string]any{}
	if members != nil {
		content, err := json.Marshal(members)
		if err != nil {
			return err
		}
		given := map[string]json.RawMessage{}
		if err := json.Unmarshal(content, &given); err != nil {
			return err
		}
		for name, value := range given {
			held[name] = value
		}
	}
	held["workerId"] = l.WorkerID
	held["epoch"] = l.Epoch
	held["token"] = l.Token
	path := jobPath(l.Job.ID, verb)
	call := request{method: http.MethodPost, path: path, body: held, noRetry: noRetry}
	_, err := l.client.do(ctx, call, out)
	return err
}

// ReadInput reads the input into out, also one that is kept aside because of its size.
func (l *Lease) ReadInput(ctx context.Context, out any) error {
	var reference map[string]json.RawMessage
	if json.Unmarshal(l.Input, &reference) == nil && len(reference) == 1 && reference["$artifact"] != nil {
		call := request{method: http.MethodGet, path: jobPath(l.Job.ID, "input")}
		if _, err := l.client.do(ctx, call, &l.Input); err != nil {
			return err
		}
	}
	return json.Unmarshal(l.Input, out)
}

// Start begins the job, for lifecycles that tell leased from running.
func (l *Lease) Start(ctx context.Context) error { return l.post(ctx, "start", nil, nil, false) }

// Heartbeat renews the lease and carries a report.
func (l *Lease) Heartbeat(ctx context.Context, report Report) (Renewal, error) {
	var renewal Renewal
	err := l.post(ctx, "heartbeat", report, &renewal, false)
	return renewal, err
}

// KeepStage keeps a stage's result: later attempts find it in Stages.
func (l *Lease) KeepStage(ctx context.Context, name string, result any) (Renewal, error) {
	var renewal Renewal
	kept, err := json.Marshal(result)
	if err != nil {
		return renewal, err
	}
	body := map[string]any{"result": json.RawMessage(kept)}
	if err := l.post(ctx, "stages/"+url.PathEscape(name), body, &renewal, false); err != nil {
		return renewal, err
	}
	l.Stages[name] = kept
	return renewal, nil
}

// Complete reports that the job succeeded.
func (l *Lease) Complete(ctx context.Context, result any) error {
	return l.post(ctx, "complete", map[string]any{"result": result}, nil, false)
}

// Fail reports that the attempt failed.
func (l *Lease) Fail(ctx context.Context, err error) error {
	return l.post(ctx, "fail", map[string]any{"error": failureOf(err)}, nil, false)
}

// Snooze lets the job wait without spending an attempt.
func (l *Lease) Snooze(ctx context.Context, delay time.Duration, checkpoint any) error {
	body := map[string]any{"delayMs": delay.Milliseconds()}
	if checkpoint != nil {
		body["checkpoint"] = checkpoint
	}
	return l.post(ctx, "snooze", body, nil, false)
}

// Release gives the job back without spending an attempt.
func (l *Lease) Release(ctx context.Context, cause string) error {
	body := map[string]any{}
	if cause != "" {
		body["cause"] = cause
	}
	return l.post(ctx, "release", body, nil, false)
}

// Cancelled reports that the owner has stopped because of a cancel wish.
func (l *Lease) Cancelled(ctx context.Context, checkpoint any) error {
	body := map[string]any{}
	if checkpoint != nil {
		body["checkpoint"] = checkpoint
	}
	return l.post(ctx, "cancelled", body, nil, false)
}

// ChildOptions are what a child may have otherwise than its type and its parent say.
type ChildOptions struct {
	Queue      string         `json:"queue,omitempty"`
	Priority   int            `json:"priority,omitempty"`
	DelayMs    int64          `json:"delayMs,omitempty"`
	LimitKey   string         `json:"limitKey,omitempty"`
	DocumentID string         `json:"documentId,omitempty"`
	Metadata   map[string]any `json:"metadata,omitempty"`
}

// Child is a job to start for a wait, under a key of its own.
type Child struct {
	Key   string `json:"key"`
	Type  string `json:"type"`
	Input any    `json:"input"`
	ChildOptions
}

const spawnMax = 1000

// Spawn starts jobs of one type under the name of a wait, and gives their ids.
func (l *Lease) Spawn(ctx context.Context, wait string, children []Child, options WaitOptions) ([]string, error) {
	ids := []string{}
	for offset := 0; offset == 0 || offset < len(children); offset += spawnMax {
		end := min(len(children), offset+spawnMax)
		body := map[string]any{
			"wait":   wait,
			"items":  children[offset:end],
			"offset": offset,
			"isLast": end == len(children),
		}
		if options.OnFailure != "" {
			body["onFailure"] = options.OnFailure
		}
		if options.OnParentEnd != "" {
			body["onParentEnd"] = options.OnParentEnd
		}
		var answer struct {
			IDs []string `json:"ids"`
		}
		if err := l.post(ctx, "children", body, &answer, false); err != nil {
			return ids, err
		}
		ids = append(ids, answer.IDs...)
	}
	return ids, nil
}

// WaitState is what is known of a wait.
type WaitState struct {
	Name  string     `json:"name"`
	State string     `json:"state"`
	Value *WaitValue `json:"value"`
}

// WaitValue is what was decided of a wait; which members are set depends on its kind.
type WaitValue struct {
	Kind    string          `json:"kind"`
	Counts  Counts          `json:"counts"`
	Results []ChildResult   `json:"results"`
	IsAll   bool            `json:"isAll"`
	ID      string          `json:"id"`
	Payload json.RawMessage `json:"payload"`
	Which   string          `json:"which"`
	Value   *WaitValue      `json:"value"`
}

// Counts tell how the children of a wait ended.
type Counts struct {
	Total     int `json:"total"`
	Succeeded int `json:"succeeded"`
	Failed    int `json:"failed"`
}

// ChildResult is how one child ended.
type ChildResult struct {
	Key    string          `json:"key"`
	ID     string          `json:"id"`
	OK     bool            `json:"ok"`
	Result json.RawMessage `json:"result"`
	Error  *JobError       `json:"error"`
}

// Await says what is decided of the waits; if nothing is, the turn is over.
func (l *Lease) Await(ctx context.Context, waits ...map[string]any) (suspended bool, states []WaitState, err error) {
	var answer struct {
		Suspended bool        `json:"suspended"`
		Waits     []WaitState `json:"waits"`
	}
	err = l.post(ctx, "await", map[string]any{"waits": waits}, &answer, false)
	return answer.Suspended, answer.Waits, err
}

// ChildResults reads how the children of a wait ended, in the order of the items.
func (l *Lease) ChildResults(ctx context.Context, wait string) ([]ChildResult, error) {
	results := []ChildResult{}
	body := map[string]any{}
	for {
		var page struct {
			Results []ChildResult `json:"results"`
			Next    *string       `json:"next"`
		}
		path := "waits/" + url.PathEscape(wait) + "/results"
		if err := l.post(ctx, path, body, &page, false); err != nil {
			return results, err
		}
		results = append(results, page.Results...)
		if page.Next == nil {
			return results, nil
		}
		body["after"] = *page.Next
	}
}

// MessageLink is a signed address by which whoever has it sends one message of this name.
func (l *Lease) MessageLink(ctx context.Context, name string, value any, ttl time.Duration) (string, error) {
	body := map[string]any{"name": name}
	if value != nil {
		body["value"] = value
	}
	if ttl > 0 {
		body["ttlMs"] = ttl.Milliseconds()
	}
	var answer struct {
		URL string `json:"url"`
	}
	err := l.post(ctx, "links", body, &answer, false)
	return answer.URL, err
}
