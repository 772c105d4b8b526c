package openapi

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"homeroom/api"
)

// input is where a row's request comes from.
type input struct{ path, query, body bool }

func inputOf(row *api.Row) input {
	return input{
		path:  len(row.PathFields()) > 0,
		query: (row.Method == http.MethodGet || row.Upload) && (row.Listing != nil || row.HasFields() || row.GivesChanges()),
		body:  row.Method != http.MethodGet && (row.Upload || row.Listing != nil || row.HasFields() || row.Versioned),
	}
}

// operation describes one row.
func (d *document) operation(row *api.Row) (*operation, error) {
	in := inputOf(row)
	parameters, err := d.parameters(row)
	if err != nil {
		return nil, err
	}
	body, err := d.requestBody(row)
	if err != nil {
		return nil, err
	}
	success, err := d.success(row)
	if err != nil {
		return nil, err
	}
	responses := map[string]response{strconv.Itoa(row.Status): success}
	if pending := row.Answers().Pending; pending != nil {
		waiting := *row
		waiting.Response, waiting.Status = pending, http.StatusAccepted
		said, err := d.success(&waiting)
		if err != nil {
			return nil, err
		}
		responses[strconv.Itoa(waiting.Status)] = said
	}
	if err := d.refuse(row, in, responses); err != nil {
		return nil, err
	}

	op := &operation{
		ID:          operationID(row),
		Summary:     row.Summary,
		Description: special(row),
		Tags:        []string{d.tag(row)},
		Security:    []map[string][]string{},
		Parameters:  parameters,
		RequestBody: body,
		Responses:   responses,
		Fresh:       row.Fresh,
		LimitClass:  row.Class,
	}
	if row.Bearer {
		op.Security = []map[string][]string{{"bearer": {}}}
	}
	if row.TakesKeys() {
		op.Security = nil // as most rows
	}
	if row.Kind() != api.KindOpen {
		op.Permission = &permission{Module: row.Module, Action: row.Permission(), Roles: row.Roles, Or: row.OrReads}
	}
	return op, nil
}

// operationID is the row's method and path as one word: getSchoolAdminClassById.
func operationID(row *api.Row) string {
	var words []string
	for _, part := range strings.Split(row.Path, "/") {
		if m := pathParameter.FindStringSubmatch(part); m != nil {
			part = "by-" + m[1]
		}
		words = append(words, part)
	}
	return strings.ToLower(row.Method) + camel(strings.Join(words, "/"))
}

func (d *document) parameters(row *api.Row) ([]parameter, error) {
	var out []parameter
	for _, f := range row.PathFields() {
		name := f.Tag.Get("path")
		s, err := d.schemas.of(f.Type, schemaUse{input: true})
		if err == nil {
			err = addRules(s, f)
		}
		if err == nil {
			err = annotate(s, f)
		}
		if err != nil {
			return nil, fmt.Errorf("field %s: %w", name, err)
		}
		out = append(out, parameterOf(name, inPath, true, s))
	}
	switch {
	case row.Listing != nil && !row.Twin:
		out = append(out, listParameters(row.Listing)...)
		if row.GivesCSV() {
			out = append(out, parameterOf(api.FormatParameter, inQuery, false, schema{
				"type": "string", "enum": []any{"json", "csv"}, "default": "json",
				"description": "csv: the whole list as a file, with the words on screen; page and limit do not count.",
			}))
		}
	case row.Upload || (row.Method == http.MethodGet && row.Listing == nil):
		query, err := d.queryParameters(row)
		if err != nil {
			return nil, err
		}
		out = append(out, query...)
	case row.TakesCSV():
		query, err := d.queryParameters(row)
		if err != nil {
			return nil, err
		}
		for _, p := range query {
			if p.Schema["type"] != "array" { // those are the file itself
				p.Required, p.Description = false, strings.TrimSpace("With a CSV file. "+p.Description)
				out = append(out, p)
			}
		}
	}
	if row.GivesChanges() && row.Method == http.MethodGet {
		out = append(out, parameter{Ref: "#/components/parameters/" + sinceName})
	}
	if row.Console {
		out = append(out, parameterOf(api.ConsoleHeader, inHeader, true, schema{
			"type": "string", "description": "Any value. Pages of other sites cannot send it, so that a cookie alone is never enough.",
			"example": "1",
		}))
	}
	if row.KnowsDevice {
		out = append(out, parameter{Ref: "#/components/parameters/DeviceToken"})
	}
	if row.Idempotent {
		out = append(out, parameter{Ref: "#/components/parameters/IdempotencyKey"})
	}
	return out, nil
}

// queryParameters are the fields of a GET's request.
func (d *document) queryParameters(row *api.Row) ([]parameter, error) {
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
	var out []parameter
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		s := properties[name].(schema)
		if kind := s["type"]; kind == nil || kind == "object" {
			return nil, fmt.Errorf("field %s: it cannot be given in the query", name)
		}
		out = append(out, parameterOf(name, inQuery, required[name], s))
	}
	return out, nil
}

func parameterOf(name, in string, required bool, s schema) parameter {
	p := parameter{Name: name, In: in, Required: required, Schema: s}
	p.Description, _ = s["description"].(string)
	delete(s, "description")
	return p
}

// success is the row's answer in the spec's envelope.
func (d *document) success(row *api.Row) (response, error) {
	out := response{Description: row.Message}
	if row.Status == http.StatusNoContent {
		out.Description = "Done. There is no body."
		return out, nil
	}
	answers := row.Answers()
	if answers.File {
		kind := cmp.Or(row.Produces, "application/octet-stream")
		out.Content = map[string]media{kind: {Schema: fileSchema(row.Response, kind)}}
	}
	if answers.Pending != nil {
		out.Description = "The file, or the ranges of it that were asked for"
	}
	if answers.Event != nil {
		s, err := d.schemas.of(answers.Event, schemaUse{})
		if err != nil {
			return out, fmt.Errorf("event: %w", err)
		}
		out.Description = "Server-sent events; the data of each is one of these, as JSON."
		out.Content = map[string]media{"text/event-stream": {Schema: s}}
	}
	if answers.Record == nil {
		return out, nil
	}
	data, err := d.schemas.of(answers.Record, schemaUse{})
	if err != nil {
		return out, fmt.Errorf("answer: %w", err)
	}
	if row.GivesChanges() {
		data = extended(data, d.schemas.output(syncedType))
	}
	if row.Form != nil {
		out.Content = map[string]media{"application/json": {Schema: data}}
		return out, nil
	}
	properties := schema{"data": data, "message": schema{"type": "string"}} // its words are the description
	required := []string{"data", "message"}
	if flat, ok := reflect.New(row.Response).Elem().Interface().(interface{ Flatten() map[string]any }); ok && row.Flat {
		top, err := d.schemas.object(schemaUse{t: row.Response})
		if err != nil {
			return out, fmt.Errorf("answer: %w", err)
		}
		whole, _ := top["properties"].(schema)
		for name, field := range whole { // what is left out where it is empty has its place there too
			if properties[name] == nil {
				properties[name] = field
			}
		}
		for _, name := range slices.Sorted(maps.Keys(flat.Flatten())) {
			if properties[name], ok = whole[name]; !ok {
				properties[name] = schema{}
			}
			required = append(required, name)
		}
	}
	if out.Content == nil {
		out.Content = map[string]media{}
	}
	if row.GivesCSV() {
		out.Content["text/csv"] = media{Schema: schema{"type": "string"}}
	}
	out.Content["application/json"] = media{
		Schema: schema{"type": "object", "properties": properties, "required": required},
	}
	return out, nil
}

// fileSchema is the shape of a file's content: bytes, unless it is itself JSON or a stream of text.
func fileSchema(answer reflect.Type, kind string) schema {
	switch {
	case kind == "application/json":
		return schema{"type": "object"}
	case answer == reflect.TypeFor[api.Stream]():
		return schema{"type": "string"}
	}
	return schema{"type": "string", "format": "binary"}
}
