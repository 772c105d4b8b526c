package privacy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/tenancy"
	"homeroom/testkit"
)

// column is one of the catalog's.
type column struct {
	TableName, ColumnName string
	Holds                 bool // text, or bytes, or a person's id
	May                   bool // be changed by who serves the school
}

// personNames are how columns with the id of a person or an account are called.
const personNames = `(^|_)(by|user_id|student_id|guardian_id|employee_id|teacher_id|driver_id|attendant_id|sender_id|recipient_id|actor_id|account_id|invigilator_id|organiser_id|person_id|owner_id)$`

// catalog is every column of a schema's tables.
func catalog(t *testing.T, db *gorm.DB) []column {
	t.Helper()
	var found []column
	err := db.Raw(`select c.relname as table_name, a.attname as column_name,
			coalesce(e.typcategory, y.typcategory) = 'S' or coalesce(e.typname, y.typname) in ('json', 'jsonb', 'bytea', 'xml', 'inet', 'cidr')
			or a.attname ~ ?
				or exists (select from pg_constraint f where f.conrelid = c.oid and f.contype = 'f' and a.attnum = any(f.conkey)
					and f.confrelid::regclass::text in ('student', 'guardian', 'employee', 'app_user', 'account', 'super_admin')) as holds,
			has_column_privilege(c.oid, a.attnum, 'UPDATE') as may
		from pg_class c join pg_attribute a on a.attrelid = c.oid join pg_type y on y.oid = a.atttypid left join pg_type e on e.oid = y.typelem
		and y.typcategory = 'A'
		where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped
		order by 1, 2`, personNames).Scan(&found).Error
	if err != nil || len(found) == 0 {
		t.Fatalf("reading the catalog: %d columns, %v", len(found), err)
	}
	return found
}

// declared are a table's columns that a declaration names, and why one of them would be wrong.
func declared(t api.PersonalTable) (columns []string, wrong string) {
	for _, names := range []string{t.School, t.Of, t.To, t.Part, t.By, t.Mention, t.Free, t.Contact, t.Phone, t.Files, t.Bytes, t.Own,
		t.Hidden} {
		columns = append(columns, strings.Fields(names)...)
	}
	for c := range t.Set {
		columns = append(columns, c)
	}
	for c := range t.About {
		columns = append(columns, c)
	}
	for reason, names := range t.Nothing {
		if strings.TrimSpace(reason) == "" {
			wrong = "says without a reason that columns hold nothing personal"
		}
		columns = append(columns, strings.Fields(names)...)
	}
	switch {
	case t.Section != "" && t.Of+t.To+t.Where+t.Part == "":
		wrong = "is exported, and says not whose it is"
	case t.Section == "" && t.Of+t.To+t.Where != "" && !t.Gone:
		wrong = "is somebody's, stays, and is not exported"
	}
	return columns, wrong
}

// compare says what is in the catalog and not declared, and the other way round.
func compare(columns []column, tables []api.PersonalTable) (problems []string) {
	names := map[string][]string{}
	for _, t := range tables {
		if names[t.Table] != nil {
			problems = append(problems, t.Table+" is declared twice")
		}
		found, wrong := declared(t)
		if wrong != "" {
			problems = append(problems, t.Table+" "+wrong)
		}
		names[t.Table] = append([]string{""}, found...)
	}
	there := map[string]bool{}
	for _, c := range columns {
		there[c.TableName+"."+c.ColumnName], there[c.TableName] = true, true
		if c.Holds && !slices.Contains(names[c.TableName], c.ColumnName) {
			problems = append(problems, fmt.Sprintf("%s.%s may hold something personal, and nobody declares it: add it to Personal() of its module",
				c.TableName, c.ColumnName))
		}
	}
	for table, columns := range names {
		for _, c := range columns {
			if name := strings.TrimSuffix(table+"."+c, "."); !there[name] {
				problems = append(problems, name+" is declared, and not there")
			}
		}
	}
	slices.Sort(problems)
	return problems
}

// both are the two schemas with what is declared of them.
func both(t *testing.T) map[*gorm.DB][]api.PersonalTable {
	t.Helper()
	s := testkit.NewSchool(t)
	school, platform := s.DB(t), s.App.Service.Cluster.Platform(t.Context(), tenancy.ReadOnly)
	out := map[*gorm.DB][]api.PersonalTable{}
	for _, table := range service.Personal(s.App.Service.Kernel.Modules) {
		if table.Platform {
			out[platform] = append(out[platform], table)
		} else {
			out[school] = append(out[school], table)
		}
	}
	return out
}

func TestCatalog_EveryPersonalColumn_IsDeclared(t *testing.T) {
	t.Parallel()
	for db, tables := range both(t) {
		for _, problem := range compare(catalog(t, db), tables) {
			t.Error(problem)
		}
	}
}

func TestCatalog_UndeclaredAndUnknownColumns_AreFound(t *testing.T) {
	t.Parallel()
	columns := []column{{TableName: "health_visit", ColumnName: "id"}, {TableName: "health_visit", ColumnName: "complaint", Holds: true}}
	for _, c := range []struct {
		tables []api.PersonalTable
		want   string
	}{
		{nil, "health_visit.complaint may hold"},
		{[]api.PersonalTable{{Table: "health_visit"}}, "health_visit.complaint may hold"},
		{[]api.PersonalTable{{Table: "health_visit", Free: "complaint cure"}}, "health_visit.cure is declared, and not there"},
		{[]api.PersonalTable{{Table: "health_visit", Free: "complaint"}, {Table: "health_call"}}, "health_call is declared, and not there"},
		{[]api.PersonalTable{{Table: "health_visit", Of: "id", Free: "complaint"}}, "is not exported"},
		{[]api.PersonalTable{{Table: "health_visit", Nothing: api.Reasons{"": "complaint"}}}, "without a reason"},
	} {
		problems := compare(columns, c.tables)
		if len(problems) != 1 || !strings.Contains(problems[0], c.want) {
			t.Errorf("%+v: %q, want one with %q", c.tables, problems, c.want)
		}
	}
}

// What a declaration changes, the school's role may change; what it may not is sealed, and
// the database's function knows it.
func TestCatalog_SealedTables_AreErasedByTheDatabase(t *testing.T) {
	t.Parallel()
	for db, tables := range both(t) {
		may := map[string]bool{}
		for _, c := range catalog(t, db) {
			may[c.TableName+"."+c.ColumnName] = c.May
		}
		var source string
		if err := db.Raw(`select coalesce(max(prosrc), '') from pg_proc where proname = 'erase_sealed_rows'
			and pronamespace = current_schema()::regnamespace`).Scan(&source).Error; err != nil {
			t.Fatal(err)
		}
		for _, table := range tables {
			changed := strings.Fields(table.Free + " " + table.Phone)
			for c := range table.Set {
				changed = append(changed, c)
			}
			for c := range table.About {
				changed = append(changed, c)
			}
			for _, c := range changed {
				if !table.Sealed && !table.Platform && !may[table.Table+"."+c] {
					t.Errorf("%s.%s cannot be changed by the school's role, and is not declared as sealed", table.Table, c)
				}
				if table.Sealed && (!strings.Contains(source, "UPDATE "+table.Table+" ") || !strings.Contains(source, c+" = ")) {
					t.Errorf("erase_sealed_rows does not change %s.%s", table.Table, c)
				}
			}
		}
	}
}

func TestCatalog_DeletedRows_GoBeforeWhatTheyReferTo(t *testing.T) {
	t.Parallel()
	for db, tables := range both(t) {
		var keys []struct{ Child, Parent string }
		err := db.Raw(`select conrelid::regclass::text as child, confrelid::regclass::text as parent from pg_constraint
			where contype = 'f' and confdeltype <> 'c' and connamespace = current_schema()::regnamespace
			and conrelid <> confrelid`).Scan(&keys).Error
		if err != nil {
			t.Fatal(err)
		}
		deleted := map[string]int{}
		for i, table := range tables {
			if table.Gone {
				deleted[table.Table] = i + 1
			}
			if table.Bytes != "" {
				deleted[table.Table] += len(tables) // files go last
			}
		}
		for _, k := range keys {
			if child, parent := deleted[k.Child], deleted[k.Parent]; child > 0 && parent > 0 && child > parent {
				t.Errorf("%s refers to %s, which is deleted before", k.Child, k.Parent)
			}
		}
	}
}
