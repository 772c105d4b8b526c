package importing

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/imports"
	"homeroom/modules/roster/lookup"
	"homeroom/sheet"
	"homeroom/tenancy"
)

// The columns of a file of subjects.
const (
	colSubjectName = iota
	colSubjectCode
	colSubjectType
	colMaxMarks
	colPassMarks
	colSubjectClasses
	colWeeklyPeriods
)

var subjectTypes = sheet.OneOf(map[string]string{
	"COMPULSORY": "CORE", "MAIN": "CORE", "OPTIONAL": "ELECTIVE", "CO-SCHOLASTIC": "CO_SCHOLASTIC",
	"COSCHOLASTIC": "CO_SCHOLASTIC"}, "CORE", "ELECTIVE", "CO_SCHOLASTIC")

var subjectSheet = []sheet.Column{
	colSubjectName: {Name: "name", Check: sheet.Text(100), Also: []string{"subject", "subjectName", "विषय", "المادة", "somo"}},
	colSubjectCode: {Name: "code", Check: sheet.Text(20), Also: []string{"subjectCode", "short", "abbreviation", "shortName"}},
	colSubjectType: {Name: "type", Check: subjectTypes, Also: []string{"subjectType", "category"}},
	colMaxMarks:    {Name: "maxMarks", Check: sheet.Number, Also: []string{"maximumMarks", "fullMarks", "totalMarks"}},
	colPassMarks:   {Name: "passMarks", Check: sheet.Number, Also: []string{"passingMarks", "minimumMarks"}},
	colSubjectClasses: {Name: "classes", Check: sheet.Text(1000), Also: []string{"class", "grades", "grade", "standards", "कक्षा", "الصفوف",
		"madarasa"}},
	colWeeklyPeriods: {Name: "weeklyPeriods", Check: sheet.Number, Also: []string{"periodsPerWeek", "periods", "lessonsPerWeek"}},
}

// subjects are files of subjects, with the classes that take them.
func subjects() imports.Kind[imports.Request] {
	return imports.Kind[imports.Request]{
		Key: "SUBJECT", Path: "/school-admin/subject/import", Permission: "subject", Columns: subjectSheet, Most: 5_000,
		Summary: "Import subjects, and which classes take them, from a CSV file or workbook", Tables: []string{"subject", "class_subject"},
		Begin: func(api.Ctx, imports.Request) (imports.Reading, error) {
			return imports.ByLine(subjectSheet, planSubjects), nil
		},
	}
}

type knownSubject struct {
	ID         uuid.UUID
	Name, Code string
	Type       string
	Max, Pass  string
	Version    int
}

// taken is that a class takes a subject.
type taken struct{ ClassID, SubjectID uuid.UUID }

type subjectWrite struct {
	ids                            []uuid.UUID
	names, codes, types, max, pass []string
	created                        map[uuid.UUID]bool
}

func planSubjects(c api.Ctx, lines []imports.Line, d *imports.Draft) error {
	places, err := lookup.ReadPlaces(c)
	if err != nil {
		return err
	}
	var known []knownSubject
	var now []taken
	err = tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `select id, name, code, type, coalesce(max_marks::text, '') as max, coalesce(pass_marks::text, '') as pass, version
			from subject`, Scan: tenancy.Collect(&known)},
		tenancy.Query{SQL: `select class_id, subject_id from class_subject`, Scan: tenancy.Collect(&now)})
	if err != nil {
		return fmt.Errorf("reading subjects: %w", err)
	}
	byKey := map[string]*knownSubject{}
	for i := range known {
		byKey["name "+api.Fold(known[i].Name)] = &known[i]
	}
	for i := range known {
		byKey["code "+api.Fold(known[i].Code)] = &known[i]
	}
	takes := map[taken]bool{}
	for _, t := range now {
		takes[t] = true
	}
	w := &subjectWrite{created: map[uuid.UUID]bool{}}
	var links []taken
	var periods []int
	rows := map[uuid.UUID]int{}
	for _, l := range lines {
		cell := func(col int) string { return l.Cells[col] }
		s := byKey["code "+api.Fold(cell(colSubjectCode))]
		if cell(colSubjectCode) == "" || s == nil {
			if other := byKey["name "+api.Fold(cell(colSubjectName))]; other != nil && (cell(colSubjectCode) == "" ||
				api.Fold(other.Code) == api.Fold(cell(colSubjectCode))) {
				s = other
			}
		}
		fresh := s == nil
		if fresh {
			if cell(colSubjectName) == "" && !l.Bad[colSubjectName] {
				d.Bad(l.Row, "name", "is required")
			}
			s = &knownSubject{ID: api.NewID(), Name: cell(colSubjectName), Code: cell(colSubjectCode), Type: "CORE"}
			if s.Code == "" {
				s.Code = shortName(s.Name, byKey)
			}
		}
		if first, twice := rows[s.ID]; twice && cell(colSubjectClasses) == "" {
			d.Bad(l.Row, "name", "is the subject of row %d, too", first)
		}
		is := *s
		for _, at := range []struct {
			col int
			to  *string
		}{{colSubjectName, &is.Name}, {colSubjectType, &is.Type}, {colMaxMarks, &is.Max}, {colPassMarks, &is.Pass}} {
			if cell(at.col) != "" {
				*at.to = cell(at.col)
			}
		}
		most, _ := strconv.Atoi(is.Max)
		if least, _ := strconv.Atoi(is.Pass); most > 0 && least > most {
			d.Bad(l.Row, "passMarks", "must not be above maxMarks")
		}
		var of []taken
		for name := range strings.FieldsFuncSeq(cell(colSubjectClasses), func(r rune) bool { return r == ';' || r == ',' }) {
			place, column, why := places.Find(strings.TrimSpace(name), "")
			if why != "" {
				d.Bad(l.Row, strings.Replace(column, "class", "classes", 1), "%s", why)
			} else if t := (taken{place.ClassID, s.ID}); !takes[t] {
				of = append(of, t)
			}
		}
		if d.Found.IsBad(l.Row) {
			d.Skip(l.Row)
			continue
		}
		rows[s.ID] = l.Row
		changed := is != *s
		switch {
		case fresh:
			d.Create(l.Row, is.Code)
			byKey["code "+api.Fold(is.Code)], byKey["name "+api.Fold(is.Name)] = &is, &is
		case changed || len(of) > 0:
			d.Update(l.Row, s.ID, s.Version, len(of))
		default:
			d.Same(l.Row, s.ID)
			continue
		}
		if fresh || changed {
			w.ids, w.names, w.codes = append(w.ids, s.ID), append(w.names, is.Name), append(w.codes, is.Code)
			w.types, w.max, w.pass = append(w.types, is.Type), append(w.max, is.Max), append(w.pass, is.Pass)
			w.created[s.ID] = fresh
		}
		n, _ := strconv.Atoi(cell(colWeeklyPeriods))
		for _, t := range of {
			takes[t] = true
			links, periods = append(links, t), append(periods, min(n, 100))
		}
	}
	d.Then(w.write)
	d.Then(func(c api.Ctx) error {
		return tenancy.Copy(c.DB, "class_subject", []string{"id", "class_id", "subject_id", "weekly_periods"}, len(links),
			func(i int) ([]any, error) {
				return []any{api.NewID(), links[i].ClassID, links[i].SubjectID, periods[i]}, nil
			})
	})
	return nil
}

// shortName is a code for a subject that has none: MATHEM, or with a number if that is taken.
func shortName(name string, taken map[string]*knownSubject) string {
	letters := lookup.ShortCode(name)
	code := letters
	for n := 2; taken["code "+api.Fold(code)] != nil; n++ {
		code = letters + strconv.Itoa(n)
	}
	return code
}

func (w *subjectWrite) write(c api.Ctx) error {
	err := exec(c.DB, `insert into subject as s (id, name, code, type, max_marks, pass_marks, created_at, updated_at, created_by, updated_by)
		select v.id, v.name, v.code, v.type, nullif(v.max, '')::int, nullif(v.pass, '')::int, $1, $1, $2, $2
		from unnest($3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[]) as v (id, name, code, type, max, pass)
		on conflict (id) do update set name = excluded.name, type = excluded.type, max_marks = excluded.max_marks,
			pass_marks = excluded.pass_marks, version = s.version + 1, updated_at = $1, updated_by = $2`,
		c.Now, c.User.ID, w.ids, w.names, w.codes, w.types, w.max, w.pass)
	if err != nil {
		return fmt.Errorf("adding subjects: %w", err)
	}
	return c.ChangedMany("import", "subject", len(w.ids), func(i int) (uuid.UUID, any, any) {
		return w.ids[i], nil, map[string]any{"name": w.names[i], "code": w.codes[i], "type": w.types[i], "maxMarks": w.max[i],
			"passMarks": w.pass[i]}
	})
}
