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
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/swaggest/openapi-go/openapi31"

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
	if err := json.Indent(&out, plainText(raw), "", "  "); err != nil {
		return nil, fmt.Errorf("writing the API document: %w", err)
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// document is an OpenAPI document while it is written.
type document struct {
	schemas   *schemas
	responses map[string]openapi31.ResponseOrReference
	paths     map[string]openapi31.PathItem
	catalogue api.Catalogue
	tags      map[string]openapi31.Tag
	ids       map[string]string // operation id → row
	templates map[string]string // path without its parameters' names → path
}

// describe writes the document, or says everything about the rows that it cannot
// express.
func describe(k *api.Kernel) (*openapi31.Spec, error) {
	d := &document{
		catalogue: k.Catalogue,
		schemas:   newSchemas(k),
		responses: map[string]openapi31.ResponseOrReference{},
		paths:     map[string]openapi31.PathItem{},
		tags:      map[string]openapi31.Tag{},
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
	failure := d.schemas.output(errorType)
	components, err := d.schemas.components()
	if err != nil {
		return nil, err
	}
	for _, r := range d.responses {
		describeFailure(r.Response, failure)
	}
	return &openapi31.Spec{
		Openapi: "3.1.0",
		Info:    openapi31.Info{Title: "Homeroom", Version: "1.0.0", Description: ptr(guide(rows, k.Catalogue))},
		Servers: []openapi31.Server{{URL: "/", Description: ptr("This server")}},
		Paths:   &openapi31.Paths{MapOfPathItemValues: d.paths},
		Tags:    d.sortedTags(),
		Components: &openapi31.Components{
			Schemas:    components,
			Responses:  d.responses,
			Headers:    sharedHeaders,
			Parameters: sharedParameters,
			SecuritySchemes: map[string]openapi31.SecuritySchemeOrReference{"bearer": {SecurityScheme: &openapi31.SecurityScheme{
				Description: ptr("The `accessToken` of a sign-in. It lives 15 minutes."),
				HTTPBearer:  &openapi31.SecuritySchemeHTTPBearer{Scheme: "bearer", BearerFormat: ptr("JWT")},
			}}},
		},
	}, nil
}

func (d *document) add(row *api.Row) error {
	if err := samePathNames(row); err != nil {
		return err
	}
	path := parameter.ReplaceAllString(row.Path, "{$1}")
	template := parameter.ReplaceAllString(row.Path, "{}")
	if other, taken := d.templates[template]; taken && other != path {
		return fmt.Errorf("the same path is spelt %s elsewhere: use one name for its parameter", other)
	}
	d.templates[template] = path
	op, err := d.operation(row)
	if err != nil {
		return err
	}
	if other, taken := d.ids[*op.ID]; taken {
		return fmt.Errorf("its operation id %s is also that of %s", *op.ID, other)
	}
	d.ids[*op.ID] = row.Name()
	item := d.paths[path]
	switch row.Method {
	case http.MethodGet:
		item.Get = op
	case http.MethodPost:
		item.Post = op
	case http.MethodPut:
		item.Put = op
	case http.MethodDelete:
		item.Delete = op
	case http.MethodPatch:
		item.Patch = op
	default:
		return fmt.Errorf("the method cannot be documented")
	}
	d.paths[path] = item
	return nil
}

// parameter is a path parameter as Gin writes it.
var parameter = regexp.MustCompile(`[:*]([A-Za-z0-9_]+)`)

// samePathNames refuses a request that would read a parameter its path does not
// have, or a path whose parameter nobody reads.
func samePathNames(row *api.Row) error {
	inPath := map[string]bool{}
	for _, m := range parameter.FindAllStringSubmatch(row.Path, -1) {
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

func (d *document) sortedTags() []openapi31.Tag {
	var out []openapi31.Tag
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

func ptr[T any](v T) *T { return &v }
