package pawl

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Code is the stable code of a refusal: what a program decides by.
type Code string

// Codes that clients and workers meet; the reference lists all of them.
const (
	CodeValidation          Code = "VALIDATION_ERROR"
	CodeUnauthenticated     Code = "UNAUTHENTICATED"
	CodeForbidden           Code = "FORBIDDEN"
	CodeNotFound            Code = "NOT_FOUND"
	CodeUnknownType         Code = "UNKNOWN_TYPE"
	CodeIdempotencyConflict Code = "IDEMPOTENCY_CONFLICT"
	CodeAlreadyExists       Code = "ALREADY_EXISTS"
	CodeConcurrencyConflict Code = "CONCURRENCY_CONFLICT"
	CodeLeaseLost           Code = "LEASE_LOST"
	CodePreconditionFailed  Code = "PRECONDITION_FAILED"
	CodeIllegalTransition   Code = "ILLEGAL_TRANSITION"
	CodeNotFinished         Code = "NOT_FINISHED"
	CodeWaitChanged         Code = "WAIT_CHANGED"
	CodeLimitExceeded       Code = "LIMIT_EXCEEDED"
	CodeNoResult            Code = "NO_RESULT"
	CodePayloadTooLarge     Code = "PAYLOAD_TOO_LARGE"
	CodeRateLimited         Code = "RATE_LIMITED"
	CodeInternal            Code = "INTERNAL_ERROR"
	CodeServerBusy          Code = "SERVER_BUSY"
	CodeQueueOverloaded     Code = "QUEUE_OVERLOADED"
	CodeStoreUnavailable    Code = "STORE_UNAVAILABLE"
	CodeStoreNotWritable    Code = "STORE_NOT_WRITABLE"
	// CodeOutcomeUnknown: no answer came, or the server could not tell. The same request with the
	// same key is safe.
	CodeOutcomeUnknown Code = "OUTCOME_UNKNOWN"
)

// Fault is one faulty member of a request, by JSON pointer.
type Fault struct {
	In      string `json:"in,omitempty"`
	Pointer string `json:"pointer"`
	Message string `json:"message"`
}

// Error is a refusal of the server, as a problem (RFC 9457) or as no answer at all.
type Error struct {
	Code       Code          `json:"code"`
	Status     int           `json:"status"`
	Detail     string        `json:"detail"`
	Hint       string        `json:"hint"`
	Faults     []Fault       `json:"errors"`
	RequestID  string        `json:"requestId"`
	RetryAfter time.Duration `json:"-"`
	cause      error
}

func (e *Error) Error() string {
	parts := []string{fmt.Sprintf("%s: %s", e.Code, e.Detail)}
	for _, fault := range e.Faults {
		parts = append(parts, fault.Pointer+": "+fault.Message)
	}
	if e.Hint != "" {
		parts = append(parts, e.Hint)
	}
	return strings.Join(parts, " ")
}

func (e *Error) Unwrap() error { return e.cause }

// IsCode tells whether an error is a refusal with one of the codes.
func IsCode(err error, codes ...Code) bool {
	var refused *Error
	if !errors.As(err, &refused) {
		return false
	}
	for _, code := range codes {
		if refused.Code == code {
			return true
		}
	}
	return false
}

func errorOf(status int, body []byte, retryAfter time.Duration) *Error {
	refused := &Error{}
	if json.Unmarshal(body, refused) != nil || refused.Code == "" {
		refused = &Error{Code: CodeInternal}
	}
	if refused.Detail == "" {
		refused.Detail = fmt.Sprintf("the server answered with %d", status)
	}
	refused.Status = status
	refused.RetryAfter = retryAfter
	return refused
}

// JobError is how a job failed.
type JobError struct {
	Code      string          `json:"code"`
	Class     string          `json:"class"`
	Message   string          `json:"message"`
	Retryable bool            `json:"retryable"`
	Stage     *string         `json:"stage"`
	Hint      string          `json:"hint,omitempty"`
	Stack     string          `json:"stack,omitempty"`
	Details   json.RawMessage `json:"details,omitempty"`
}

// JobFailed says that a job whose result was asked for failed, or went to the dead letters.
type JobFailed struct{ Job Job }

func (e *JobFailed) Error() string {
	if e.Job.Error == nil {
		return fmt.Sprintf("job %s failed", e.Job.ID)
	}
	return fmt.Sprintf("job %s failed: %s", e.Job.ID, e.Job.Error.Message)
}

// JobCancelled says that a job whose result was asked for was cancelled.
type JobCancelled struct{ Job Job }

func (e *JobCancelled) Error() string { return fmt.Sprintf("job %s was cancelled", e.Job.ID) }

// Failure is what a handler returns to say how the attempt failed. Any other error fails it too, with
// the name of its type as class, and is retried by the type's policy.
type Failure struct {
	Class   string
	Message string
	Code    string
	Details any
	// Retryable overrides the type's lists where it is set.
	Retryable *bool
	Cause     error
}

func (e *Failure) Error() string { return e.Message }

func (e *Failure) Unwrap() error { return e.Cause }

// Permanent makes a failure that is not retried.
func Permanent(class, message string) *Failure {
	retryable := false
	return &Failure{Class: class, Message: message, Retryable: &retryable}
}

// Transient makes a failure that is retried while attempts are left.
func Transient(class, message string) *Failure {
	retryable := true
	return &Failure{Class: class, Message: message, Retryable: &retryable}
}

// ChildrenFailed says that children of a wait did not succeed. To try the parent again would find the
// same ends, so it is not retried.
type ChildrenFailed struct {
	Wait   string
	Counts Counts
	Failed []ChildResult
}

func (e *ChildrenFailed) Error() string {
	cause := ""
	if len(e.Failed) > 0 && e.Failed[0].Error != nil {
		cause = ": " + e.Failed[0].Error.Message
	}
	return fmt.Sprintf("%d of %d jobs of %q failed%s", e.Counts.Failed, e.Counts.Total, e.Wait, cause)
}

const causesMax = 8

// failureOf is an error as the API takes it.
func failureOf(err error) map[string]any {
	failure := map[string]any{"class": className(err), "message": err.Error()}
	var given *Failure
	var children *ChildrenFailed
	switch {
	case errors.As(err, &given):
		if given.Class != "" {
			failure["class"] = given.Class
		}
		if given.Code != "" {
			failure["code"] = given.Code
		}
		if given.Details != nil {
			failure["details"] = given.Details
		}
		if given.Retryable != nil {
			failure["retryable"] = *given.Retryable
		}
	case errors.As(err, &children):
		failure["retryable"] = false
	}
	causes := []map[string]any{}
	for cause := errors.Unwrap(err); cause != nil && len(causes) < causesMax; cause = errors.Unwrap(cause) {
		causes = append(causes, map[string]any{"class": className(cause), "message": cause.Error()})
	}
	if len(causes) > 0 {
		failure["causes"] = causes
	}
	return failure
}

// className is the type's own name, without package and pointer.
func className(err error) string {
	name := strings.TrimLeft(fmt.Sprintf("%T", err), "*")
	return name[strings.LastIndex(name, ".")+1:]
}
