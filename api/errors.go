package api

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/gorm"

	"homeroom/tenancy"
)

// Error is an answer that is not a success: the message for the caller, and the
// private cause that stays in the log.
type Error struct {
	Status     int
	Code       string // the error field: a code of the spec, or the status text
	Message    string
	Details    []Detail
	RetryAfter time.Duration
	Data       any // what the caller needs besides words, e.g. who is still aboard
	said       Phrase
	cause      error
}

// Detail names one bad field, as the client spelt it.
type Detail struct {
	Field   string `json:"field" doc:"The bad field, as you spelt it." example:"guardians[0].phone"`
	Message string `json:"message" doc:"What is wrong with it, in words." example:"Phone is required"`
	said    *Phrase
}

// Wrong is a bad field and what is wrong with it.
func Wrong(field, format string, args ...any) Detail { return wrong(field, Say(format, args...)) }

func wrong(field string, said Phrase) Detail {
	return Detail{Field: field, Message: said.String(), said: &said}
}

func (e *Error) Error() string {
	if e.cause != nil {
		return fmt.Sprintf("%s: %v", e.Message, e.cause)
	}
	return e.Message
}

func (e *Error) Unwrap() error { return e.cause }

// Because is the same answer with its private cause. It is a copy: answers that
// are often given are shared variables.
func (e *Error) Because(err error) *Error {
	with := *e
	with.cause = err
	return &with
}

func newError(status int, code, format string, args ...any) *Error {
	if code == "" {
		code = http.StatusText(status)
	}
	said := Say(format, args...)
	return &Error{Status: status, Code: code, Message: said.String(), said: said}
}

// Malformed is input that cannot be read: 400.
func Malformed(format string, args ...any) *Error { return newError(400, "", format, args...) }

// Coded is an error with one of the spec's codes; an empty one is the status's text.
func Coded(status int, code, message string) *Error { return newError(status, code, message) }

// Unauthorized is a missing or invalid token: 401.
func Unauthorized(message string) *Error { return newError(401, "", message) }

// Denied is a valid token without the right: 403.
func Denied(format string, args ...any) *Error {
	return newError(403, "PERMISSION_DENIED", format, args...)
}

// NotFound names the thing that is not there, or is not the caller's: 404.
func NotFound(thing string) *Error {
	return newError(404, "", "%s not found", strings.ToUpper(thing[:1])+thing[1:])
}

// Conflict is a request that does not fit the present state: 409.
func Conflict(format string, args ...any) *Error { return newError(409, "", format, args...) }

// Duplicate is a thing that exists already: 409.
func Duplicate(message string) *Error { return newError(409, "DUPLICATE_ENTRY", message) }

// Invalid names bad fields: 422.
func Invalid(details ...Detail) *Error {
	e := newError(422, "", "Validation failed")
	e.Details = details
	return e
}

// InvalidField names one bad field: 422.
func InvalidField(field, format string, args ...any) *Error {
	return Invalid(Wrong(field, format, args...))
}

// Unavailable is a part of the service that is away for a moment: 503.
func Unavailable(message string) *Error {
	e := newError(503, "", message)
	e.RetryAfter = time.Second
	return e
}

// What an answer says of a bad request is bounded, however much is bad and however long it is.
const (
	maxDetails = 200  // bad fields that are named
	maxSaid    = 2000 // bytes of a message, or of a field's name
)

// unreadable is what people are told whose page sent what only a program can mend.
const unreadable = "The page sent something that could not be read. Open it anew and try again"

// bounded is the answer in a language, cut to what is said of a bad request.
func (e *Error) bounded(in catalogue) *Error {
	out := *e
	out.Message = shortened(e.in(in))
	if more := len(e.Details) - maxDetails; more > 0 {
		rest, _ := in.say(Say(" (%d fields are named, %d more are not)", maxDetails, more))
		out.Message += rest
	}
	out.Details = make([]Detail, min(len(e.Details), maxDetails))
	for i := range out.Details {
		d := e.Details[i].in(in)
		out.Details[i] = Detail{Field: shortened(d.Field), Message: shortened(d.Message)}
	}
	return &out
}

// in is the message in a language; in English where that has no words for it.
func (e *Error) in(c catalogue) string {
	said := e.said
	if said.String() != e.Message { // it was set by hand
		said = Say(e.Message)
	}
	words, known := c.say(said)
	if !known && e.Code == http.StatusText(http.StatusBadRequest) && c != nil {
		words, _ = c.say(Say(unreadable))
	}
	return words
}

// in is the detail in a language; in English with its fields by their labels.
func (d Detail) in(c catalogue) Detail {
	said := Say(d.Message)
	if d.said != nil {
		said = *d.said
	}
	words, known := c.say(said)
	if c == nil || !known {
		return d.inWords()
	}
	d.Message = words
	return d
}

// shortened is text that may repeat what a caller sent, cut where it is long.
func shortened(text string) string {
	if len(text) <= maxSaid {
		return text
	}
	return strings.ToValidUTF8(text[:maxSaid], "") + "…"
}

// ErrorBody is the JSON of every error.
type ErrorBody struct {
	StatusCode int      `json:"statusCode" doc:"The HTTP status."`
	Message    string   `json:"message" doc:"For people, in the language that Accept-Language asks for where it has words for it: Arabic, English, Hindi, Swahili."`
	Error      string   `json:"error" doc:"For programs: a code of the table above, or the status text."`
	Details    []Detail `json:"details,omitempty" doc:"Every bad field at once, up to 200."`
	Data       any      `json:"data,omitempty" doc:"What you need besides words, where there is any."`
}

// Body is the error as the caller reads it.
func (e *Error) Body() ErrorBody {
	return ErrorBody{StatusCode: e.Status, Message: e.Message, Error: e.Code, Details: e.Details, Data: e.Data}
}

// Explain is the answer that an error means, for channels other than HTTP.
func (k *Kernel) Explain(err error) *Error { return k.explain(err) }

// explain turns any error into an answer. What it does not know is a 500 whose
// text stays in the log.
func (k *Kernel) explain(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	var pg *pgconn.PgError
	var stranger tenancy.StrangerError
	switch {
	case errors.As(err, &stranger) || errors.Is(err, tenancy.ErrSecret) || tenancy.IsStandby(err):
		return Unavailable("The service is briefly unavailable, try again").Because(err)
	case errors.Is(err, tenancy.ErrMoving):
		return Unavailable("This school is being moved, try again in a moment").Because(err)
	case errors.As(err, &pg):
		return k.explainPostgres(pg, err)
	case errors.Is(err, gorm.ErrRecordNotFound):
		return newError(404, "", "Not found").Because(err)
	case errors.Is(err, tenancy.ErrSchoolNotFound):
		return Coded(404, "SCHOOL_NOT_FOUND", "School not found")
	case isUnreachable(err):
		return Unavailable("The service is briefly unavailable, try again").Because(err)
	}
	return newError(500, "", "Something went wrong on our side").Because(err)
}

// isUnreachable recognises a database that is down, restarting or too slow.
func isUnreachable(err error) bool {
	var connect *pgconn.ConnectError
	var network net.Error
	return errors.As(err, &connect) || errors.As(err, &network) || errors.Is(err, context.DeadlineExceeded) ||
		pgconn.SafeToRetry(err) || strings.Contains(err.Error(), "conn closed") ||
		strings.Contains(err.Error(), "unexpected EOF") || strings.Contains(err.Error(), "driver: bad connection")
}

func (k *Kernel) explainPostgres(pg *pgconn.PgError, err error) *Error {
	rule, known := k.constraints[pg.ConstraintName]
	switch pg.Code {
	case "23505", "23P01": // unique, exclusion
		message := "This already exists"
		if known {
			message = rule.Message
		}
		e := Duplicate(message).Because(err)
		if known && rule.Field != "" {
			e.Details = []Detail{Wrong(rule.Field, "%s", rule.Message)}
		}
		return e
	case "23503": // foreign key: the other end is missing, or still needed
		if strings.Contains(pg.Detail, "is still referenced") {
			return Conflict("This is still in use and cannot be removed").Because(err)
		}
		if known {
			return InvalidField(rule.Field, "%s", rule.Message).Because(err)
		}
		return newError(422, "", "Something this refers to does not exist").Because(err)
	case "23514": // check
		if known {
			return InvalidField(rule.Field, "%s", rule.Message).Because(err)
		}
		return newError(422, "", "A value is outside what is allowed").Because(err)
	case "22001", "22003", "22007", "22008", "22021", "22P05", "22P02":
		return newError(422, "", "A value cannot be stored").Because(err)
	case "54000", "54001": // too large for an index, nested too deeply
		return newError(422, "", "A value is too large or too deeply nested to be stored").Because(err)
	case "55P03", "40001", "40P01": // lock_timeout; a race lost again and again
		return Unavailable("This record is busy, try again").Because(err)
	case "57014": // statement_timeout
		return Unavailable("This took too long, try again").Because(err)
	}
	switch pg.Code[:2] {
	case "08", "28", "57", "53": // connection, a refused login, restart, too many
		return Unavailable("The service is briefly unavailable, try again").Because(err)
	}
	return newError(500, "", "Something went wrong on our side").Because(err)
}

// retriable is a transaction that lost a race and may simply run again.
func (k *Kernel) retriable(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) &&
		(pg.Code == "40001" || pg.Code == "40P01" || pg.Code == "23505" && k.constraints[pg.ConstraintName].LostRace)
}

// Constraint is the message for a constraint of the database.
type Constraint struct {
	Name    string // as the migration names it
	Field   string // the wire's name of the field at fault
	Message string
	// LostRace: the handler has looked, so only who wrote meanwhile can make a request break it. It is run again, and sees that.
	LostRace bool
}
