package openapi

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"homeroom/api"
)

// factBody is the component that every webhook's request is.
const factBody = "Fact"

// webhooks describes what is sent to other programs: an entry for each kind of fact, of which all have the same form.
func (d *document) webhooks(w *api.Webhooks) (map[string]schema, error) {
	if w == nil {
		return nil, nil
	}
	event, err := d.schemas.of(reflect.TypeOf(w.Event), schemaUse{})
	if err != nil {
		return nil, fmt.Errorf("a webhook's body: %w", err)
	}
	d.bodies[factBody] = requestBody{Required: true, Content: map[string]media{"application/json": {Schema: event}}}
	var parameters []any
	for _, h := range w.Headers {
		name := camel(h.Name)
		d.common[name] = parameter{Name: h.Name, In: inHeader, Required: true, Description: h.Says,
			Schema: schema{"type": "string", "examples": []any{h.Example}}}
		parameters = append(parameters, schema{"$ref": "#/components/parameters/" + name})
	}
	out := map[string]schema{}
	for _, f := range w.Facts {
		out[f.Kind] = schema{"post": schema{
			"summary": f.Title, "operationId": "on" + camel(f.Kind), "security": []any{}, "parameters": parameters,
			"description": fmt.Sprintf("`data.id` is of: %s. Who chooses it needs read on `%s`.", f.Record, f.Module),
			"requestBody": schema{"$ref": "#/components/requestBodies/" + factBody},
			"responses":   schema{"2XX": schema{"description": "Taken"}, "default": schema{"description": "It is sent again later"}},
		}}
	}
	return out, nil
}

// listFacts writes into the body's schema which kinds and records there are.
func listFacts(w *api.Webhooks, schemas map[string]map[string]any) {
	if w == nil {
		return
	}
	var kinds, records []any
	for _, f := range w.Facts {
		kinds = append(kinds, f.Kind)
		if !slices.Contains(records, any(f.Record)) {
			records = append(records, f.Record)
		}
	}
	event, _ := schemas[plainName(reflect.TypeOf(w.Event))]["properties"].(schema)
	event["type"].(schema)["enum"] = kinds
	ref, _ := event["data"].(schema)["$ref"].(string)
	record, _ := schemas[ref[strings.LastIndex(ref, "/")+1:]]["properties"].(schema)
	record["record"].(schema)["enum"] = records
}

// webhookWords are the places of the guide that say how facts are sent.
func webhookWords(w *api.Webhooks) []string {
	if w == nil {
		w = &api.Webhooks{}
	}
	var headers, facts strings.Builder
	for _, h := range w.Headers {
		fmt.Fprintf(&headers, "| `%s` | %s | `%s` |\n", h.Name, h.Says, h.Example)
	}
	for _, f := range w.Facts {
		fmt.Fprintf(&facts, "| `%s` | %s | %s |\n", f.Kind, f.Title, f.Record)
	}
	return []string{"{{hookHeaders}}\n", headers.String(), "{{hookFacts}}\n", facts.String(), "{{hookTimeout}}", inWords(w.Timeout),
		"{{hookFirst}}", inWords(w.FirstRetry), "{{hookLast}}", inWords(w.LastRetry), "{{hookPatience}}", inWords(w.Patience),
		"{{hookKept}}", inWords(w.Kept)}
}

// inWords is a duration as a sentence has it: 3 days.
func inWords(d time.Duration) string {
	for _, unit := range []struct {
		of   time.Duration
		name string
	}{{24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}} {
		if d >= unit.of && d%unit.of == 0 {
			if d == unit.of {
				return "1 " + unit.name
			}
			return fmt.Sprintf("%d %ss", d/unit.of, unit.name)
		}
	}
	return fmt.Sprintf("%g seconds", d.Seconds())
}
