package openapi

import (
	"net/http"
	"reflect"

	"github.com/swaggest/openapi-go/openapi31"

	"homeroom/api"
)

// requestBody is what the kernel reads: the parameters under data, or flat on sign-in rows.
func (d *document) requestBody(row *api.Row) (*openapi31.RequestBodyOrReference, error) {
	if row.Method == http.MethodGet {
		return nil, nil
	}
	if row.Upload {
		return uploadBody(row), nil
	}
	var data schema
	must := true
	switch {
	case row.Listing != nil:
		data, must = listBody(row.Listing), false
	case !row.HasFields() && !row.Versioned:
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
		must = row.Method != http.MethodDelete && !row.NoBodyNeeded && row.HasFields()
	}
	if !row.Flat {
		data = schema{"type": "object", "properties": schema{"data": data}, "required": []string{"data"}}
	}
	content := map[string]openapi31.MediaType{}
	if row.TakesCSV() {
		content = fileContent()
	}
	content["application/json"] = openapi31.MediaType{Schema: data}
	return &openapi31.RequestBodyOrReference{RequestBody: &openapi31.RequestBody{Required: &must, Content: content}}, nil
}

// uploadBody documents the two ways a file comes in.
func uploadBody(row *api.Row) *openapi31.RequestBodyOrReference {
	must := true
	if row.AnyFile {
		file := schema{"type": "string", "contentMediaType": "application/octet-stream",
			"description": "At most 10 MiB. Its type is found from its content."}
		return &openapi31.RequestBodyOrReference{RequestBody: &openapi31.RequestBody{Required: &must, Content: map[string]openapi31.MediaType{
			"multipart/form-data": {Schema: schema{"type": "object", "properties": schema{"file": file}, "required": []string{"file"},
				"description": "The parameters of the query may be fields of the form instead."}},
		}}}
	}
	return &openapi31.RequestBodyOrReference{RequestBody: &openapi31.RequestBody{Required: &must, Content: fileContent()}}
}

// fileContent is a CSV file, in a form or as the whole body.
func fileContent() map[string]openapi31.MediaType {
	file := schema{"type": "string", "contentMediaType": "text/csv", "description": "A CSV file in UTF-8, of at most 20 MiB."}
	return map[string]openapi31.MediaType{
		"multipart/form-data": {Schema: schema{"type": "object", "properties": schema{"file": file}, "required": []string{"file"},
			"description": "The parameters of the query may be fields of the form instead."}},
		"text/csv": {Schema: file},
	}
}
