package oneroster

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"homeroom/api"
	"homeroom/tenancy"
)

// base is where the standard has the service.
const base = "/ims/oneroster/rostering/v1p2"

const (
	defaultLimit = 100
	maxLimit     = 5000
	maxOffset    = 1_000_000
)

// query is what the standard has for every list.
type query struct {
	Limit  *int   `json:"limit" validate:"omitempty,min=1,max=5000" doc:"100 unless given"`
	Offset int    `json:"offset" validate:"min=0,max=1000000"`
	Sort   string `json:"sort" validate:"max=100" doc:"A field. One that there is not leaves the order as it is" example:"familyName"`
	Order  string `json:"orderBy" validate:"omitempty,oneof=asc desc" doc:"asc unless given"`
	Filter string `json:"filter" validate:"max=2000" doc:"Comparisons of fields, joined by AND and OR: = != > >= < <=, and ~ for contains" example:"dateLastModified>'2026-11-18T00:00:00Z' AND status='active'"`
	Fields string `json:"fields" validate:"max=1000" doc:"Only these, separated by commas" example:"sourcedId,familyName"`
}

type listRequest struct {
	Collection string `path:"collection" validate:"max=40"`
	query
}

type partRequest struct {
	Collection string `path:"collection" validate:"max=40"`
	ID         string `path:"sourcedId" validate:"max=255"`
	Part       string `path:"part" validate:"max=40"`
	query
}

type classPartRequest struct {
	Collection string `path:"collection" validate:"max=40"`
	School     string `path:"sourcedId" validate:"max=255"`
	Classes    string `path:"part" validate:"max=40"`
	Class      string `path:"classSourcedId" validate:"max=255"`
	Part       string `path:"of" validate:"max=40"`
	query
}

type recordRequest struct {
	Collection string `path:"collection" validate:"max=40"`
	ID         string `path:"sourcedId" validate:"max=255"`
	Fields     string `json:"fields" validate:"max=1000" doc:"Only these, separated by commas"`
}

// records is an answer: one record or many, under the name that the standard has for them.
type records struct {
	name  string
	one   bool
	items []json.RawMessage
	query query
	total int
}

// MarshalJSON writes the records under their name.
func (r records) MarshalJSON() ([]byte, error) {
	if r.one {
		return json.Marshal(map[string]json.RawMessage{r.name: r.items[0]})
	}
	return json.Marshal(map[string][]json.RawMessage{r.name: r.items})
}

// JSONSchema describes them as the standard does.
func (records) JSONSchema() map[string]any {
	return map[string]any{"type": "object", "description": "The records under their name (`users` of students and teachers too), as the " +
		"schemas of OneRoster 1.2 describe them", "examples": []any{map[string]any{"orgs": []any{map[string]any{"sourcedId": "…",
		"status": "active", "dateLastModified": "2026-11-18T08:30:00.000Z", "name": "Green Valley", "type": "school"}}}}}
}

// Headers are the total and the way to other pages.
func (r records) Headers(at *url.URL) []string {
	if r.one {
		return nil
	}
	limit, last := r.query.limit(), 0
	if r.total > 0 {
		last = (r.total - 1) / limit * limit
	}
	var links []string
	link := func(rel string, offset int) {
		q := at.Query()
		q.Set("limit", strconv.Itoa(limit))
		q.Set("offset", strconv.Itoa(offset))
		to := *at
		to.RawQuery = q.Encode()
		links = append(links, fmt.Sprintf(`<%s>; rel="%s"`, to.String(), rel))
	}
	if next := r.query.Offset + limit; next < r.total {
		link("next", next)
	}
	if r.query.Offset > 0 {
		link("prev", max(0, r.query.Offset-limit))
	}
	link("first", 0)
	link("last", last)
	return []string{"X-Total-Count", strconv.Itoa(r.total), "Link", strings.Join(links, ", ")}
}

func (q query) limit() int {
	if q.Limit == nil {
		return defaultLimit
	}
	return *q.Limit
}

func list(c api.Ctx, r listRequest) (records, error) {
	return read(c, r.Collection, "", "", r.query)
}

// listPart lists what belongs to a record: the classes of a student, say.
func listPart(c api.Ctx, r partRequest) (records, error) {
	whole, known := collections[r.Collection]
	if !known || !slices.Contains(whole.parts, r.Part) {
		return records{}, api.NotFound("collection")
	}
	if _, err := find(c, r.Collection, r.ID, nil); err != nil {
		return records{}, err
	}
	return read(c, r.Part, r.Collection, r.ID, r.query)
}

// listOfClass lists what belongs to a class of a school: there is one school.
func listOfClass(c api.Ctx, r classPartRequest) (records, error) {
	if r.Collection != "schools" || r.Classes != "classes" || !slices.Contains([]string{"enrollments", "students", "teachers"}, r.Part) {
		return records{}, api.NotFound("collection")
	}
	for name, id := range map[string]string{"schools": r.School, "classes": r.Class} {
		if _, err := find(c, name, id, nil); err != nil {
			return records{}, err
		}
	}
	return read(c, r.Part, "classes", r.Class, r.query)
}

func get(c api.Ctx, r recordRequest) (records, error) {
	chosen, err := selection(collections[r.Collection], r.Fields)
	if err != nil {
		return records{}, err
	}
	found, err := find(c, r.Collection, r.ID, chosen)
	return records{name: collections[r.Collection].record, one: true, items: []json.RawMessage{found}}, err
}

// permitted is a collection that the caller may read.
func permitted(c api.Ctx, name string) (collection, error) {
	of, known := collections[name]
	if !known {
		return of, api.NotFound("collection")
	}
	scope := scopeRoster
	if name == "demographics" {
		scope = scopeDetails
	}
	if !c.User.Key.Has(scope) && (scope == scopeDetails || !c.User.Key.Has(scopeCore)) {
		return of, api.Denied("The token's scope does not cover " + name)
	}
	for _, module := range of.modules {
		if err := c.Permit(module, api.Read); err != nil {
			return of, err
		}
	}
	return of, nil
}

// selection is the fields that were asked for; nil: all.
func selection(of collection, chosen string) ([]string, error) {
	if chosen == "" {
		return nil, nil
	}
	var out []string
	for name := range strings.SplitSeq(chosen, ",") {
		f := of.find(strings.TrimSpace(name))
		if f == nil && of.record != "" {
			return nil, api.Coded(400, invalidSelection, fmt.Sprintf("fields: %q is no field here", name))
		}
		if f != nil {
			out = append(out, f.name)
		}
	}
	return out, nil
}

// find reads one record of a collection.
func find(c api.Ctx, name, id string, chosen []string) (json.RawMessage, error) {
	of, err := permitted(c, name)
	if err != nil {
		return nil, err
	}
	found, _, err := of.rows(c, `"sourcedId" = $5`, append(arguments(c), id), chosen, "")
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, api.NotFound(of.record)
	}
	return found[0], nil
}

// read lists a collection, or the part of it that belongs to a record of another.
func read(c api.Ctx, name, to, id string, q query) (records, error) {
	of, err := permitted(c, name)
	if err != nil {
		return records{}, err
	}
	chosen, err := selection(of, q.Fields)
	if err != nil {
		return records{}, err
	}
	where, args := "true", arguments(c)
	if to != "" {
		where, args = belongs(to, name), append(args, id)
	}
	if q.Filter != "" {
		var more string
		if more, args, err = of.filtered(q.Filter, args); err != nil {
			return records{}, err
		}
		where += " and (" + more + ")"
	}
	page := ` limit ` + strconv.Itoa(q.limit()) + ` offset ` + strconv.Itoa(q.Offset)
	items, total, err := of.rows(c, where, args, chosen, q.order(of)+page)
	return records{name: of.records, items: items, query: q, total: total}, err
}

// order is that of a list: stable, so that its pages have each record once.
func (q query) order(of collection) string {
	direction := ""
	if q.Order == "desc" {
		direction = " desc"
	}
	if f := of.find(q.Sort); q.Sort != "" && f != nil {
		return ` order by lower("` + f.column + `") collate "C"` + direction + `, "sourcedId" collate "C"`
	}
	return ` order by "sourcedId" collate "C"` + direction
}

// rows reads records as JSON, and how many there are on all pages.
func (of collection) rows(c api.Ctx, where string, args []any, chosen []string, page string) (out []json.RawMessage, total int,
	err error) {
	if of.where != "" {
		where += " and " + of.where
	}
	all := of.all()
	var columns []string
	for _, f := range all {
		columns = append(columns, `"`+f.column+`"`)
	}
	from := ` from ` + of.source().table() + ` where ` + where + ` and ` + typed
	out = []json.RawMessage{}
	err = tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `select count(*)` + from, Args: args, Scan: tenancy.One(&total)},
		tenancy.Query{SQL: `select ` + strings.Join(columns, ", ") + from + page, Args: args, Scan: func(found pgx.Rows) error {
			for found.Next() {
				cells := make([]*string, len(all))
				into := make([]any, len(all))
				for i := range cells {
					into[i] = &cells[i]
				}
				if err := found.Scan(into...); err != nil {
					return err
				}
				record, err := written(all, cells, chosen)
				if err != nil {
					return err
				}
				out = append(out, record)
			}
			return found.Err()
		}})
	if err != nil {
		return nil, 0, fmt.Errorf("reading %s of a roster: %w", of.records, err)
	}
	return out, total, nil
}

// reference is the standard's GUIDRef.
type reference struct {
	Href string `json:"href"`
	ID   string `json:"sourcedId"`
	Type string `json:"type"`
}

type role struct {
	Type string    `json:"roleType"`
	Role string    `json:"role"`
	Org  reference `json:"org"`
}

// written is a record as JSON. What it does not have is left out, as the standard wants it.
func written(all []field, cells []*string, chosen []string) (json.RawMessage, error) {
	record := map[string]any{}
	org := ""
	for i, f := range all {
		if f.column == "primaryOrgSourcedId" && cells[i] != nil {
			org = *cells[i]
		}
	}
	for i, f := range all {
		if cells[i] == nil || strings.TrimSpace(*cells[i]) == "" {
			continue
		}
		cell := strings.TrimSpace(*cells[i])
		switch f.kind {
		case text:
			record[f.name] = cell
		case texts:
			record[f.name] = strings.Split(cell, ",")
		case one:
			record[f.name] = refer(f.to, cell)
		case many:
			var refs []reference
			for id := range strings.SplitSeq(cell, ",") {
				refs = append(refs, refer(f.to, id))
			}
			record[f.name] = refs
		case roles:
			record[f.name] = []role{{"primary", cell, refer("org", org)}}
		}
	}
	if chosen != nil {
		maps.DeleteFunc(record, func(name string, _ any) bool { return !slices.Contains(chosen, name) })
	}
	return json.Marshal(record)
}

func refer(kind, id string) reference {
	return reference{Href: base + "/" + places[kind] + "/" + id, ID: id, Type: kind}
}
