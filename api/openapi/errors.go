package openapi

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"homeroom/api"
)

// failure is a refusal the kernel itself can give, under the name the document
// knows it by.
type failure struct {
	name string
	err  *api.Error
}

var (
	failMalformed    = failure{"Malformed", api.Malformed("The body must be a JSON object with a data object")}
	failUnauthorized = failure{"Unauthorized", api.Unauthorized("Sign in first")}
	failDenied       = failure{"PermissionDenied", api.Denied("You may not write in class")}
	failNotFresh     = failure{"ReauthenticationNeeded", api.ErrNotFresh}
	failNotConsole   = failure{"NotTheConsole", api.ErrNotConsole}
	failSuspended    = failure{"SchoolSuspended", api.Coded(403, "", "This school is suspended")}
	failEvaluation   = failure{"EvaluationMode", api.Coded(403, "EVALUATION_MODE_READONLY",
		"The school is in evaluation mode: teachers can read only")}
	failNoSchool  = failure{"SchoolNotFound", api.Coded(404, "SCHOOL_NOT_FOUND", "School not found")}
	failNotFound  = failure{"NotFound", api.NotFound("class")}
	failNoStudent = failure{"StudentNotFound", api.Coded(404, "STUDENT_NOT_FOUND", "Student not found")}
	failDuplicate = failure{"Duplicate", withDetails(api.Duplicate("A class of this name exists already"),
		api.Detail{Field: "name", Message: "A class of this name exists already"})}
	failState        = failure{"Conflict", api.Conflict("This leave is already APPROVED")}
	failStale        = failure{"StaleVersion", api.Conflict("This class was changed by someone else: it is at version 4, you have 3")}
	failInUse        = failure{"InUse", api.Conflict("This is still in use and cannot be removed")}
	failKeyReused    = failure{"KeyReused", api.Conflict("This Idempotency-Key was used for another request")}
	failTooLarge     = failure{"TooLarge", api.Coded(413, "", "The body is larger than 1 MiB")}
	failFileTooLarge = failure{"FileTooLarge", fileTooLarge(api.MaxUpload)}
	failTooLargeFile = failure{"TooLargeFile", fileTooLarge(api.MaxFile)}
	failInvalid      = failure{"Invalid", api.Invalid(api.Detail{Field: "firstName", Message: "firstName is required"},
		api.Detail{Field: "guardians[0].phone", Message: "phone must be a phone number like +919812345678"})}
	failList = failure{"InvalidList", api.Invalid(api.Detail{Field: "limit", Message: "limit must be a whole number from 1 to 100"},
		api.Detail{Field: "sort.field", Message: "can be sorted by createdAt, name"})}
	failTooMany     = failure{"TooMany", api.Coded(429, "", "Too many requests, slow down")}
	failInternal    = failure{"Internal", api.Coded(500, "", "Something went wrong on our side")}
	failUnavailable = failure{"Unavailable", api.Unavailable("The service is briefly unavailable, try again")}
)

func withDetails(e *api.Error, details ...api.Detail) *api.Error { e.Details = details; return e }

func fileTooLarge(most int64) *api.Error {
	return api.Coded(413, "", fmt.Sprintf("The file is larger than %d MiB", most>>20))
}

// failures are what the row can really answer besides success, in the order in which the kernel looks.
func failures(row *api.Row, in input) []failure {
	out := []failure{failTooMany, failInternal, failUnavailable}
	add := func(when bool, fs ...failure) {
		if when {
			out = append(out, fs...)
		}
	}
	school, platform := row.Kind() == api.KindSchool, row.Kind() == api.KindPlatform
	writes := (school || platform) && row.Action != api.Read
	add(row.Bearer, failUnauthorized)
	add(school || platform, failDenied)
	add(row.Fresh || row.FreshFile || row.SometimesFresh != "", failNotFresh)
	add(row.Console, failNotConsole)
	add(school || row.Bearer && !platform, failSuspended)
	add(school, failNoSchool)
	add(closedToTeachers(row), failEvaluation)
	add(in.path || platform && in.body && row.Status != 201, failNotFound) // an operator names records in the body too
	add(in.path && row.Module == "student", failNoStudent)
	add(in.path || in.query || in.body, failMalformed)
	add(in.body && !row.Upload, failTooLarge)
	add(row.Upload && !row.AnyFile, failFileTooLarge)
	add(row.AnyFile, failTooLargeFile)
	add(row.Listing != nil, failList)
	add(row.Listing == nil, failInvalid) // of a row that takes nothing: a parameter of the query
	add(writes && row.Action == api.Write, failDuplicate)
	add(writes && row.Action == api.Write && row.Status != 201, failState)
	add(writes && row.Action == api.Delete, failInUse)
	add(row.Versioned, failStale)
	add(row.Idempotent, failKeyReused)
	return out
}

// closedToTeachers reports whether teachers can call the row, though not in evaluation mode.
func closedToTeachers(row *api.Row) bool {
	return row.Kind() == api.KindSchool && slices.Contains(row.Roles, api.Teacher) && row.ClosedInEvaluationMode()
}

// refuse adds the row's error answers. Rows that refuse alike share a component; a
// row with refusals of its own carries them itself.
func (d *document) refuse(row *api.Row, in input, responses map[string]response) {
	byStatus := map[int][]failure{}
	for _, f := range failures(row, in) {
		byStatus[f.err.Status] = append(byStatus[f.err.Status], f)
	}
	own := map[int]bool{}
	for _, e := range row.Failures {
		name := camel(strings.ToLower(e.Code))
		if e.Code == http.StatusText(e.Status) {
			name = camel(e.Message)
		}
		own[e.Status] = true
		byStatus[e.Status] = append([]failure{{name, e}}, byStatus[e.Status]...)
	}
	for status, fs := range byStatus {
		answer := d.failureResponse(status, fs, row.Failures)
		if own[status] {
			answer.Description = fs[0].err.Message
		} else {
			name := shareName(fs)
			d.responses[name] = answer
			answer = response{Ref: "#/components/responses/" + name}
		}
		responses[strconv.Itoa(status)] = answer
	}
}

func shareName(fs []failure) string {
	name := fs[0].name
	for _, f := range fs[1:] {
		name += "Or" + f.name
	}
	return name
}

// failureResponse describes refusals of one status. An example of the kernel's own is a
// component, one of the row's (own) is written here.
func (d *document) failureResponse(status int, fs []failure, own []*api.Error) response {
	examples := map[string]example{}
	for _, f := range fs {
		examples[f.name] = example{Summary: f.err.Code, Value: f.err.Body()}
		if !slices.Contains(own, f.err) {
			d.examples[f.name] = examples[f.name]
			examples[f.name] = example{Ref: "#/components/examples/" + f.name}
		}
	}
	headers := headersOf("X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")
	if status == 429 || status == 503 {
		headers = headersOf("X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "Retry-After")
	}
	return response{
		Description: statusWords[status],
		Headers:     headers,
		Content:     map[string]media{"application/json": {Schema: d.schemas.output(errorType), Examples: examples}},
	}
}
