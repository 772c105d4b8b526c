package api

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/swaggest/openapi-go/openapi31"
)

// MayFail documents refusals that only the row's own handler gives: the very errors
// it returns. What every row of its kind can answer is known without it.
func MayFail(errs ...*Error) Option {
	return func(r *Row) { r.Failures = append(r.Failures, errs...) }
}

// failure is a refusal the kernel itself can give, under the name the document
// knows it by.
type failure struct {
	name string
	err  *Error
}

func (f failure) body() errorBody {
	return errorBody{StatusCode: f.err.Status, Message: f.err.Message, Error: f.err.Code, Details: f.err.Details, Data: f.err.Data}
}

var (
	failMalformed    = failure{"Malformed", Malformed("The body must be a JSON object with a data object")}
	failUnauthorized = failure{"Unauthorized", Unauthorized("Sign in first")}
	failDenied       = failure{"PermissionDenied", Denied("You may not write in class")}
	failNotFresh     = failure{"ReauthenticationNeeded", ErrNotFresh}
	failNotConsole   = failure{"NotTheConsole", errNotConsole}
	failSuspended    = failure{"SchoolSuspended", newError(403, "", "This school is suspended")}
	failEvaluation   = failure{"EvaluationMode", Coded(403, "EVALUATION_MODE_READONLY", "The school is in evaluation mode: teachers can read only")}
	failNoSchool     = failure{"SchoolNotFound", Coded(404, "SCHOOL_NOT_FOUND", "School not found")}
	failNotFound     = failure{"NotFound", NotFound("class")}
	failNoStudent    = failure{"StudentNotFound", Coded(404, "STUDENT_NOT_FOUND", "Student not found")}
	failDuplicate    = failure{"Duplicate", withDetails(Duplicate("A class of this name exists already"), Detail{"name", "A class of this name exists already"})}
	failState        = failure{"Conflict", Conflict("This leave is already APPROVED")}
	failStale        = failure{"StaleVersion", Conflict("This class was changed by someone else: it is at version 4, you have 3")}
	failInUse        = failure{"InUse", Conflict("This is still in use and cannot be removed")}
	failKeyReused    = failure{"KeyReused", Conflict("This Idempotency-Key was used for another request")}
	failTooLarge     = failure{"TooLarge", newError(413, "", "The body is larger than 1 MiB")}
	failFileTooLarge = failure{"FileTooLarge", tooLargeFile(MaxUpload)}
	failTooLargeFile = failure{"TooLargeFile", tooLargeFile(MaxFile)}
	failInvalid      = failure{"Invalid", Invalid(Detail{"firstName", "firstName is required"}, Detail{"guardians[0].phone", "phone must be a phone number like +919812345678"})}
	failList         = failure{"InvalidList", Invalid(Detail{"limit", "limit must be a whole number from 1 to 100"}, Detail{"sort.field", "can be sorted by createdAt, name"})}
	failTooMany      = failure{"TooMany", newError(429, "", "Too many requests, slow down")}
	failInternal     = failure{"Internal", newError(500, "", "Something went wrong on our side")}
	failUnavailable  = failure{"Unavailable", Unavailable("The service is briefly unavailable, try again")}
)

func withDetails(e *Error, details ...Detail) *Error { e.Details = details; return e }

// failures are what the row can really answer besides success, in the order of serve.
func failures(row *Row, in input) []failure {
	out := []failure{failTooMany, failInternal, failUnavailable}
	add := func(when bool, fs ...failure) {
		if when {
			out = append(out, fs...)
		}
	}
	school := row.callSchool != nil
	writes := (school || row.platform) && row.Action != Read
	add(row.Bearer, failUnauthorized)
	add(school || row.platform, failDenied)
	add(row.Fresh || row.SometimesFresh != "", failNotFresh)
	add(row.Console, failNotConsole)
	add(school || row.Bearer && !row.platform, failSuspended)
	add(school, failNoSchool)
	add(closedInEvaluation(row), failEvaluation)
	add(in.path || row.platform && in.body && row.Status != 201, failNotFound) // an operator names records in the body too
	add(in.path && row.Module == "student", failNoStudent)
	add(in.path || in.query || in.body, failMalformed)
	add(in.body && !row.Upload, failTooLarge)
	add(row.Upload && !row.AnyFile, failFileTooLarge)
	add(row.AnyFile, failTooLargeFile)
	add(row.Listing != nil, failList)
	add(row.Listing == nil && (in.body || in.query || row.Idempotent), failInvalid) // a key may be invalid too
	add(writes && row.Action == Write, failDuplicate)
	add(writes && row.Action == Write && row.Status != 201, failState)
	add(writes && row.Action == Delete, failInUse)
	add(row.Versioned, failStale)
	add(row.Idempotent, failKeyReused)
	return out
}

// closedInEvaluation mirrors permit.
func closedInEvaluation(row *Row) bool {
	return row.callSchool != nil && slices.Contains(row.Roles, Teacher) && row.Action != Read && !row.OwnDevice &&
		row.Module != "exam" && row.Module != "result"
}

// refuse adds the row's error answers. Rows that refuse alike share a component; a
// row with refusals of its own carries them itself.
func (d *document) refuse(row *Row, in input, responses map[string]openapi31.ResponseOrReference) {
	byStatus := map[int][]failure{}
	for _, f := range failures(row, in) {
		byStatus[f.err.Status] = append(byStatus[f.err.Status], f)
	}
	own := map[int]bool{}
	for i, e := range row.Failures {
		name := camel(e.Code)
		if e.Code == http.StatusText(e.Status) {
			name = "Refusal" + strconv.Itoa(i+1)
		}
		own[e.Status] = true
		byStatus[e.Status] = append([]failure{{name, e}}, byStatus[e.Status]...)
	}
	for status, fs := range byStatus {
		response := openapi31.ResponseOrReference{Response: failureResponse(status, fs)}
		if own[status] {
			response.Response.Description = fs[0].err.Message
			describeFailure(response.Response, d.schemas.output(errorType))
		} else {
			name := shareName(fs)
			d.responses[name] = response
			response = openapi31.ResponseOrReference{Reference: &openapi31.Reference{Ref: "#/components/responses/" + name}}
		}
		responses[strconv.Itoa(status)] = response
	}
}

func shareName(fs []failure) string {
	name := fs[0].name
	for _, f := range fs[1:] {
		name += "Or" + f.name
	}
	return name
}

func failureResponse(status int, fs []failure) *openapi31.Response {
	examples := map[string]openapi31.ExampleOrReference{}
	for _, f := range fs {
		var body any = f.body()
		examples[f.name] = openapi31.ExampleOrReference{Example: &openapi31.Example{Summary: ptr(f.err.Code), Value: &body}}
	}
	headers := headersOf("X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")
	if status == 429 || status == 503 {
		headers = headersOf("X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "Retry-After")
	}
	return &openapi31.Response{
		Description: statusWords[status],
		Headers:     headers,
		Content:     map[string]openapi31.MediaType{"application/json": {Examples: examples}},
	}
}

// describeFailure gives a response the schema of the error body.
func describeFailure(r *openapi31.Response, s schema) {
	media := r.Content["application/json"]
	media.Schema = s
	r.Content["application/json"] = media
}
