package importing

import (
	"fmt"
	"slices"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/imports"
	"homeroom/modules/roster/lookup"
	"homeroom/sheet"
	"homeroom/tenancy"
)

// The columns of a file of assignments: each row is what a teacher teaches, or the division whose class teacher they are.
const (
	colTeacher = iota
	colAssignedClass
	colAssignedDivision
	colAssignedSubject
	colClassTeacher
)

var assignmentSheet = []sheet.Column{
	colTeacher: {Name: "teacher", Check: sheet.Text(200), Also: []string{"employeeCode", "code", "employee", "teacherName", "teacherCode",
		"name", "teacherPhone", "phone", "शिक्षक", "المعلم", "mwalimu"}},
	colAssignedClass: {Name: "class", Check: sheet.Text(60), Also: []string{"className", "grade", "standard", "classSection", "कक्षा", "الصف",
		"darasa"}},
	colAssignedDivision: {Name: "division", Check: sheet.Text(30), Also: []string{"section", "sec", "div", "stream", "अनुभाग", "सेक्शन",
		"الشعبة", "mkondo"}},
	colAssignedSubject: {Name: "subject", Check: sheet.Text(100), Also: []string{"subjectName", "subjectCode", "विषय", "المادة", "somo"}},
	colClassTeacher: {Name: "classTeacher", Check: yesOrNo, Also: []string{"isClassTeacher", "formTeacher", "कक्षा अध्यापक", "क्लास टीचर",
		"معلم الصف", "mwalimu wa darasa"}},
}

// assignments are files of who teaches what where.
func assignments() imports.Kind[lookup.SubjectImport] {
	return imports.Kind[lookup.SubjectImport]{
		Key: "ASSIGNMENT", Path: "/school-admin/employee/assignments/import", Permission: "employee", Columns: assignmentSheet,
		Summary: "Import what teachers teach and whose class teachers they are from a CSV file or workbook",
		Tables:  append(slices.Clone(lookup.SubjectTables), "teacher_assignment"),
		Begin: func(_ api.Ctx, r lookup.SubjectImport) (imports.Reading, error) {
			return imports.ByLine(assignmentSheet, func(c api.Ctx, lines []imports.Line, d *imports.Draft) error {
				return planAssignments(c, lines, d, r.CreateSubjects)
			}), nil
		},
	}
}

type assigned struct {
	User, Class, Division, Subject uuid.UUID
	Leads                          bool
}

func planAssignments(c api.Ctx, lines []imports.Line, d *imports.Draft, mayMake bool) error {
	places, err := lookup.ReadPlaces(c)
	if err != nil {
		return err
	}
	subjects, err := lookup.FindSubjects(c, mayMake)
	if err != nil {
		return err
	}
	teachers, err := lookup.Teachers(c)
	if err != nil {
		return err
	}
	type account struct{ ID, UserID uuid.UUID }
	var accounts []account
	var years []struct{ ID uuid.UUID }
	var now []struct {
		User, Class, Division, Subject uuid.UUID
		Leads                          bool
		Who                            string
	}
	err = tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `select id, user_id from employee where user_id is not null`, Scan: tenancy.Collect(&accounts)},
		tenancy.Query{SQL: `select id from academic_year where active`, Scan: tenancy.Collect(&years)})
	if err != nil {
		return fmt.Errorf("reading teachers: %w", err)
	}
	if len(years) == 0 {
		d.Bad(lines[0].Row, "", "no academic year is active: activate one first")
		return nil
	}
	err = c.DB.Raw(`select a.user_id as "user", a.class_id as class, coalesce(a.division_id, @none) as division,
		coalesce(a.subject_id, @none) as subject, a.is_class_teacher as leads, trim(u.first_name || ' ' || u.last_name) as who
		from teacher_assignment a join app_user u on u.id = a.user_id
		where coalesce(a.academic_year_id, @year) = @year and u.status = 'ACTIVE'`,
		map[string]any{"none": uuid.Nil, "year": years[0].ID}).Scan(&now).Error
	if err != nil {
		return fmt.Errorf("reading assignments: %w", err)
	}
	users := map[uuid.UUID]uuid.UUID{}
	for _, a := range accounts {
		users[a.ID] = a.UserID
	}
	there, leaders := map[assigned]bool{}, map[uuid.UUID]string{}
	for _, a := range now {
		there[assigned{a.User, a.Class, a.Division, a.Subject, a.Leads}] = true
		if a.Leads {
			leaders[a.Division] = a.Who
		}
	}
	var made []assigned
	for _, l := range lines {
		a := assigned{Leads: l.Cells[colClassTeacher] == "true"}
		if name := l.Cells[colTeacher]; name == "" && !l.Bad[colTeacher] {
			d.Bad(l.Row, "teacher", "is required")
		} else if id, why := teachers.Find(name); why != "" {
			d.Bad(l.Row, "teacher", "%s", why)
		} else if a.User = users[id]; a.User == uuid.Nil {
			d.Bad(l.Row, "teacher", "has no account")
		}
		if l.Cells[colAssignedClass] == "" {
			d.Bad(l.Row, "class", "is required")
		} else if place, column, why := places.Find(l.Cells[colAssignedClass], l.Cells[colAssignedDivision]); why != "" {
			d.Bad(l.Row, column, "%s", why)
		} else {
			a.Class, a.Division = place.ClassID, place.DivisionID
		}
		if name := l.Cells[colAssignedSubject]; name != "" {
			a.Subject = subjects.For(d, l.Row, "subject", name)
		}
		if a.Leads && a.Division == uuid.Nil && !d.Found.IsBad(l.Row) {
			d.Bad(l.Row, "division", "is required: a class teacher has a division")
		}
		if who := leaders[a.Division]; a.Leads && who != "" && !there[a] && !d.Found.IsBad(l.Row) {
			d.Bad(l.Row, "classTeacher", "%s is the class teacher already", who)
		}
		switch {
		case d.Found.IsBad(l.Row):
			d.Skip(l.Row)
			continue
		case there[a]:
			d.Same(l.Row, a)
			continue
		}
		there[a] = true
		if a.Leads {
			leaders[a.Division] = fmt.Sprintf("the teacher of row %d", l.Row)
		}
		subjects.Use(a.Subject, a.Class)
		d.Create(l.Row, a.User, a.Class, a.Division, subjects.Key(a.Subject), a.Leads)
		made = append(made, a)
	}
	d.Then(subjects.Write)
	year := years[0].ID
	d.Then(func(c api.Ctx) error {
		columns := append([]string{"id", "user_id", "academic_year_id", "class_id", "division_id", "subject_id", "is_class_teacher"}, stamps...)
		err := tenancy.Copy(c.DB, "teacher_assignment", columns, len(made), func(i int) ([]any, error) {
			a := made[i]
			return stamped(c, api.NewID(), a.User, year, a.Class, orNull(a.Division), orNull(a.Subject), a.Leads), nil
		})
		if err != nil {
			return fmt.Errorf("adding assignments: %w", err)
		}
		c.RightsChanged()
		return nil
	})
	return nil
}

func orNull(id uuid.UUID) any {
	if id == uuid.Nil {
		return nil
	}
	return id
}
