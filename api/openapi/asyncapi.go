package openapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"homeroom/api"
)

// LiveEvent is an event of the live channel.
type LiveEvent struct {
	Name    string
	Summary string
	Data    any // an empty value of what it carries
}

// LiveChannel is what travels over the live channel, as the code that sends and handles it
// declares it.
type LiveChannel struct {
	FromClients []LiveEvent
	ToClients   []LiveEvent
	Auth        any // what a client sends when it connects
	Accepted    any // the answers to an event
	Refused     any
}

// asyncDocument is the AsyncAPI 3 document of the channel.
func (c LiveChannel) asyncDocument(k *api.Kernel) (schema, error) {
	s := newSchemas(k)
	messages, operations, ofChannel := schema{}, schema{}, schema{}
	reply := []any{}
	add := func(e LiveEvent, input bool) error {
		payload, err := s.of(reflect.TypeOf(e.Data), schemaUse{input: input})
		if err != nil {
			return fmt.Errorf("event %s: %w", e.Name, err)
		}
		messages[e.Name] = schema{"name": e.Name, "summary": e.Summary, "contentType": "application/json", "payload": payload}
		ofChannel[e.Name] = schema{"$ref": "#/components/messages/" + e.Name}
		return nil
	}
	for _, e := range []LiveEvent{{"accepted", "The answer to an event that was done.", c.Accepted},
		{"refused", "The answer to an event that was not; also the data of a refused connection's `connect_error`.", c.Refused}} {
		if err := add(e, false); err != nil {
			return nil, err
		}
		reply = append(reply, schema{"$ref": "#/channels/live/messages/" + e.Name})
	}
	for _, e := range c.FromClients {
		if err := add(e, true); err != nil {
			return nil, err
		}
		operations[e.Name] = liveOperation("receive", e, schema{"channel": schema{"$ref": "#/channels/live"}, "messages": reply})
	}
	for _, e := range c.ToClients {
		if err := add(e, false); err != nil {
			return nil, err
		}
		operations[e.Name] = liveOperation("send", e, nil)
	}
	auth, err := s.of(reflect.TypeOf(c.Auth), schemaUse{input: true})
	if err != nil {
		return nil, err
	}
	schemas, err := s.components()
	if err != nil {
		return nil, err
	}
	return schema{
		"asyncapi": "3.0.0",
		"info":     schema{"title": "Homeroom, the live channel", "version": "1.0.0", "description": liveGuide()},
		"servers": schema{"this": schema{
			"host": "{host}", "pathname": "/socket.io/", "protocol": "wss",
			"description": "Socket.IO, protocol 5 (clients 3.x, 4.x) or 4 (2.x), namespace /.",
			"variables":   schema{"host": schema{"default": "localhost:3001", "description": "The API's own address."}},
		}},
		"channels": schema{"live": schema{
			"address": "/", "title": "The live bus", "messages": ofChannel,
			"bindings": schema{"ws": schema{"query": auth}},
		}},
		"operations": operations,
		"components": schema{"messages": messages, "schemas": schemas},
	}, nil
}

// liveOperation is an event as the service sends or receives it.
func liveOperation(action string, e LiveEvent, reply schema) schema {
	out := schema{"action": action, "summary": e.Summary, "channel": schema{"$ref": "#/channels/live"},
		"messages": []any{schema{"$ref": "#/channels/live/messages/" + e.Name}}}
	if reply != nil {
		out["reply"] = reply
	}
	return out
}

// liveGuide is the guide's part about the live channel.
func liveGuide() string {
	_, part, _ := strings.Cut(guideText, "<b>The live bus</b></summary>\n\n")
	part, _, _ = strings.Cut(part, "\n\n</details>")
	return part
}

func (c LiveChannel) document(k *api.Kernel) ([]byte, error) {
	doc, err := c.asyncDocument(k)
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(doc)
	if err != nil {
		return nil, fmt.Errorf("writing the live channel's document: %w", err)
	}
	var out bytes.Buffer
	layOut(&out, plainText(raw), 0)
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// page is the document for readers: every event with its fields.
func (c LiveChannel) page(k *api.Kernel) ([]byte, error) {
	s := newSchemas(k)
	var out strings.Builder
	out.WriteString(pageHead("The live channel", ` · <a href="/asyncapi.json">asyncapi.json</a>`))
	for line := range strings.SplitSeq(liveGuide(), "\n\n") {
		// The tables follow, with their fields; and who reads this needs no link to it.
		if !strings.HasPrefix(line, "|") && !strings.Contains(line, "(/api-docs/live)") {
			fmt.Fprintf(&out, "<p>%s</p>", inHTML(line))
		}
	}
	write := func(title string, input bool, events []LiveEvent) error {
		fmt.Fprintf(&out, "<h2>%s</h2>", title)
		for _, e := range events {
			fmt.Fprintf(&out, `<h3 id="%s"><code>%s</code></h3><p>%s</p>`, e.Name, e.Name, inHTML(e.Summary))
			if err := s.fieldTable(&out, schemaUse{t: reflect.TypeOf(e.Data), input: input}); err != nil {
				return fmt.Errorf("event %s: %w", e.Name, err)
			}
		}
		return nil
	}
	for _, part := range []struct {
		title  string
		input  bool
		events []LiveEvent
	}{
		{"You connect with", true, []LiveEvent{{"auth", "The `auth` of the handshake; 2.x clients send it in the query.", c.Auth}}},
		{"You send", true, c.FromClients},
		{"It is answered", false,
			[]LiveEvent{{"accepted", "Done.", c.Accepted}, {"refused", "Not done; also the data of `connect_error`.", c.Refused}}},
		{"You hear", false, c.ToClients},
	} {
		if err := write(part.title, part.input, part.events); err != nil {
			return nil, err
		}
	}
	out.WriteString("</main></body></html>\n")
	return []byte(out.String()), nil
}

// pageHead is the head of a page beside the API's own, with its links.
func pageHead(title, links string) string {
	return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">` +
		`<title>Homeroom: ` + html.EscapeString(title) +
		`</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/api-docs/page.css">` +
		`</head><body class="live"><main><p><a href="/api-docs">The API</a>` + links + `</p><h1>` + html.EscapeString(title) + `</h1>`
}

// fieldTable writes the fields of an object: name, whether it is always there, what it holds and means.
func (s *schemas) fieldTable(out *strings.Builder, use schemaUse) error {
	object, err := s.object(use)
	if err != nil {
		return err
	}
	required, _ := object["required"].([]string)
	fields, _ := object["properties"].(schema)
	out.WriteString("<table>")
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		field := fields[name].(schema)
		says, _ := field["description"].(string)
		must := ""
		if slices.Contains(required, name) {
			must = "always"
		}
		fmt.Fprintf(out, "<tr><td><code>%s</code></td><td>%s</td><td>%s</td><td>%s</td></tr>",
			name, must, html.EscapeString(typeInWords(field)), inHTML(says))
	}
	out.WriteString("</table>")
	return nil
}

var codeSpan = regexp.MustCompile("`([^`]+)`")

// inHTML is a line of the guide as HTML: of its marks there is code only.
func inHTML(line string) string {
	return codeSpan.ReplaceAllString(html.EscapeString(line), "<code>$1</code>")
}

// typeInWords is what a field holds, for readers: its type, its values and its bounds.
func typeInWords(field schema) string {
	var words []string
	for _, key := range []string{"type", "format"} {
		switch v := field[key].(type) {
		case string:
			words = append(words, v)
		case []any:
			words = append(words, list(v, " or "))
		}
	}
	if values, ok := field["enum"].([]any); ok {
		words = append(words, list(values, ", "))
	}
	for _, bound := range []struct{ key, words string }{{"minimum", "at least %v"}, {"maximum", "at most %v"},
		{"maxLength", "at most %v characters"}} {
		if v, ok := field[bound.key]; ok {
			words = append(words, fmt.Sprintf(bound.words, v))
		}
	}
	if items, ok := field["items"].(schema); ok {
		words = append(words, "of "+typeInWords(items))
	}
	return strings.Join(words, ", ")
}

func list(values []any, between string) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = fmt.Sprint(v)
	}
	return strings.Join(words, between)
}
