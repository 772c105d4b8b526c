package audit_test

import (
	"regexp"
	"testing"

	"homeroom/api"
	"homeroom/modules/fee"
	"homeroom/modules/fee/charging"
	"homeroom/modules/roster"
	"homeroom/testkit"
)

func TestAudit_NamesPeopleAndThings(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	seat := s.Seat(t, "Class 5")
	asha := testkit.Post[roster.StudentDetail](t, admin, "/school-admin/student/create",
		map[string]any{"firstName": "Asha", "lastName": "Rao"})
	testkit.Put[roster.StudentDetail](t, admin, "/school-admin/student/"+asha.ID.String(), map[string]any{"divisionId": seat.DivisionID})
	moved := list(t, admin, "entity", "enrolment").Items[0]
	if moved.EntityName != "Asha Rao" {
		t.Errorf("an enrolment is of %q, want Asha Rao", moved.EntityName)
	}
	if got := moved.Names[seat.DivisionID]; got != "Class 5 A" {
		t.Errorf("the division is called %q, want Class 5 A", got)
	}
	class := testkit.Post[roster.Class](t, admin, "/school-admin/class/create", map[string]any{"name": "Class 9"})
	if a := admin.Call(t, "DELETE", "/school-admin/class/"+class.ID.String(), nil); a.Status != 204 {
		t.Fatalf("deleting a class: %d %s", a.Status, a.Body)
	}
	for _, e := range list(t, admin, "entityId", class.ID.String()).Items {
		if e.EntityName != "Class 9" {
			t.Errorf("%s of a class that is gone: called %q, want Class 9", e.Action, e.EntityName)
		}
	}
}

func TestAudit_Search_FindsByPersonThingAndWord(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin, clerk := s.As(t, api.SchoolAdmin), s.As(t, api.SchoolAdmin)
	if err := s.DB(t).Exec(`update app_user set first_name = 'Quentin' where id = ?`, clerk.UserID).Error; err != nil {
		t.Fatal(err)
	}
	s.Seat(t, "Class 5")
	asha := testkit.Post[roster.StudentDetail](t, admin, "/school-admin/student/create",
		map[string]any{"firstName": "Asha", "lastName": "Rao"})
	testkit.Post[charging.Fined](t, admin, "/school-admin/fee/fine", map[string]any{"studentId": asha.ID, "amount": 900, "reason": "Window"})
	receipt := testkit.Post[fee.Collection](t, clerk, "/school-admin/fee/collection/record",
		map[string]any{"studentId": asha.ID, "amount": 900, "paymentMode": "CASH"})
	class := testkit.Post[roster.Class](t, admin, "/school-admin/class/create", map[string]any{"name": "Class 9"})
	testkit.Put[roster.Class](t, admin, "/school-admin/class/"+class.ID.String(), map[string]any{"name": "Ninth"})
	for _, c := range []struct {
		search, entity string
		n              int
	}{
		{"quentin", "fee receipt", 1}, {"ASHA rao", "student", 2}, {"asha", "fee receipt", 1}, {receipt.ReceiptNumber, "fee receipt", 1},
		{"class 9", "class", 2}, {"ninth", "class", 2}, {"fine", "student", 1}, {"receipt", "fee receipt", 1},
		{"quentin ninth", "class", 0}, {"%", "class", 0}, {"nobody", "student", 0},
	} {
		got := list(t, admin, "search", c.search, "entity", c.entity)
		if got.Total != c.n {
			t.Errorf("%q finds %d of %s, want %d", c.search, got.Total, c.entity, c.n)
		}
	}
	if n := list(t, admin, "search", "quentin").Total; n != 1 {
		t.Errorf("%d entries by Quentin, want one", n)
	}
}

// nameless have a name that is nobody's to look for: lines of other records, and what is kept in no entry.
var nameless = map[string]bool{"import_run": true, "ledger_account": true, "fee_instalment": true, "number_series": true,
	"delivery": true, "notice": true, "notification": true}

// TestNames_OfEveryTable looks for tables whose records have a name, which the audit would show as an id.
func TestNames_OfEveryTable(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	var tables []string
	err := s.DB(t).Raw(`select distinct c.table_name from information_schema.columns c
		join information_schema.columns i on i.table_schema = c.table_schema and i.table_name = c.table_name and i.column_name = 'id'
		and i.data_type = 'uuid'
		where c.table_schema = current_schema() and c.column_name in ('name', 'title', 'first_name', 'display_name', 'original_name')`).
		Scan(&tables).Error
	if err != nil || len(tables) < 15 {
		t.Fatalf("%d tables, %v", len(tables), err)
	}
	named := api.NamesSQL(s.App.Service.Kernel.Modules)
	for _, table := range tables {
		if !nameless[table] && !regexp.MustCompile(`(from|join) `+table+`\b`).MatchString(named) {
			t.Errorf("no module's Names name the records of %s", table)
		}
	}
}

// An index whose expression calls a function with a query of its own plans that query for each row that is written.
func TestSchema_Indexes_RunNoQuery(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	var found []string
	err := s.DB(t).Raw(`select i.indexrelid::regclass || ' calls ' || f.proname from pg_index i
		join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = i.indexrelid and d.refclassid = 'pg_proc'::regclass
		join pg_proc f on f.oid = d.refobjid join pg_language l on l.oid = f.prolang
		where l.lanname <> 'c' and l.lanname <> 'internal' and (l.lanname <> 'sql' or f.prosrc ~* '\mfrom\M')`).Scan(&found).Error
	if err != nil {
		t.Fatal(err)
	}
	for _, index := range found {
		t.Error(index)
	}
}
