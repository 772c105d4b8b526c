package api

import (
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/swaggest/openapi-go/openapi31"
)

// input is where a row's request comes from.
type input struct{ path, query, body bool }

// operation describes one row.
func (d *document) operation(row *Row) (*openapi31.Operation, error) {
	var in input
	parameters, err := d.parameters(row, &in)
	if err != nil {
		return nil, err
	}
	body, err := d.requestBody(row)
	if err != nil {
		return nil, err
	}
	in.body = body != nil
	success, err := d.success(row)
	if err != nil {
		return nil, err
	}
	responses := map[string]openapi31.ResponseOrReference{strconv.Itoa(row.Status): {Response: success}}
	if record, later := isLater(row.Response); later {
		waiting := *row
		waiting.Response, waiting.Status = record, http.StatusAccepted
		said, err := d.success(&waiting)
		if err != nil {
			return nil, err
		}
		responses[strconv.Itoa(waiting.Status)] = openapi31.ResponseOrReference{Response: said}
	}
	d.refuse(row, in, responses)

	op := &openapi31.Operation{
		ID:          ptr(operationID(row)),
		Summary:     ptr(row.Summary),
		Description: ptr(d.whoMay(row)),
		Tags:        []string{d.tag(row)},
		Parameters:  parameters,
		RequestBody: body,
		Responses:   &openapi31.Responses{MapOfResponseOrReferenceValues: responses},
		MapOfAnything: map[string]any{
			"x-limit-class": string(row.Class),
		},
	}
	if row.Bearer {
		op.Security = []map[string][]string{{"bearer": {}}}
	}
	if row.Fresh {
		op.MapOfAnything["x-fresh"] = true
	}
	if row.callOpen == nil {
		op.MapOfAnything["x-permission"] = permission{Module: row.Module, Action: row.permission(), Roles: row.Roles}
	}
	return op, nil
}

// operationID is the row's method and path as one word: getSchoolAdminClassById.
func operationID(row *Row) string {
	var words []string
	for _, part := range strings.Split(row.Path, "/") {
		if m := parameter.FindStringSubmatch(part); m != nil {
			part = "by-" + m[1]
		}
		words = append(words, part)
	}
	return strings.ToLower(row.Method) + camel(strings.Join(words, "/"))
}

func (d *document) parameters(row *Row, in *input) ([]openapi31.ParameterOrReference, error) {
	var out []openapi31.ParameterOrReference
	for _, f := range planOf(row.Request).path {
		field := row.Request.FieldByIndex(f.index)
		s, err := d.schemas.of(field.Type, schemaUse{input: true})
		if err == nil {
			_, err = d.schemas.rules.document(s, field)
		}
		if err == nil {
			err = annotate(s, field)
		}
		if err != nil {
			return nil, fmt.Errorf("field %s: %w", f.name, err)
		}
		in.path = true
		out = append(out, parameterOf(f.name, openapi31.ParameterInPath, true, s))
	}
	switch {
	case row.Listing != nil && !row.Twin:
		in.query = true
		out = append(out, row.Listing.parameters()...)
	case row.Upload || (row.Method == http.MethodGet && row.Listing == nil):
		query, err := d.queryParameters(row)
		if err != nil {
			return nil, err
		}
		in.query = len(query) > 0
		out = append(out, query...)
	}
	if row.Console {
		out = append(out, parameterOf(ConsoleHeader, openapi31.ParameterInHeader, true, schema{
			"type": "string", "description": "Any value. Pages of other sites cannot send it, so that a cookie alone is never enough.", "example": "1",
		}))
	}
	if row.KnowsDevice {
		out = append(out, openapi31.ParameterOrReference{Reference: &openapi31.Reference{Ref: "#/components/parameters/DeviceToken"}})
	}
	if row.Idempotent {
		out = append(out, openapi31.ParameterOrReference{Reference: &openapi31.Reference{Ref: "#/components/parameters/IdempotencyKey"}})
	}
	return out, nil
}

// queryParameters are the fields of a GET's request.
func (d *document) queryParameters(row *Row) ([]openapi31.ParameterOrReference, error) {
	if row.Request.Kind() != reflect.Struct {
		return nil, nil
	}
	object, err := d.schemas.object(schemaUse{t: row.Request, input: true})
	if err != nil {
		return nil, err
	}
	required := map[string]bool{}
	names, _ := object["required"].([]string)
	for _, name := range names {
		required[name] = true
	}
	properties, _ := object["properties"].(schema)
	var out []openapi31.ParameterOrReference
	for _, name := range sortedKeys(properties) {
		s := properties[name].(schema)
		if kind := s["type"]; kind == nil || kind == "object" {
			return nil, fmt.Errorf("field %s: it cannot be given in the query", name)
		}
		out = append(out, parameterOf(name, openapi31.ParameterInQuery, required[name], s))
	}
	return out, nil
}

func parameterOf(name string, in openapi31.ParameterIn, required bool, s schema) openapi31.ParameterOrReference {
	p := &openapi31.Parameter{Name: name, In: in, Schema: s}
	if required {
		p.Required = &required
	}
	if says, ok := s["description"].(string); ok {
		p.Description = &says
		delete(s, "description")
	}
	return openapi31.ParameterOrReference{Parameter: p}
}

// requestBody is what unwrap reads: the parameters under data, or flat on sign-in rows.
func (d *document) requestBody(row *Row) (*openapi31.RequestBodyOrReference, error) {
	if row.Method == http.MethodGet {
		return nil, nil
	}
	if row.Upload {
		return uploadBody(row), nil
	}
	var data schema
	must := true
	switch plan := planOf(row.Request); {
	case row.Listing != nil:
		data, must = row.Listing.body(), false
	case len(plan.keys)+len(plan.changes) == 0 && !row.Versioned:
		if row.Request.Kind() != reflect.Struct {
			return nil, nil
		}
		_, err := d.schemas.object(schemaUse{t: row.Request, input: true}) // nothing to document, and nothing hidden
		return nil, err
	default:
		var err error
		if data, err = d.schemas.of(row.Request, schemaUse{input: true, versioned: row.Versioned}); err != nil {
			return nil, err
		}
		must = row.Method != http.MethodDelete && !row.NoBodyNeeded && len(plan.keys)+len(plan.changes) > 0
	}
	if !row.Flat {
		data = schema{"type": "object", "properties": schema{"data": data}, "required": []string{"data"}}
	}
	content := map[string]openapi31.MediaType{}
	if row.fromCSV != nil {
		content = fileContent()
	}
	content["application/json"] = openapi31.MediaType{Schema: data}
	return &openapi31.RequestBodyOrReference{RequestBody: &openapi31.RequestBody{Required: &must, Content: content}}, nil
}

// success is the row's answer in the spec's envelope.
func (d *document) success(row *Row) (*openapi31.Response, error) {
	out := &openapi31.Response{
		Description: row.Message,
		Headers:     headersOf("X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"),
	}
	if row.Status == http.StatusNoContent {
		out.Description = "Done. There is no body."
		return out, nil
	}
	answers := row.Response
	if answers == reflect.TypeFor[Stream]() {
		out.Content = map[string]openapi31.MediaType{"text/csv": {Schema: schema{"type": "string"}}}
		return out, nil
	}
	if answers == reflect.TypeFor[Blob]() {
		out.Content = map[string]openapi31.MediaType{row.Produces: {Schema: fileSchema(row.Produces)}}
		return out, nil
	}
	if event, feed := feedOf(row.Response); feed {
		s, err := d.schemas.of(event, schemaUse{})
		if err != nil {
			return nil, fmt.Errorf("event: %w", err)
		}
		out.Description = "Server-sent events; the data of each is one of these, as JSON."
		out.Content = map[string]openapi31.MediaType{feedType: {Schema: s}}
		return out, nil
	}
	if _, later := isLater(row.Response); later {
		out.Content = map[string]openapi31.MediaType{row.Produces: {Schema: fileSchema(row.Produces)}}
		out.Description = "The file, or the ranges of it that were asked for"
		return out, nil
	}
	if record, file := fileAnswer(row.Response); file {
		kind := row.Produces
		if kind == "" {
			kind = "application/octet-stream"
		}
		out.Content = map[string]openapi31.MediaType{kind: {Schema: fileSchema(kind)}}
		if record == nil {
			return out, nil
		}
		answers = record
	}
	data, err := d.schemas.of(answers, schemaUse{})
	if err != nil {
		return nil, fmt.Errorf("answer: %w", err)
	}
	properties := schema{"data": data, "message": schema{"type": "string", "examples": []any{row.Message}}}
	required := []string{"data", "message"}
	if flat, ok := reflect.New(row.Response).Elem().Interface().(interface{ Flatten() map[string]any }); ok && row.Flat {
		top, err := d.schemas.object(schemaUse{t: row.Response})
		if err != nil {
			return nil, fmt.Errorf("answer: %w", err)
		}
		whole, _ := top["properties"].(schema)
		for _, name := range sortedKeys(flat.Flatten()) {
			if properties[name], ok = whole[name]; !ok {
				properties[name] = schema{}
			}
			required = append(required, name)
		}
	}
	if out.Content == nil {
		out.Content = map[string]openapi31.MediaType{}
	}
	out.Content["application/json"] = openapi31.MediaType{
		Schema: schema{"type": "object", "properties": properties, "required": required},
	}
	return out, nil
}

// fileSchema is the shape of a file's content: bytes, unless it is itself JSON.
func fileSchema(kind string) schema {
	if kind == "application/json" {
		return schema{"type": "object"}
	}
	return schema{"type": "string", "format": "binary"}
}
