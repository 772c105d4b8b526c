package privacy

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"homeroom/api"
)

// plan is the SQL that declarations come to, for the tables of one schema. Its statements
// take their values by name, as api.PersonalTable says.
type plan struct {
	records  string // ids of the rows that are the person's, as texts
	files    string // the same of files, which are found by those
	export   string // all that is theirs, as one JSON object: one statement, and so one moment
	unshared string // those of @all addresses that nobody else has
	erase    []string
	bytes    []string // deletions of files, which return whose bytes are to go
}

// newPlan builds the statements: rows that go in the order they are declared, then rows
// that stay, then what only the database may change, and files at last, when no record
// names them any more.
func newPlan(tables []api.PersonalTable) plan {
	var p plan
	var records, files, sections, unshared, kept []string
	sealed := false
	for _, t := range tables {
		if own := ownRows(t); own != "" && !t.NoID {
			ids := fmt.Sprintf(`select x.id::text as id from %s x where %s`, t.Table, own)
			if t.Bytes == "" {
				records = append(records, ids)
			} else {
				files = append(files, ids)
			}
			for _, c := range strings.Fields(t.Files) {
				records = append(records, fmt.Sprintf(`select x.%s::text from %s x where %s and x.%s is not null`, c, t.Table, own, c))
			}
		}
		if t.Section != "" {
			sections = append(sections, section(t))
		}
		for _, c := range strings.Fields(t.Contact) {
			unshared = append(unshared, fmt.Sprintf(`not exists (select from %s x where lower(x.%s) = lower(a) and (%s) is not true)`, t.Table, c,
				ownRows(t)))
		}
		switch {
		case t.Sealed:
			sealed = true
			continue
		case t.Bytes != "":
			p.bytes = append(p.bytes, remove(t)+" returning x.id")
		case t.Gone:
			p.erase = append(p.erase, remove(t))
		case ownRows(t) != "":
			kept = append(kept, empty(t)...)
		}
		kept = append(kept, redact(t)...)
	}
	p.erase = append(p.erase, kept...)
	if sealed {
		p.erase = append(p.erase, `select erase_sealed_rows(@ids::uuid[], @records::text[], @marks::text[], @pattern::text, @needle::text,
			@name::text)`)
	}
	p.records, p.files = list(records), list(files)
	p.export = `select coalesce(jsonb_object_agg(name, data), '{}')::text from (` + strings.Join(sections, " union all ") +
		`) s where data is not null`
	p.unshared = `select a from unnest(@all::text[]) a where ` + strings.Join(append([]string{`a <> ''`}, unshared...), " and ")
	return p
}

func list(queries []string) string {
	if len(queries) == 0 {
		return ""
	}
	return `select coalesce(array_agg(id), '{}') from (` + strings.Join(queries, " union all ") + `) r`
}

// ownRows is the condition that a row is the person's; empty for a table that has no such rows.
func ownRows(t api.PersonalTable) string {
	var either []string
	for _, c := range strings.Fields(t.Of) {
		either = append(either, fmt.Sprintf(`x.%s = any(@ids)`, c))
	}
	for _, c := range strings.Fields(t.To) {
		either = append(either, fmt.Sprintf(`lower(x.%s) = any(@addresses)`, c))
	}
	if t.Where != "" {
		either = append(either, "("+t.Where+")")
	}
	return inSchool(t, either)
}

// inSchool is any of the conditions, in rows of the person's school.
func inSchool(t api.PersonalTable, either []string) string {
	if len(either) == 0 {
		return ""
	}
	where := "(" + strings.Join(either, " or ") + ")"
	if t.School != "" {
		where += fmt.Sprintf(` and x.%s = @school`, t.School)
	}
	return where
}

// section is a part of the export.
func section(t api.PersonalTable) string {
	var either []string
	if own := ownRows(t); own != "" {
		either = append(either, own)
	}
	for _, c := range strings.Fields(t.Part) {
		either = append(either, fmt.Sprintf(`x.%s = any(@ids)`, c))
	}
	hidden := strings.Join(strings.Fields(t.Hidden+" "+t.Bytes), ",")
	return fmt.Sprintf(`select '%s' as name, (select jsonb_agg(to_jsonb(x) - '{%s}'::text[]) from %s x where %s) as data`, t.Section, hidden,
		t.Table, strings.Join(either, " or "))
}

// remove deletes the person's rows, and those that mention them.
func remove(t api.PersonalTable) string {
	var either []string
	if own := ownRows(t); own != "" {
		either = append(either, own)
	}
	var mention []string
	for _, c := range strings.Fields(t.Mention) {
		mention = append(mention, fmt.Sprintf(`x.%s::text ~* @needle`, c))
	}
	if mention != nil {
		either = append(either, inSchool(t, mention))
	}
	where := "(" + strings.Join(either, " or ") + ")"
	if t.Unless != "" {
		where += ` and not (` + t.Unless + `)`
	}
	return fmt.Sprintf(`delete from %s x where %s`, t.Table, where)
}

// empty takes what is personal out of the person's rows.
func empty(t api.PersonalTable) []string {
	set := map[string]string{}
	for _, c := range strings.Fields(t.Free) {
		set[c] = fmt.Sprintf(`case when x.%s <> '' then 'Erased' else x.%s end`, c, c)
	}
	for c := range t.About {
		set[c] = fmt.Sprintf(`case when x.%s is not null then '{"erased": true}'::jsonb end`, c)
	}
	maps.Copy(set, t.Set)
	if len(set) == 0 {
		return nil
	}
	return []string{fmt.Sprintf(`update %s x set %s where %s`, t.Table, assign(set), ownRows(t))}
}

// redact takes the person out of the rows of others.
func redact(t api.PersonalTable) (statements []string) {
	set, found := map[string]string{}, []string{}
	for _, c := range strings.Fields(t.Free) {
		set[c] = fmt.Sprintf(`regexp_replace(x.%s, @pattern, @name, 'gi')`, c)
		found = append(found, fmt.Sprintf(`x.%s <> '' and x.%s ~* @pattern`, c, c)) // most are empty
	}
	for c, keep := range t.About {
		is := fmt.Sprintf(`x.%s::text ~* @needle`, c)
		switch {
		case t.Platform:
			set[c] = fmt.Sprintf(`case when %s then '{"erased": true}'::jsonb else x.%s end`, is, c)
		case keep == "*":
			is = fmt.Sprintf(`x.%s::text ~* @pattern`, c)
			set[c] = fmt.Sprintf(`erase_in_json(x.%s, '{}', @pattern, @name, '{}')`, c)
		default:
			set[c] = fmt.Sprintf(`erase_in_json(x.%s, @marks::text[], @pattern, @name, '{%s}')`, c, strings.Join(strings.Fields(keep), ","))
		}
		found = append(found, is)
	}
	if len(found) > 0 {
		slices.Sort(found) // the same text every time, for the server remembers it
		statements = append(statements, fmt.Sprintf(`update %s x set %s where %s`, t.Table, assign(set), inSchool(t, found)))
	}
	for _, c := range strings.Fields(t.Phone) {
		statements = append(statements, fmt.Sprintf(`update %s x set %s = '' where lower(x.%s) = any(@addresses)`, t.Table, c, c))
	}
	return statements
}

func assign(set map[string]string) string {
	var out []string
	for _, c := range slices.Sorted(maps.Keys(set)) {
		out = append(out, c+" = "+set[c])
	}
	return strings.Join(out, ", ")
}
