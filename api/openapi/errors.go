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
	failTooMuch      = failure{"TooManyRecords", api.Coded(413, "",
		fmt.Sprintf("The list has more than %d records. Choose a filter", api.MaxSynced))}
	failInvalid = failure{"Invalid", api.Invalid(api.Detail{Field: "firstName", Message: "firstName is required"},
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
	add(row.Bearer, failDenied) // of a row that needs no right: an API key
	add(row.Fresh || row.FreshFile || row.SometimesFresh != "", failNotFresh)
	add(row.Console, failNotConsole)
	add(school || row.Bearer && !platform, failSuspended)
	add(school || namesSchool(row), failNoSchool)
	add(closedToTeachers(row), failEvaluation)
	// An operator names records by other words too.
	add(in.path || len(row.IDs()) > 0 || platform && in.body && row.Status != 201, failNotFound)
	add(namesStudent(row), failNoStudent)
	add(true, failMalformed) // of a row that takes nothing: the query string
	add(in.body && !row.Upload, failTooLarge)
	add(row.Upload && !row.AnyFile, failFileTooLarge)
	add(row.AnyFile, failTooLargeFile)
	add(row.GivesChanges(), failTooMuch)
	add(row.Listing != nil, failList)
	add(row.Listing == nil, failInvalid) // of a row that takes nothing: a parameter of the query
	add(writes && row.Action == api.Write, failDuplicate)
	add(writes && row.Action == api.Write && row.Status != 201, failState)
	add(writes && row.Action == api.Delete, failInUse)
	add(row.Versioned, failStale)
	add(row.Idempotent, failKeyReused)
	return out
}

// namesStudent reports whether a call of the row says by id which student it is about.
func namesStudent(row *api.Row) bool {
	if strings.Contains(row.Path, "/student/:") || strings.Contains(row.Path, ":studentId") {
		return true
	}
	return slices.ContainsFunc(row.IDs(), func(name string) bool { return name == "studentId" || name == "studentIds" })
}

// namesSchool reports whether an operator's call says by id which school it is about.
func namesSchool(row *api.Row) bool {
	return row.Kind() == api.KindPlatform && (strings.HasPrefix(row.Path, "/super-admin/school/:") || slices.Contains(row.IDs(), "schoolId"))
}

// Refusals are all that the row can answer besides success, as the document has them.
func Refusals(row *api.Row) []*api.Error {
	out := slices.Clone(row.Failures)
	for _, f := range failures(row, inputOf(row)) {
		out = append(out, f.err)
	}
	return out
}

// closedToTeachers reports whether teachers can call the row, though not in evaluation mode.
func closedToTeachers(row *api.Row) bool {
	return row.Kind() == api.KindSchool && slices.Contains(row.Roles, api.Teacher) && row.ClosedInEvaluationMode()
}

// refuse adds the row's error answers. Rows that refuse alike share a component; a
// row with refusals of its own carries them itself.
func (d *document) refuse(row *api.Row, in input, responses map[string]response) error {
	if row.Form != nil {
		d.refuseInForm(row, responses)
		return nil
	}
	for _, e := range row.Failures {
		if !isCode(e.Code) {
			return fmt.Errorf("it may be refused with %s, which is not among the codes of the guide", e.Code)
		}
	}
	byStatus := map[int][]failure{}
	for _, f := range failures(row, in) {
		if f.err.Status < http.StatusInternalServerError {
			byStatus[f.err.Status] = append(byStatus[f.err.Status], f)
		}
	}
	responses[anyServerError] = d.serverErrors()
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
			answer.Headers = nil // they are those of its success
			if retryLater(status) {
				answer.Headers = headersOf(retryHeader)
			}
		} else {
			name := shareName(fs)
			d.responses[name] = answer
			answer = response{Ref: "#/components/responses/" + name}
		}
		responses[strconv.Itoa(status)] = answer
	}
	return nil
}

// refuseInForm adds the error answers of a row that has a form of its own.
func (d *document) refuseInForm(row *api.Row, responses map[string]response) {
	for _, e := range Refusals(row) {
		status, _ := row.Form.Refuse(e)
		name := row.Form.Name + strconv.Itoa(status)
		d.responses[name] = response{Description: http.StatusText(status), Headers: headersOf(answerHeaders),
			Content: map[string]media{"application/json": {Schema: d.schemas.output(row.Form.Refusal)}}}
		responses[strconv.Itoa(status)] = response{Ref: "#/components/responses/" + name}
	}
}

// anyServerError is the range of statuses that every row can answer alike, whose fault is ours. It is one line of each: its
// answers as two, each with its status, were a fortieth of the document.
const anyServerError = "5XX"

// serverErrors describes what any row answers when the service fails or is away.
func (d *document) serverErrors() response {
	const name = "ServerError"
	shared := d.failureResponse(http.StatusServiceUnavailable, []failure{failInternal, failUnavailable}, nil)
	shared.Description = fmt.Sprintf("500: %s 503: %s", statusWords[http.StatusInternalServerError],
		statusWords[http.StatusServiceUnavailable])
	d.responses[name] = shared
	return response{Ref: "#/components/responses/" + name}
}

func retryLater(status int) bool {
	return status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable
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
	headers := headersOf(answerHeaders)
	if retryLater(status) {
		headers = headersOf(answerHeaders, retryHeader)
	}
	return response{
		Description: statusWords[status],
		Headers:     headers,
		Content:     map[string]media{"application/json": {Schema: d.schemas.output(errorType), Examples: examples}},
	}
}
