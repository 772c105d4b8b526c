// Package openapi writes the OpenAPI 3.1 document of a kernel's rows and serves it with a
// page to read it and try it out. It reads the rows alone, so that the document cannot say
// what the service does not do. It refuses a row it cannot describe whole (a rule JSON
// Schema has no word for, a type that writes its own JSON) instead of leaving a part out,
// and it changes nothing: no row is served, permitted or checked otherwise because of it.
package openapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"homeroom/api"
)

// Document is the document of every row, the same bytes for the same rows. Its error names
// every row that cannot be described, and why.
func Document(k *api.Kernel) ([]byte, error) {
	spec, err := describe(k)
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(spec)
	if err != nil {
		return nil, fmt.Errorf("writing the API document: %w", err)
	}
	var out bytes.Buffer
	layOut(&out, plainText(raw), 0)
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// document is an OpenAPI document while it is written.
type document struct {
	schemas   *schemas
	responses map[string]response
	bodies    map[string]requestBody // of several operations
	common    map[string]parameter   // parameters of several operations
	examples  map[string]example
	paths     map[string]map[string]*operation
	catalogue api.Catalogue
	tags      map[string]tag
	ids       map[string]string // operation id → row
	templates map[string]string // path without its parameters' names → path
}

// describe writes the document, or says everything about the rows that it cannot
// express.
func describe(k *api.Kernel) (*spec, error) {
	d := &document{
		catalogue: k.Catalogue,
		schemas:   newSchemas(k),
		responses: map[string]response{},
		bodies:    map[string]requestBody{},
		common:    maps.Clone(sharedParameters),
		examples:  map[string]example{},
		paths:     map[string]map[string]*operation{},
		tags:      map[string]tag{},
		ids:       map[string]string{},
		templates: map[string]string{},
	}
	var rows []*api.Row
	for i := range k.Rows {
		if !k.Rows[i].Unlisted {
			rows = append(rows, &k.Rows[i])
		}
	}
	slices.SortFunc(rows, func(a, b *api.Row) int { return strings.Compare(a.Path+a.Method, b.Path+b.Method) })
	var problems []error
	for _, row := range rows {
		if err := d.add(row); err != nil {
			problems = append(problems, fmt.Errorf("row %s: %w", row.Name(), err))
		}
	}
	if problems != nil {
		return nil, errors.Join(problems...)
	}
	sent, err := d.webhooks(k.Webhooks)
	if err != nil {
		return nil, err
	}
	schemas, err := d.schemas.components()
	if err != nil {
		return nil, err
	}
	listFacts(k.Webhooks, schemas)
	if properties, ok := schemas[plainName(errorType)]["properties"].(schema); ok {
		code := properties["error"].(schema)
		code["enum"] = errorValues()
		schemas[codeName], properties["error"] = code, schema{"$ref": "#/components/schemas/" + codeName}
	}
	if err := checkOwnNames(schemas); err != nil {
		return nil, err
	}
	d.nameExtended(schemas)
	d.shareRepeated(schemas)
	return &spec{
		OpenAPI:  "3.1.0",
		Info:     info{Title: "Homeroom", Version: "1.0.0", Description: guide(rows, k)},
		Servers:  []server{{URL: "/", Description: "This server"}},
		Paths:    d.paths,
		Webhooks: sent,
		Tags:     d.sortedTags(),
		Security: []map[string][]string{{"bearer": {}}, {"apiKey": {}}},
		Components: components{
			Schemas:   schemas,
			Responses: d.responses, RequestBodies: d.bodies,
			Headers:    sharedHeaders,
			Parameters: d.common,
			Examples:   d.examples,
			SecuritySchemes: map[string]schema{"bearer": {
				"type": "http", "scheme": "bearer", "bearerFormat": "JWT",
				"description": "The `accessToken` of a sign-in. It lives 15 minutes.",
			}, "apiKey": {
				"type": "http", "scheme": "bearer", "bearerFormat": "hrk_[a-z2-7]{96}",
				"description": "An API key of a school, made in the console under Settings. It calls the rows that its permissions allow.",
			}},
		},
	}, nil
}

func (d *document) add(row *api.Row) error {
	if err := samePathNames(row); err != nil {
		return err
	}
	path := pathParameter.ReplaceAllString(row.Path, "{$1}")
	template := pathParameter.ReplaceAllString(row.Path, "{}")
	if other, taken := d.templates[template]; taken && other != path {
		return fmt.Errorf("the same path is spelt %s elsewhere: use one name for its parameter", other)
	}
	d.templates[template] = path
	op, err := d.operation(row)
	if err != nil {
		return err
	}
	if other, taken := d.ids[op.ID]; taken {
		return fmt.Errorf("its operation id %s is also that of %s", op.ID, other)
	}
	d.ids[op.ID] = row.Name()
	if d.paths[path] == nil {
		d.paths[path] = map[string]*operation{}
	}
	d.paths[path][strings.ToLower(row.Method)] = op
	return nil
}

// pathParameter is a parameter of a path as Gin writes it.
var pathParameter = regexp.MustCompile(`[:*]([A-Za-z0-9_]+)`)

// samePathNames refuses a request that would read a parameter its path does not
// have, or a path whose parameter nobody reads.
func samePathNames(row *api.Row) error {
	inPath := map[string]bool{}
	for _, m := range pathParameter.FindAllStringSubmatch(row.Path, -1) {
		inPath[m[1]] = true
	}
	for _, f := range row.PathFields() {
		name := f.Tag.Get("path")
		if !inPath[name] {
			return fmt.Errorf("the request has a path tag %q, the path has no :%s", name, name)
		}
		delete(inPath, name)
	}
	for _, name := range slices.Sorted(maps.Keys(inPath)) {
		return fmt.Errorf("the path has :%s, no field of the request has the path tag %q", name, name)
	}
	return nil
}

func (d *document) sortedTags() []tag {
	var out []tag
	for _, key := range slices.Sorted(maps.Keys(d.tags)) {
		out = append(out, d.tags[key])
	}
	return out
}

// plainText undoes encoding/json's escaping of <, > and &, which is for HTML and
// makes the guide unreadable in a diff.
func plainText(raw []byte) []byte {
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); i++ {
		if raw[i] == '\\' && i+1 < len(raw) {
			if i+6 <= len(raw) {
				if c := strings.Index(`\u003c\u003e\u0026`, string(raw[i:i+6])); c >= 0 && c%6 == 0 {
					out = append(out, "<>&"[c/6])
					i += 5
					continue
				}
			}
			out = append(out, raw[i], raw[i+1])
			i++
			continue
		}
		out = append(out, raw[i])
	}
	return out
}
