package service_test

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/testkit"
)

// put is a call of a PUT that its row accepts, at a school of its own.
type put struct {
	school *testkit.School
	by     *testkit.Client
	path   string
	read   string // the address of its GET, if it is another
	body   map[string]any
}

// TestContract_EveryPut_OfASchool visits each: its checks share a school, which takes longest to make.
func TestContract_EveryPut_OfASchool(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	checkPuts(t, app, rowsOf(app))
}

// checkPuts visits the PUTs among rows.
func checkPuts(t *testing.T, app *testkit.App, rows []api.Row) {
	t.Helper()
	readable := map[string]bool{}
	for _, r := range rows {
		readable[r.Path] = readable[r.Path] || r.Method == http.MethodGet
	}
	for _, r := range rows {
		if r.Method != http.MethodPut || r.Module == "" || strings.HasSuffix(r.Path, "/contract") {
			continue
		}
		say, special := specialPuts[r.Path]
		e, ok := exampleOf(app, r.Path)
		if !special && !ok {
			t.Errorf("%s: no module has an example, and specialPuts does not say how it is called", r.Name())
			continue
		}
		t.Run(r.Path, func(t *testing.T) {
			t.Parallel()
			m := newMaker(t, app.NewSchool(t))
			p := put{by: m.admin, path: r.Path, body: e.Change}
			if special {
				say(m, &p)
			} else {
				p.path = withID(r.Path, e.Make(m))
			}
			p.school = m.school
			checkUpdatedAt(t, r, p, readable[r.Path])
			checkNoTrace(t, p)
			checkNull(t, r, p)
		})
	}
}

// checkUpdatedAt makes the call, and checks that updatedAt of an answer is what GET says.
func checkUpdatedAt(t *testing.T, r api.Row, p put, readable bool) {
	t.Helper()
	got := func() string { return testkit.Get[stamped](t, p.by, cmp.Or(p.read, p.path)).UpdatedAt }
	a := p.by.Call(t, "PUT", p.path, p.body)
	if a.Status != 200 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	var said stamped
	a.Read(t, &said)
	if _, has := r.Response.FieldByName("UpdatedAt"); has && said.UpdatedAt == "" {
		t.Error("PUT does not say updatedAt")
	}
	if readable && said.UpdatedAt != got() {
		t.Errorf("PUT says %s, GET %s", said.UpdatedAt, got())
	}
}

// checkNoTrace checks that a PUT that changes nothing writes nothing.
func checkNoTrace(t *testing.T, p put) {
	t.Helper()
	before := contents(t, p.school)
	for what, body := range map[string]map[string]any{"nothing": {}, "the same again": p.body} {
		if a := p.by.Call(t, "PUT", p.path, body); a.Status != 200 && (a.Status != 422 || len(body) > 0) {
			t.Errorf("%s: %d %s", what, a.Status, a.Body)
		}
		for table, now := range contents(t, p.school) {
			if was := before[table]; was != now {
				at := 0
				for at < min(len(was), len(now)) && was[at] == now[at] {
					at++
				}
				at = max(at-60, 0)
				t.Errorf("%s wrote to %s:\n…%.150s\n…%.150s", what, table, was[min(at, len(was)):], now[min(at, len(now)):])
			}
		}
	}
}

// chosenLanguage chooses a language as somebody of a role.
func chosenLanguage(role api.RoleType) func(m *exampleMaker, p *put) {
	return func(m *exampleMaker, p *put) { p.by, p.body = m.school.As(m.t, role), map[string]any{"language": "hi"} }
}

// specialPuts say how the rows are called that are no PUT of a module's example, or whose
// example names what only another school has.
var specialPuts = map[string]func(m *exampleMaker, p *put){
	"/parent/notification/preferences": func(m *exampleMaker, p *put) {
		p.by = m.school.As(m.t, api.Parent)
		p.body = map[string]any{"preferences": []any{map[string]any{"type": "FEE", "push": true, "sms": true}}}
	},
	"/parent/notification/language":       chosenLanguage(api.Parent),
	"/teacher/notification/language":      chosenLanguage(api.Teacher),
	"/driver/notification/language":       chosenLanguage(api.Driver),
	"/school-admin/notification/language": chosenLanguage(api.SchoolAdmin),
	"/school-admin/employee/:id/assignments": func(m *exampleMaker, p *put) {
		p.path = withID(p.path, m.Example("/school-admin/employee/:id"))
		p.body = map[string]any{"assignments": []any{map[string]any{"classId": m.Example("/school-admin/class/:id")}}}
	},
	"/school-admin/exam/report-card/:studentId/remark":           remarked,
	"/school-admin/exam/report-card/:studentId/principal-remark": remarked,
	"/school-admin/group/:id/members": func(m *exampleMaker, p *put) {
		group, child := grouped(m)
		p.path, p.body = withID(p.path, group), map[string]any{"studentIds": []any{child}}
	},
	"/school-admin/student/:id/groups": func(m *exampleMaker, p *put) {
		group, child := grouped(m)
		p.path, p.body = withID(p.path, child), map[string]any{"groupIds": []any{group}}
	},
	"/school-admin/leave/entitlements": func(_ *exampleMaker, p *put) {
		p.body = map[string]any{"entitlements": []any{map[string]any{"leaveType": "SICK", "daysPerYear": 12}}}
	},
	"/school-admin/notification/rules": func(_ *exampleMaker, p *put) {
		p.body = map[string]any{"rules": []any{map[string]any{"type": "FEE", "ways": []any{"PUSH"}, "mayTurnOff": true}}}
	},
	"/school-admin/notification/setting": func(_ *exampleMaker, p *put) {
		p.body = map[string]any{"quietFrom": "21:00", "quietTo": "07:00"}
	},
	"/school-admin/setting": func(_ *exampleMaker, p *put) { p.body = map[string]any{"feeReminderText": "Pay {amount}"} },
	"/school-admin/permission/update": func(m *exampleMaker, p *put) {
		var list struct{ Modules []struct{ ID uuid.UUID } }
		m.Call("GET", "/school-admin/permission/modules", nil, &list)
		p.body = map[string]any{"roleId": m.Example("/school-admin/permission/role/:id"),
			"permissions": []any{map[string]any{"moduleId": list.Modules[0].ID, "canRead": true}}}
	},
	"/school-admin/student/:id/guardians/:guardianId": func(m *exampleMaker, p *put) {
		guardian := m.Example("/school-admin/guardian/:id")
		var student string
		if err := m.school.DB(m.t).Raw(`select student_id from student_guardian`).Scan(&student).Error; err != nil {
			m.t.Fatal(err)
		}
		p.path, p.body = fmt.Sprintf("/school-admin/student/%s/guardians/%s", student, guardian), map[string]any{"firstName": "Mine"}
	},
	"/school-admin/subject/class-subjects": func(m *exampleMaker, p *put) {
		class := m.Example("/school-admin/class/:id")
		p.read = p.path + "?classId=" + class.String()
		p.body = map[string]any{"classId": class,
			"subjects": []any{map[string]any{"subjectId": m.Example("/school-admin/subject/:id"), "weeklyPeriods": 3}}}
	},
	"/school-admin/timetable/cover": func(m *exampleMaker, p *put) {
		p.body = map[string]any{"date": "2026-11-30", "absentTeacherIds": []any{m.Example("/school-admin/employee/:id")}, "substitutions": []any{
			map[string]any{"slotId": m.Example("/teacher/timetable/lesson/:id"), "substituteTeacherId": m.Example("/school-admin/employee/:id")}}}
	},
	"/school-admin/timetable/division/:divisionId": func(m *exampleMaker, p *put) {
		p.path, p.body = withID(p.path, m.Example("/school-admin/division/:id")), map[string]any{"slots": []any{map[string]any{"dayOfWeek": 1,
			"periodId": m.Example("/school-admin/timetable/period/:id"), "subjectId": m.Example("/school-admin/subject/:id")}}}
	},
	"/school-admin/timetable/group/:groupId": func(m *exampleMaker, p *put) {
		p.path, p.body = withID(p.path, m.Example("/school-admin/group/:id")), map[string]any{"slots": []any{map[string]any{"dayOfWeek": 1,
			"periodId": m.Example("/school-admin/timetable/period/:id")}}}
	},
	"/school-admin/transport/bus/:id": func(m *exampleMaker, p *put) {
		p.path, p.body = withID(p.path, m.Example(p.path)), map[string]any{"busNumber": "Mine", "status": "MAINTENANCE"}
	},
	"/school-admin/library/copy/:id": func(m *exampleMaker, p *put) {
		p.path, p.body = withID(p.path, m.Example(p.path)), map[string]any{"state": "WITHDRAWN"}
	},
	"/school-admin/transport/bus/:id/driver": func(m *exampleMaker, p *put) {
		p.path = withID(p.path, m.Example("/school-admin/transport/bus/:id"))
		p.body = map[string]any{"driverId": m.Create("/school-admin/employee/create",
			map[string]any{"firstName": "Ravi", "phone": m.Phone(), "employeeType": "DRIVER"})}
	},
	"/school-admin/transport/route/:id/students": func(m *exampleMaker, p *put) {
		route := m.Example("/school-admin/transport/route/:id")
		var found struct{ Stops []struct{ ID uuid.UUID } }
		m.Call("GET", "/school-admin/transport/route/"+route.String(), nil, &found)
		p.path, p.body = withID(p.path, route), map[string]any{"students": []any{
			map[string]any{"studentId": m.Example("/school-admin/student/:id"), "stopId": found.Stops[0].ID}}}
	},
	"/school-admin/transport/trip/:id": func(m *exampleMaker, p *put) {
		p.path, p.body = withID(p.path, m.Example(p.path)), map[string]any{"scheduledStartTime": "08:00"}
	},
	"/teacher/co-curricular/update-event": func(m *exampleMaker, p *put) {
		p.by, p.body = m.school.As(m.t, api.Teacher), map[string]any{"id": m.Example("/school-admin/event/:id"), "title": "Mine"}
	},
	"/teacher/result/remark": func(m *exampleMaker, p *put) {
		seat := m.school.Seat(m.t, "Class 5")
		p.by, p.body = m.school.Teacher(m.t, seat), map[string]any{"studentId": m.school.Child(m.t, seat, 0).ID, "remark": "Mine"}
		m.Exec(`update teacher_assignment set is_class_teacher = true`)
	},
	"/teacher/result/update": func(m *exampleMaker, p *put) {
		seat, result := m.school.Seat(m.t, "Class 5"), api.NewID()
		child := m.school.Child(m.t, seat, 0)
		m.Example("/school-admin/subject/:id")
		m.Exec(`insert into exam (id, name, academic_year_id, status) select gen_random_uuid(), 'Half-yearly', id, 'SCHEDULED' from academic_year
			where active`)
		m.Exec(`insert into exam_class (exam_id, class_id) select e.id, c.id from exam e, class c`)
		m.Exec(`insert into exam_paper (id, exam_id, class_id, subject_id, exam_date, start_time, end_time, max_marks, pass_marks)
			select gen_random_uuid(), e.id, c.id, s.id, current_date, '09:00', '10:00', 100, 30 from exam e, class c, subject s`)
		m.Exec(`insert into exam_result (id, paper_id, student_id, marks_obtained) select ?, p.id, ?, 50 from exam_paper p`, result, child.ID)
		p.by, p.body = m.school.Teacher(m.t, seat), map[string]any{"id": result, "marksObtained": 60}
	},
}

// remarked is a remark on a student's year.
func remarked(m *exampleMaker, p *put) {
	child := m.school.Child(m.t, m.school.Seat(m.t, "Class 5"), 0)
	p.path, p.body = withID(p.path, child.ID), map[string]any{"remark": "Mine"}
}

// grouped is a group and a student of its division.
func grouped(m *exampleMaker) (group, student uuid.UUID) {
	seat := m.school.Seat(m.t, "Class 5")
	group = m.Create("/school-admin/group/create", map[string]any{"name": "French", "divisionIds": []any{seat.DivisionID},
		"subjectId": m.Example("/school-admin/subject/:id")})
	return group, m.school.Child(m.t, seat, 0).ID
}

// contents is what every table of a school holds. What listeners and the night write is left out.
func contents(t *testing.T, s *testkit.School) map[string]string {
	t.Helper()
	var names []string
	err := s.DB(t).Raw(`select relname from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'r'
		and has_table_privilege(oid, 'select')
		and relname not in ('outbox', 'notice', 'notification', 'delivery', 'sms_day', 'webhook_delivery')`).Scan(&names).Error
	if err != nil {
		t.Fatal(err)
	}
	parts := make([]string, len(names))
	for i, n := range names {
		parts[i] = fmt.Sprintf(`select '%s' as name, coalesce(string_agg((to_jsonb(x) - 'trails_thinned_to')::text, ' '
			order by to_jsonb(x)::text), '') as rows from %s x`, n, n)
	}
	var tables []struct{ Name, Rows string }
	if err := s.DB(t).Raw(strings.Join(parts, " union all ")).Scan(&tables).Error; err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, x := range tables {
		out[x.Name] = x.Rows
	}
	return out
}
