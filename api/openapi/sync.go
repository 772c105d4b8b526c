package openapi

import (
	"maps"
	"path"
	"reflect"

	"homeroom/api"
)

// Synced is what an answer to updatedSince has besides.
type Synced struct {
	Sync *api.Sync `json:"sync,omitempty" doc:"Only where updatedSince was sent."`
}

var syncedType = reflect.TypeFor[Synced]()

// sinceName is the parameter as a component.
const sinceName = "UpdatedSince"

func sinceSchema() schema {
	return schema{"type": "string", "maxLength": 48, "pattern": `^(start|[A-Za-z0-9_-]{22}|[A-Za-z0-9_-]{48})$`}
}

const sinceWords = "`start`, then `sync.next` of each answer: only what has changed for you since that answer, and what is gone. " +
	"See Keeping a copy of a list at the beginning of this page."

// withSince adds updatedSince to a body that takes it.
func (d *document) withSince(data schema) schema {
	since := schema{"type": "string", "maxLength": 48}
	if properties, inPlace := data["properties"].(schema); inPlace {
		properties = maps.Clone(properties)
		properties[api.SinceParameter] = since
		data = maps.Clone(data)
		data["properties"] = properties
		return data
	}
	return extended(data, schema{"type": "object", "properties": schema{api.SinceParameter: since}})
}

// extended is a record with fields besides its own.
func extended(record, more schema) schema {
	return schema{"allOf": []any{record, more}}
}

// nameExtended makes components of the extended records of operations: of one that is written in place, generators take the
// record alone.
func (d *document) nameExtended(schemas map[string]map[string]any) {
	name := func(content map[string]media, suffix string) {
		data := content["application/json"].Schema
		if properties, wrapped := data["properties"].(schema); wrapped {
			data, _ = properties["data"].(schema)
		}
		parts, _ := data["allOf"].([]any)
		if len(parts) == 0 {
			return
		}
		record, _ := parts[0].(schema)["$ref"].(string)
		if record == "" {
			return
		}
		own := path.Base(record) + suffix
		schemas[own] = schema{"allOf": parts}
		clear(data)
		data["$ref"] = "#/components/schemas/" + own
	}
	d.eachOperation(func(op *operation) {
		if op.RequestBody != nil {
			name(op.RequestBody.Content, "Since")
		}
		for _, r := range op.Responses {
			name(r.Content, "Sync")
		}
	})
}
