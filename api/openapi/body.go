package openapi

import (
	"net/http"
	"reflect"
	"strings"

	"homeroom/api"
)

// requestBody is what the kernel reads: the parameters under data, or flat on sign-in rows.
func (d *document) requestBody(row *api.Row) (*requestBody, error) {
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
	if row.GivesChanges() {
		data = d.withSince(data)
	}
	if !row.Flat {
		data = schema{"type": "object", "properties": schema{"data": data}, "required": []string{"data"}}
	}
	content := map[string]media{}
	if row.TakesCSV() {
		content = fileContent(row)
	}
	kind := "application/json"
	if row.Form != nil && row.Form.URLEncoded {
		kind = "application/x-www-form-urlencoded"
	}
	content[kind] = media{Schema: data}
	return &requestBody{Required: must, Content: content, isList: row.Listing != nil}, nil
}

// uploadBody documents the two ways a file comes in.
func uploadBody(row *api.Row) *requestBody {
	if row.AnyFile {
		file := schema{"type": "string", "contentMediaType": "application/octet-stream",
			"description": "At most 10 MiB. Its type is found from its content."}
		return &requestBody{Required: true, Content: map[string]media{"multipart/form-data": formOf(file)}}
	}
	return &requestBody{Required: true, Content: fileContent(row)}
}

// fileContent is a CSV file, in a form or as the whole body.
func fileContent(row *api.Row) map[string]media {
	names := make([]string, len(row.Columns))
	for i, c := range row.Columns {
		names[i] = "`" + c.Name + "`"
	}
	file := schema{"type": "string", "contentMediaType": "text/csv", "description": "A CSV file in UTF-8, of at most 20 MiB. " +
		"Its first row names the columns, in any order: " + strings.Join(names, ", ") + ". [What their cells must be](/api-docs/files)."}
	return map[string]media{"multipart/form-data": formOf(file), "text/csv": {Schema: file}}
}

func formOf(file schema) media {
	return media{Schema: schema{"type": "object", "properties": schema{"file": file}, "required": []string{"file"},
		"description": "The parameters of the query may be fields of the form instead."}}
}
