package demo_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"homeroom/testkit"
)

// recordsAreSound holds what the demo made against what holds of every school: its ledger, the shapes that the API's document
// promises, and what can be said of a person.
func recordsAreSound(t *testing.T, app *testkit.App) {
	t.Helper()
	school := schoolOf(t, app)
	for what, table := range map[string]string{
		"transactions that do not balance": `(select from ledger_entry group by transaction_id
			having sum(case entry_type when 'DR' then amount else -amount end) <> 0) x`,
		"transactions without entries": `(select from ledger_transaction t
			where not exists (select from ledger_entry e where e.transaction_id = t.id)) x`,
		"years whose receipts have gaps": `(select from fee_receipt group by academic_year_id
			having max(number) <> count(*) or min(number) <> 1 or count(distinct number) <> count(*)) x`,
		"instalments charged twice": `(select from fee_invoice where structure_id is not null group by student_id, structure_id, instalment
			having count(*) > 1) x`,
		"marks of a day that is to come": `(select from attendance where date > '2026-10-14' and status <> 'LEAVE') x`,
		"marks of somebody who sat elsewhere": `(select from attendance a where not exists (select from enrolment e
			where e.student_id = a.student_id and e.division_id = a.division_id and e.start_date <= a.date
			and (e.end_date is null or e.end_date >= a.date))) x`,
		"marks of days when the school is shut": `(select from attendance a join holiday h on a.date between h.start_date and h.end_date
			and h.all_classes where a.status <> 'LEAVE') x`,
		"marks of these days that no teacher took": `(select from attendance where date between '2026-10-12' and '2026-10-14'
			and source <> 'TEACHER') x`,
		"notices of what was that somebody would still be sent": `(select from notice where not silent) x`,
		"notices without their log": `(select from notice n where n.student_id is not null and n.told_at is not null
			and not exists (select from notification l where l.dedupe_key = n.key)) x`,
		"loans that came back before they left": `(select from library_loan where closed_on < issued_on) x`,
	} {
		if n := school.Count(t, table, "true"); n != 0 {
			t.Errorf("there are %d %s", n, what)
		}
	}
	everyShapeIsAsPromised(t, app, office(t, app, "admin@green-valley.local"))
}

// everyShapeIsAsPromised reads every list of the office, and the first records of each by their ids, and holds the answers against
// the schemas of /openapi.json. Of people it reads what is kept of them, too.
func everyShapeIsAsPromised(t *testing.T, app *testkit.App, c *testkit.Client) {
	t.Helper()
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(app.Nobody().Call(t, "GET", "/openapi.json", nil).Body))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("api.json", parsed); err != nil {
		t.Fatal(err)
	}
	paths := parsed.(map[string]any)["paths"].(map[string]any)
	ids := map[string][]string{} // by the list's path without its end
	read := func(path, call string) testkit.Answer {
		t.Helper()
		a := c.Call(t, "GET", call, nil)
		if a.Status == 429 || a.Status >= 500 {
			t.Errorf("GET %s is answered %d %s", call, a.Status, a.Body)
			return a
		}
		if a.Status != 200 || !strings.HasPrefix(a.Header.Get("Content-Type"), "application/json") {
			return a
		}
		at := "#/paths/" + strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(path) + "/get/responses/200"
		answers := paths[path].(map[string]any)["get"].(map[string]any)["responses"].(map[string]any)
		if shared, ok := answers["200"].(map[string]any)["$ref"].(string); ok {
			at = shared
		}
		schema, err := compiler.Compile("api.json" + at + "/content/application~1json/schema")
		if err != nil {
			t.Errorf("GET %s promises no JSON: %v", path, err)
			return a
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(a.Body))
		if err == nil {
			err = schema.Validate(value)
		}
		if err != nil {
			t.Errorf("GET %s has another shape than promised: %v", call, err)
		}
		return a
	}
	lists, records, people := 0, 0, 0
	for path, methods := range paths {
		if methods.(map[string]any)["get"] == nil || !strings.HasPrefix(path, "/school-admin/") || strings.Contains(path, "{") ||
			strings.HasSuffix(path, "/stream") {
			continue
		}
		list, isList := strings.CutSuffix(path, "/list")
		if !isList {
			read(path, path)
			continue
		}
		var found struct{ Items []struct{ ID string } }
		if a := read(path, path+"?limit=100"); a.Status == 200 {
			a.Read(t, &found)
			lists++
		}
		for i := 0; i < len(found.Items) && i < 3; i++ {
			ids[list] = append(ids[list], found.Items[i].ID)
		}
	}
	for path, methods := range paths {
		before, after, one := strings.Cut(path, "/{id}")
		if methods.(map[string]any)["get"] == nil || !one || strings.Contains(after, "{") || strings.HasSuffix(path, ".pdf") {
			continue
		}
		for _, id := range ids[before] {
			if read(path, before+"/"+id+after).Status != 200 {
				continue
			}
			records++
			if after == "/personal-data" {
				people++
			}
		}
	}
	for what, got := range map[string][2]int{"lists": {lists, 40}, "records": {records, 40}, "people's own data": {people, 6}} {
		if got[0] < got[1] {
			t.Errorf("only %d of %s were read, want %d", got[0], what, got[1])
		}
	}
}
