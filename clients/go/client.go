// Package pawl is a client and a worker for the Pawl job platform, with the standard library alone.
package pawl

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	retriesDefault = 4
	requestTimeout = 30 * time.Second
	backoffBase    = 100 * time.Millisecond
	backoffMax     = 5 * time.Second
	retryAfterMax  = time.Minute
	endWait        = 30 * time.Second
)

// Client talks to one platform. It is safe for concurrent use.
type Client struct {
	// URL is where the server is, such as http://127.0.0.1:8080.
	URL string
	// Token is an API key or a token; empty where the server asks for none.
	Token string
	// HTTP sends the requests; default: http.DefaultClient.
	HTTP *http.Client
	// Retries is how often a request is sent again that may not have arrived; default: 4. Negative:
	// never.
	Retries int
	// Timeout is how long one request may take, its own waiting aside; default: 30 s.
	Timeout time.Duration
}

// NewClient makes a client for the server at the address.
func NewClient(url, token string) *Client {
	return &Client{URL: url, Token: token}
}

type request struct {
	method  string
	path    string
	query   url.Values
	body    any
	key     string
	wait    time.Duration
	noRetry bool
}

// do sends a request and reads the answer into out. A request whose outcome is unknown is sent again
// with the same idempotency key, so that it has its effect once.
func (c *Client) do(ctx context.Context, r request, out any) (int, error) {
	var content []byte
	if r.body != nil {
		var err error
		if content, err = json.Marshal(r.body); err != nil {
			return 0, fmt.Errorf("the body of %s is no JSON: %w", r.path, err)
		}
	}
	if r.key == "" {
		r.key = newID()
	}
	retries := c.Retries
	if retries == 0 {
		retries = retriesDefault
	}
	if r.noRetry {
		retries = 0
	}
	for tries := 0; ; tries++ {
		status, refused := c.once(ctx, r, content, out)
		if refused == nil {
			return status, nil
		}
		if ctx.Err() != nil {
			return status, context.Cause(ctx)
		}
		if tries >= retries || !mayRetry(refused.Status) {
			return status, refused
		}
		pause := refused.RetryAfter
		if pause == 0 {
			pause = time.Duration(mathrand.Int63n(int64(min(backoffMax, backoffBase<<tries))))
		}
		if err := sleep(ctx, pause); err != nil {
			return status, err
		}
	}
}

func (c *Client) once(ctx context.Context, r request, content []byte, out any) (int, *Error) {
	timeout := c.Timeout
	if timeout == 0 {
		timeout = requestTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout+r.wait)
	defer cancel()
	target := strings.TrimRight(c.URL, "/") + r.path
	if len(r.query) > 0 {
		target += "?" + r.query.Encode()
	}
	sent, err := http.NewRequestWithContext(ctx, r.method, target, bytes.NewReader(content))
	if err != nil {
		return 0, &Error{Code: CodeValidation, Status: 400, Detail: err.Error(), cause: err}
	}
	sent.Header.Set("accept", "application/json")
	if content != nil {
		sent.Header.Set("content-type", "application/json")
	}
	if r.method == http.MethodPost {
		sent.Header.Set("idempotency-key", r.key)
	}
	if c.Token != "" {
		sent.Header.Set("authorization", "Bearer "+c.Token)
	}
	transport := c.HTTP
	if transport == nil {
		transport = http.DefaultClient
	}
	answer, err := transport.Do(sent)
	if err != nil {
		return 0, c.unanswered(err)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, c.unanswered(err)
	}
	if answer.StatusCode >= 400 {
		return answer.StatusCode, errorOf(answer.StatusCode, data, retryAfter(answer.Header))
	}
	if out == nil || len(data) == 0 {
		return answer.StatusCode, nil
	}
	if err := json.Unmarshal(data, out); err != nil {
		return answer.StatusCode, c.unanswered(err)
	}
	return answer.StatusCode, nil
}

func (c *Client) unanswered(err error) *Error {
	detail := fmt.Sprintf("no answer from %s: %v", c.URL, err)
	return &Error{Code: CodeOutcomeUnknown, Detail: detail, cause: err}
}

func mayRetry(status int) bool {
	switch status {
	case 0, 408, 425, 429, 502, 503, 504:
		return true
	}
	return false
}

func retryAfter(header http.Header) time.Duration {
	seconds, err := strconv.ParseFloat(header.Get("retry-after"), 64)
	if err != nil || seconds <= 0 {
		return 0
	}
	return min(retryAfterMax, time.Duration(seconds*float64(time.Second)))
}

func sleep(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

func newID() string {
	var random [16]byte
	if _, err := rand.Read(random[:]); err != nil {
		panic(err)
	}
	return hex.EncodeToString(random[:])
}

// Job is a job as the server tells of it.
type Job struct {
	ID            string          `json:"id"`
	Type          string          `json:"type"`
	Lifecycle     string          `json:"lifecycle"`
	State         string          `json:"state"`
	Phase         string          `json:"phase"`
	Queue         string          `json:"queue"`
	Priority      int             `json:"priority"`
	Epoch         int             `json:"epoch"`
	Version       int             `json:"version"`
	Stage         *string         `json:"stage"`
	Progress      float64         `json:"progress"`
	Message       *string         `json:"message"`
	Attempts      int             `json:"attempts"`
	MaxAttempts   int             `json:"maxAttempts"`
	RunAt         time.Time       `json:"runAt"`
	CreatedAt     time.Time       `json:"createdAt"`
	UpdatedAt     time.Time       `json:"updatedAt"`
	StartedAt     *time.Time      `json:"startedAt"`
	CompletedAt   *time.Time      `json:"completedAt"`
	DeadlineAt    *time.Time      `json:"deadlineAt"`
	Error         *JobError       `json:"error"`
	Metadata      json.RawMessage `json:"metadata"`
	CorrelationID string          `json:"correlationId"`
	ParentJobID   *string         `json:"parentJobId"`
	DocumentID    *string         `json:"documentId"`
	Input         json.RawMessage `json:"input,omitempty"`
	Result        json.RawMessage `json:"result,omitempty"`
	Checkpoint    json.RawMessage `json:"checkpoint,omitempty"`
}

// NewJob is what a job is accepted with; what is left out is left to its type.
type NewJob struct {
	Type          string         `json:"type"`
	Input         any            `json:"input,omitempty"`
	ID            string         `json:"id,omitempty"`
	Queue         string         `json:"queue,omitempty"`
	Priority      int            `json:"priority,omitempty"`
	RunAt         *time.Time     `json:"runAt,omitempty"`
	DelayMs       int64          `json:"delayMs,omitempty"`
	DeadlineMs    int64          `json:"deadlineMs,omitempty"`
	TimeoutMs     int64          `json:"timeoutMs,omitempty"`
	MaxAttempts   int            `json:"maxAttempts,omitempty"`
	Backoff       *Backoff       `json:"backoff,omitempty"`
	Unique        any            `json:"unique,omitempty"`
	LimitKey      string         `json:"limitKey,omitempty"`
	DocumentID    string         `json:"documentId,omitempty"`
	CorrelationID string         `json:"correlationId,omitempty"`
	ParentJobID   string         `json:"parentJobId,omitempty"`
	Metadata      map[string]any `json:"metadata,omitempty"`
	Submit        *bool          `json:"submit,omitempty"`
	// Key makes the request repeatable: the same job within 24 h is the job of the first time.
	Key string `json:"-"`
}

// Backoff is how long a retry waits.
type Backoff struct {
	Kind   string  `json:"kind"`
	BaseMs int64   `json:"baseMs"`
	Factor float64 `json:"factor,omitempty"`
	MaxMs  int64   `json:"maxMs,omitempty"`
	Jitter string  `json:"jitter,omitempty"`
}

// Handle is a job that was accepted, or is known by its id.
type Handle struct {
	client *Client
	ID     string
	// IsNew is false where an earlier request with the same key, or a unique rule, had made the job.
	IsNew bool
}

func jobPath(id string, verb ...string) string {
	path := "/v1/jobs/" + url.PathEscape(id)
	for _, part := range verb {
		path += "/" + part
	}
	return path
}

// Enqueue accepts a job: it is durable when Enqueue returns.
func (c *Client) Enqueue(ctx context.Context, job NewJob) (*Handle, error) {
	var accepted Job
	call := request{method: http.MethodPost, path: "/v1/jobs", body: job, key: job.Key}
	status, err := c.do(ctx, call, &accepted)
	if err != nil {
		return nil, err
	}
	return &Handle{client: c, ID: accepted.ID, IsNew: status == http.StatusAccepted}, nil
}

// BatchItem is what became of one job of many.
type BatchItem struct {
	Status int    `json:"status"`
	Job    *Job   `json:"job"`
	Error  *Error `json:"error"`
}

// EnqueueMany accepts many jobs, one result a job, in order: a bad one spoils no other. With atomic
// there is a job for each, or the first refusal is returned.
func (c *Client) EnqueueMany(ctx context.Context, jobs []NewJob, atomic bool) ([]BatchItem, error) {
	items := make([]any, len(jobs))
	for index, job := range jobs {
		item := struct {
			NewJob
			Key string `json:"idempotencyKey,omitempty"`
		}{job, job.Key}
		items[index] = item
	}
	body := map[string]any{"jobs": items}
	if atomic {
		body["atomic"] = true
	}
	var answer struct {
		Results []BatchItem `json:"results"`
	}
	_, err := c.do(ctx, request{method: http.MethodPost, path: "/v1/jobs/batch", body: body}, &answer)
	return answer.Results, err
}

// Job is the handle of a job by its id.
func (c *Client) Job(id string) *Handle { return &Handle{client: c, ID: id} }

// PutType registers a type, or changes the members that are given.
func (c *Client) PutType(ctx context.Context, name string, definition any) error {
	path := "/v1/types/" + url.PathEscape(name)
	_, err := c.do(ctx, request{method: http.MethodPut, path: path, body: definition}, nil)
	return err
}

// Snapshot reads the job as it stands.
func (h *Handle) Snapshot(ctx context.Context) (Job, error) {
	var job Job
	_, err := h.client.do(ctx, request{method: http.MethodGet, path: jobPath(h.ID)}, &job)
	return job, err
}

// Ended waits for the end, however the job ends.
func (h *Handle) Ended(ctx context.Context) (Job, error) {
	query := url.Values{"waitMs": {strconv.FormatInt(endWait.Milliseconds(), 10)}}
	for {
		var job Job
		call := request{method: http.MethodGet, path: jobPath(h.ID), query: query, wait: endWait}
		if _, err := h.client.do(ctx, call, &job); err != nil {
			return job, err
		}
		if job.CompletedAt != nil {
			return job, nil
		}
	}
}

// Result waits for the result and reads it into out; the error is a *JobFailed or a *JobCancelled
// where there is none.
func (h *Handle) Result(ctx context.Context, out any) error {
	job, err := h.Ended(ctx)
	if err != nil {
		return err
	}
	switch job.Phase {
	case "succeeded":
		call := request{method: http.MethodGet, path: jobPath(h.ID, "result")}
		_, err := h.client.do(ctx, call, out)
		return err
	case "cancelled":
		return &JobCancelled{job}
	}
	return &JobFailed{job}
}

// Cancel asks for the end of the job; hard takes it away from its owner at once.
func (h *Handle) Cancel(ctx context.Context, reason string, hard bool) (Job, error) {
	body := map[string]any{"mode": "soft"}
	if hard {
		body["mode"] = "hard"
	}
	if reason != "" {
		body["reason"] = reason
	}
	var job Job
	call := request{method: http.MethodPost, path: jobPath(h.ID, "cancel"), body: body}
	_, err := h.client.do(ctx, call, &job)
	return job, err
}

// Send puts a message into the job's mailbox; one sent again under the same key is the first.
func (h *Handle) Send(ctx context.Context, name string, payload any, key string) error {
	body := map[string]any{"name": name, "payload": payload}
	if key != "" {
		body["key"] = key
	}
	call := request{method: http.MethodPost, path: jobPath(h.ID, "messages"), body: body}
	_, err := h.client.do(ctx, call, nil)
	return err
}

// Event is one thing that happened to a job.
type Event struct {
	ID        string         `json:"id"`
	Type      string         `json:"type"`
	Timestamp time.Time      `json:"timestamp"`
	From      *string        `json:"from"`
	To        string         `json:"to"`
	Message   *string        `json:"message"`
	Attempt   int            `json:"attempt"`
	Epoch     int            `json:"epoch"`
	Actor     string         `json:"actor"`
	Metadata  map[string]any `json:"metadata"`
}

// Events reads what has happened so far, oldest first.
func (h *Handle) Events(ctx context.Context) ([]Event, error) {
	events := []Event{}
	query := url.Values{"limit": {"500"}}
	for {
		var page struct {
			Items      []Event `json:"items"`
			NextCursor *string `json:"nextCursor"`
		}
		call := request{method: http.MethodGet, path: jobPath(h.ID, "events"), query: query}
		if _, err := h.client.do(ctx, call, &page); err != nil {
			return events, err
		}
		events = append(events, page.Items...)
		if page.NextCursor == nil {
			return events, nil
		}
		query.Set("cursor", *page.NextCursor)
	}
}

// ClaimOptions say which jobs are taken, and by whom.
type ClaimOptions struct {
	WorkerID string
	Types    []string
	Queues   []string
	Max      int
	// Wait is how long the server waits for a job.
	Wait time.Duration
}

// Claim takes due jobs. A Worker does this by itself; with Claim every report is your own.
func (c *Client) Claim(ctx context.Context, options ClaimOptions) ([]*Lease, error) {
	body := map[string]any{
		"workerId": options.WorkerID,
		"types":    options.Types,
		"max":      max(1, options.Max),
		"waitMs":   options.Wait.Milliseconds(),
	}
	if len(options.Queues) > 0 {
		body["queues"] = options.Queues
	}
	var answer struct {
		Jobs []claim `json:"jobs"`
	}
	call := request{method: http.MethodPost, path: "/v1/claims", body: body, wait: options.Wait}
	if _, err := c.do(ctx, call, &answer); err != nil {
		return nil, err
	}
	leases := make([]*Lease, len(answer.Jobs))
	for index, one := range answer.Jobs {
		leases[index] = newLease(c, options.WorkerID, one)
	}
	return leases, nil
}

// isRefusal tells an answer of the server from a request that was given up.
func isRefusal(err error) bool {
	var refused *Error
	return errors.As(err, &refused)
}
