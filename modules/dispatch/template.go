package dispatch

import (
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
)

// Template is a text that is sent again and again.
type Template struct {
	api.Record
	TemplateFields
}

// TableName is the record's table.
func (Template) TableName() string { return "dispatch_template" }

// TemplateFields are what the office says of it.
type TemplateFields struct {
	Channel string `json:"channel" validate:"required,oneof=SMS EMAIL"`
	Name    string `json:"name" validate:"name,max=100"`
	Subject string `json:"subject" validate:"max=200" doc:"Of an e-mail"`
	Body    string `json:"body" validate:"notblank,max=5000" doc:"{name}, {student} and {school} are filled in for each recipient"`
}

var templateListing = api.Listing{
	Sorts:   map[string]string{"name": "name", "createdAt": "created_at"},
	Default: "name",
	Filters: map[string]api.Filter{"channel": api.ByEnum("channel", "SMS", "EMAIL"), "search": api.Search("name", "body")},
}

type templateChange struct {
	ID uuid.UUID `path:"id"`
	api.Change[TemplateFields]
}

type byID struct {
	ID uuid.UUID `path:"id"`
}

func createTemplate(c api.Ctx, r TemplateFields) (Template, error) {
	if err := knownPlaceholders(r.Subject, r.Body); err != nil {
		return Template{}, err
	}
	t := Template{TemplateFields: r}
	return t, api.Insert(c, "template", &t)
}

func listTemplates(c api.Ctx, l api.ListRequest) (api.Page[Template], error) {
	return api.Fetch[Template](c.DB.Model(&Template{}), l)
}

func updateTemplate(c api.Ctx, r templateChange) (Template, error) {
	return api.Update(c, "template", r.ID, func(t *Template) error {
		if err := r.Apply(&t.TemplateFields); err != nil {
			return err
		}
		return knownPlaceholders(t.Subject, t.Body)
	})
}

func deleteTemplate(c api.Ctx, r byID) error { return api.Erase[Template](c, "template", r.ID) }

// knownPlaceholders refuses what nobody would fill in: families must not read {nmae}.
func knownPlaceholders(subject, body string) error {
	var bad []api.Detail
	for field, text := range map[string]string{"subject": subject, "body": body} {
		for rest := text; ; {
			_, after, found := strings.Cut(rest, "{")
			if !found {
				break
			}
			inner, _, closed := strings.Cut(after, "}")
			if !closed || (inner != "name" && inner != "student" && inner != "school") {
				bad = append(bad, api.Detail{Field: field, Message: field + " has a placeholder that is not {name}, {student} or {school}"})
				break
			}
			rest = after
		}
	}
	if bad != nil {
		return api.Invalid(bad...)
	}
	return nil
}

// fill puts a recipient's words in, once: what they are called is no template.
func fill(text string, r recipient, school string) string {
	return strings.NewReplacer("{name}", r.Name, "{student}", r.Student, "{school}", school).Replace(text)
}
