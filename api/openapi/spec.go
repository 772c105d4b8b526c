package openapi

import "homeroom/api"

// spec is an OpenAPI 3.1 document, with what rows need of it. Of what may be a component,
// Ref set makes it a reference to one.
type spec struct {
	OpenAPI    string                           `json:"openapi"`
	Info       info                             `json:"info"`
	Servers    []server                         `json:"servers"`
	Paths      map[string]map[string]*operation `json:"paths"`              // by path and method
	Webhooks   map[string]schema                `json:"webhooks,omitempty"` // by the kind of fact
	Components components                       `json:"components"`
	Security   []map[string][]string            `json:"security"` // of operations that say none
	Tags       []tag                            `json:"tags"`
}

type info struct {
	Title       string `json:"title"`
	Description string `json:"description,omitempty"`
	Version     string `json:"version"`
}

type server struct {
	URL         string `json:"url"`
	Description string `json:"description"`
}

type tag struct {
	Name string `json:"name"`
}

type components struct {
	Schemas         map[string]schema      `json:"schemas,omitempty"`
	Responses       map[string]response    `json:"responses,omitempty"`
	Parameters      map[string]parameter   `json:"parameters,omitempty"`
	RequestBodies   map[string]requestBody `json:"requestBodies,omitempty"`
	Examples        map[string]example     `json:"examples,omitempty"`
	Headers         map[string]header      `json:"headers,omitempty"`
	SecuritySchemes map[string]schema      `json:"securitySchemes,omitempty"`
}

type operation struct {
	Tags        []string              `json:"tags"`
	Summary     string                `json:"summary"`
	Description string                `json:"description,omitempty"`
	ID          string                `json:"operationId"`
	Parameters  []parameter           `json:"parameters,omitempty"`
	RequestBody *requestBody          `json:"requestBody,omitempty"`
	Responses   map[string]response   `json:"responses"`         // by status
	Security    []map[string][]string `json:"security,omitzero"` // empty: it needs no token; nil: as the document says
	Fresh       bool                  `json:"x-fresh,omitempty"`
	LimitClass  api.LimitClass        `json:"x-limit-class"`
	Permission  *permission           `json:"x-permission,omitempty"`
}

type parameter struct {
	Ref         string `json:"$ref,omitempty"`
	Name        string `json:"name,omitempty"`
	In          string `json:"in,omitempty"`
	Description string `json:"description,omitempty"`
	Required    bool   `json:"required,omitempty"`
	Schema      schema `json:"schema,omitempty"`
}

// Where a parameter is sent.
const (
	inPath   = "path"
	inQuery  = "query"
	inHeader = "header"
)

type requestBody struct {
	Ref      string           `json:"$ref,omitempty"`
	Content  map[string]media `json:"content,omitempty"` // by type
	Required bool             `json:"required,omitempty"`

	isList bool // the request of a list, in the POST twin's body
}

// response is an answer. As a reference it may have a description of its own.
type response struct {
	Ref         string            `json:"$ref,omitempty"`
	Description string            `json:"description,omitempty"`
	Headers     map[string]header `json:"headers,omitempty"`
	Content     map[string]media  `json:"content,omitempty"` // by type
}

type media struct {
	Schema   schema             `json:"schema,omitempty"`
	Examples map[string]example `json:"examples,omitempty"`
}

type header struct {
	Ref         string `json:"$ref,omitempty"`
	Description string `json:"description,omitempty"`
	Schema      schema `json:"schema,omitempty"`
}

type example struct {
	Ref     string `json:"$ref,omitempty"`
	Summary string `json:"summary,omitempty"`
	Value   any    `json:"value,omitempty"`
}
