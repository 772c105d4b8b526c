package openapi

import (
	"maps"
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
	return schema{"allOf": []any{data, schema{"type": "object", "properties": schema{api.SinceParameter: since}}}}
}
