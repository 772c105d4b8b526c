package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"gorm.io/gorm"
)

const (
	// DefaultLimit is how many records a page has when the caller does not say.
	DefaultLimit = 20
	// MaxLimit is how many records a page has at the most.
	MaxLimit = 100
	// MaxPage bounds the offset.
	MaxPage = 1_000_000
	// MaxFilter bounds the text of a filter, in characters.
	MaxFilter = 200
	// MaxWords bounds the words of a search: each is a condition of its own, and a statement
	// of thousands of them takes minutes to build.
	MaxWords = 10
)

// Listing declares what a list can be sorted and filtered by. Names from clients
// reach SQL only through it.
type Listing struct {
	Sorts   map[string]string // wire name → column
	Default string            // sort when none is asked for; "-name" is descending
	Filters map[string]Filter
}

// Filter turns a value of the wire into a condition.
type Filter struct {
	Kind  string // for the document: uuid, string, boolean, integer, date, search, object
	Enum  []string
	Words bool // every word is a condition of its own
	parse func(text string) (any, error)
	where string
}

// ByID filters on a column that holds an id.
func ByID(column string) Filter {
	return Filter{Kind: "uuid", where: column + " = ?", parse: func(s string) (any, error) {
		id, err := uuid.Parse(s)
		if err != nil {
			return nil, fmt.Errorf("must be a UUID")
		}
		return id, nil
	}}
}

// ByBool filters on a column that is true or false.
func ByBool(column string) Filter {
	return Filter{Kind: "boolean", where: column + " = ?", parse: func(s string) (any, error) {
		b, err := strconv.ParseBool(s)
		if err != nil {
			return nil, fmt.Errorf("must be true or false")
		}
		return b, nil
	}}
}

// ByInt filters on a column that holds a whole number.
func ByInt(column string) Filter {
	return Filter{Kind: "integer", where: column + " = ?", parse: func(s string) (any, error) {
		n, err := strconv.ParseInt(s, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("must be a whole number")
		}
		return n, nil
	}}
}

// ByEnum filters on a column that holds one of a few words.
func ByEnum(column string, values ...string) Filter {
	return Filter{Kind: "string", Enum: values, where: column + " = ?", parse: func(s string) (any, error) {
		for _, v := range values {
			if s == v {
				return v, nil
			}
		}
		return nil, fmt.Errorf("must be one of %s", strings.Join(values, ", "))
	}}
}

// ByText filters on a column that holds exactly this text.
func ByText(column string) Filter {
	return Filter{Kind: "string", where: column + " = ?", parse: func(s string) (any, error) { return s, nil }}
}

// ByMembers filters on a column that holds a JSON object: the value is an object as JSON, and the column's has all its members.
func ByMembers(column string) Filter {
	return Filter{Kind: "object", where: "jsonb_contains(" + column + ", ?::jsonb)", parse: func(s string) (any, error) {
		var members map[string]json.RawMessage
		if json.Unmarshal([]byte(s), &members) != nil || len(members) == 0 {
			return nil, fmt.Errorf(`must be a JSON object like {"house": "Blue"}`)
		}
		return s, nil
	}}
}

// ByDate filters on a date with the comparison given, e.g. ByDate("end_date", ">=").
func ByDate(column, comparison string) Filter {
	return Filter{Kind: "date", where: column + " " + comparison + " ?", parse: func(s string) (any, error) { return ParseDate(s) }}
}

// ByMoment filters on a moment with the comparison given, e.g. ByMoment("occurred_at", ">=").
func ByMoment(column, comparison string) Filter {
	return Filter{Kind: "date-time", where: column + " " + comparison + " ?", parse: func(s string) (any, error) {
		t, err := time.Parse(time.RFC3339, s)
		if err != nil || t.Year() < 1 || t.Year() > 9999 {
			return nil, fmt.Errorf("must be a moment like 2026-11-15T08:30:00Z")
		}
		return t, nil
	}}
}

// Search finds text anywhere in the columns, in any case; % and _ are ordinary characters.
func Search(columns ...string) Filter {
	var parts []string
	for _, c := range columns {
		parts = append(parts, c+` ILIKE @q`)
	}
	return Filter{Kind: "search", where: strings.Join(parts, " OR "), parse: func(s string) (any, error) {
		escaped := strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(s)
		return map[string]any{"q": "%" + escaped + "%"}, nil
	}}
}

// SearchWords finds records whose folded text (see Fold) holds every word asked for,
// in any order, case and accents. A trigram index on the column serves it.
func SearchWords(column string) Filter { return SearchWordsWhere(column + ` LIKE @q`) }

// SearchWordsWhere is SearchWords by a condition that is not of one column: sql says it, with
// @q for the pattern of a folded word.
func SearchWordsWhere(sql string) Filter {
	f := Search()
	f.where, f.Words = "("+sql+")", true
	return f
}

// Where is a filter whose condition is not a comparison with one column: sql says it,
// with @v where the value goes and @today for the day it is at the school. A date that
// the planner sees as one value makes a subquery it runs once, not once a record.
func (f Filter) Where(sql string) Filter {
	parse := f.parse
	f.where = sql
	f.parse = func(s string) (any, error) {
		v, err := parse(s)
		return map[string]any{"v": v}, err
	}
	return f
}

// Condition is the SQL that the filter adds to a query.
func (f Filter) Condition() string { return f.where }

// ListRequest is a list request that has been checked against its row's Listing.
type ListRequest struct {
	Page  int
	Limit int

	order []string
	where []condition
	today Date
	whole *wholeList // it is read to its end; nil: a page of it
}

type condition struct {
	name  string // of the filter
	sql   string
	value any
}

// Filter is the value that the list is filtered by under a name, nil if it is not: for what a handler alone can check.
func (l ListRequest) Filter(name string) any {
	for _, c := range l.where {
		if c.name == name {
			return c.value
		}
	}
	return nil
}

// Offset is how many records come before the page.
func (l ListRequest) Offset() int { return (l.Page - 1) * l.Limit }

// narrow applies the filters.
func (l ListRequest) narrow(db *gorm.DB) *gorm.DB {
	for _, c := range l.where {
		value := c.value
		if named, ok := value.(map[string]any); ok {
			named = maps.Clone(named)
			named["today"] = l.today
			value = named
		}
		db = db.Where(c.sql, value)
	}
	return db
}

// rawList is the generic list request as it comes, from either side.
type rawList struct {
	Page    json.RawMessage            `json:"page"`
	Limit   json.RawMessage            `json:"limit"`
	Filters map[string]json.RawMessage `json:"filters"`
	Sort    struct {
		Field string `json:"field"`
		Order string `json:"order"`
	} `json:"sort"`
}

// parse reads a list request from the query string, the body, or both, and
// answers with every mistake at once, those found before included.
func (l *Listing) parse(query url.Values, data json.RawMessage, bad []Detail) (ListRequest, error) {
	var raw rawList
	if data != nil {
		if err := json.Unmarshal(data, &raw); err != nil {
			return ListRequest{}, Malformed("The list request does not fit: page, limit, filters and sort").Because(err)
		}
	}
	p := listParser{listing: l, bad: bad, out: ListRequest{Page: 1, Limit: DefaultLimit}}
	p.number("page", oneText(query, "page"), raw.Page, MaxPage, &p.out.Page)
	p.number("limit", oneText(query, "limit"), raw.Limit, MaxLimit, &p.out.Limit)
	p.filters(query, raw.Filters)
	p.sort(query, raw)
	if p.twice != "" {
		return ListRequest{}, Malformed("%s is in both the query and the body", p.twice)
	}
	if p.bad != nil {
		return ListRequest{}, Invalid(p.bad...)
	}
	return p.out, nil
}

type listParser struct {
	listing *Listing
	out     ListRequest
	bad     []Detail
	twice   string
}

func (p *listParser) fail(field, format string, args ...any) {
	if len(p.bad) < maxDetails {
		p.bad = append(p.bad, Wrong(field, format, args...))
	}
}

func oneText(query url.Values, name string) *string {
	if v, ok := query[name]; ok && len(v) > 0 {
		return &v[0]
	}
	return nil
}

func (p *listParser) number(name string, inQuery *string, inBody json.RawMessage, most int, out *int) {
	text := string(inBody)
	if inQuery != nil {
		if inBody != nil {
			p.twice = name
		}
		text = *inQuery
	}
	if text == "" || text == "null" {
		return
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > most {
		p.fail(name, "%s must be a whole number from 1 to %d", name, most)
		return
	}
	*out = n
}

func (p *listParser) filters(query url.Values, body map[string]json.RawMessage) {
	texts := map[string]string{}
	for key, values := range query {
		if name, ok := bracketed(key, "filters"); ok {
			texts[name] = values[0]
			if _, both := body[name]; both {
				p.twice = "filters[" + name + "]"
			}
		}
	}
	for name, raw := range body {
		if string(raw) == "null" {
			continue
		}
		var s string
		if json.Unmarshal(raw, &s) != nil {
			s = string(raw)
		}
		texts[name] = s
	}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		f, declared := p.listing.Filters[name]
		if !declared {
			p.fail("filters."+name, "can be filtered by %s", orNothing(slices.Sorted(maps.Keys(p.listing.Filters))))
			continue
		}
		if texts[name] == "" {
			continue // an emptied search box
		}
		if !utf8.ValidString(texts[name]) || strings.ContainsRune(texts[name], 0) {
			p.fail("filters."+name, "must be valid text")
			continue
		}
		if utf8.RuneCountInString(texts[name]) > MaxFilter {
			p.fail("filters."+name, "must be at most %d characters", MaxFilter)
			continue
		}
		parts := []string{texts[name]}
		if f.Words {
			if parts = strings.Fields(Fold(texts[name])); len(parts) > MaxWords {
				p.fail("filters."+name, "must be at most %d words", MaxWords)
				continue
			}
		}
		for _, part := range parts {
			v, err := f.parse(part)
			if err != nil {
				p.fail("filters."+name, "%v", err)
				break
			}
			p.out.where = append(p.out.where, condition{name, f.where, v})
		}
	}
}

func (p *listParser) sort(query url.Values, raw rawList) {
	field, order := raw.Sort.Field, raw.Sort.Order
	for key, out := range map[string]*string{"sort[field]": &field, "sort[order]": &order} {
		if text := oneText(query, key); text != nil {
			if *out != "" {
				p.twice = key
			}
			*out = *text
		}
	}
	if field == "" {
		field = strings.TrimPrefix(p.listing.Default, "-")
		if order == "" && strings.HasPrefix(p.listing.Default, "-") {
			order = "desc"
		}
	}
	column, declared := p.listing.Sorts[field]
	if !declared {
		p.fail("sort.field", "can be sorted by %s", orNothing(slices.Sorted(maps.Keys(p.listing.Sorts))))
		return
	}
	switch strings.ToLower(order) {
	case "", "asc":
		p.out.order = []string{column, "id"}
	case "desc":
		p.out.order = []string{column + " DESC", "id DESC"}
	default:
		p.fail("sort.order", "must be asc or desc")
	}
}

// bracketed takes apart filters[classId].
func bracketed(key, outer string) (string, bool) {
	inner, ok := strings.CutPrefix(key, outer+"[")
	if !ok {
		return "", false
	}
	return strings.CutSuffix(inner, "]")
}

func orNothing(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, ", ")
}
