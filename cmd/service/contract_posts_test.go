package service_test

import (
	"cmp"
	"net/http"
	"path"
	"strings"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/testkit"
)

// act is a call of a POST that its row accepts, and where its record is read.
type act struct {
	by   *testkit.Client
	path string
	body any
	read string // a record's address or a list's
}

// TestContract_UpdatedAtOfEveryPost_IsWhatGETSays makes the call of each row that answers with a record.
func TestContract_UpdatedAtOfEveryPost_IsWhatGETSays(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	if called := checkPosts(t, app, rowsOf(app)); called < 60 {
		t.Errorf("%d rows answer with a record: the walk finds too few", called)
	}
}

// checkPosts visits the POSTs among rows that say updatedAt. It returns how many they are.
func checkPosts(t *testing.T, app *testkit.App, rows []api.Row) (called int) {
	t.Helper()
	readable := map[string]bool{}
	for _, r := range rows {
		readable[r.Path] = readable[r.Path] || r.Method == http.MethodGet
	}
	for _, r := range rows {
		// What the platform's staff does with nodes and schools is about the whole instance: its tests have one of their own.
		if r.Method != http.MethodPost || r.Module == "" {
			continue
		}
		if _, says := r.Response.FieldByName("UpdatedAt"); !says {
			continue
		}
		called++
		record := path.Dir(r.Path) + "/:id"
		example, made := exampleOf(app, record)
		say, acts := actsOf[r.Path]
		if !acts && (!made || !readable[record]) {
			t.Errorf("%s: no module has an example of %s, and actsOf does not say how it is called", r.Name(), record)
			continue
		}
		t.Run(r.Path, func(t *testing.T) {
			t.Parallel()
			m := newMaker(t, app.NewSchool(t))
			if !acts {
				id := example.Make(m)
				if m.lastPath != r.Path || m.last.ID != id {
					t.Fatalf("the example of %s ends with POST %s: actsOf has to say how this row is called", record, m.lastPath)
				}
				checkReads(t, m.last, m.admin, withID(record, id))
				return
			}
			a := act{by: m.admin, path: r.Path, body: map[string]any{}}
			if at := strings.Index(r.Path, "/:"); at >= 0 {
				if base := r.Path[:at] + "/:id"; readable[base] {
					a.read = base
				}
			}
			id := say(m, &a)
			a.path = withID(a.path, id)
			said := testkit.Post[stamped](t, a.by, a.path, a.body)
			if said.ID == uuid.Nil {
				said.ID = id
			}
			checkReads(t, said, a.by, withID(cmp.Or(a.read, record), said.ID))
		})
	}
	return called
}

// checkReads compares an answer with what is read, alone or in a list.
func checkReads(t testing.TB, said stamped, by *testkit.Client, read string) {
	t.Helper()
	got := testkit.Get[struct {
		stamped
		Items, Events []stamped
	}](t, by, read)
	for _, one := range append(append(got.Items, got.Events...), got.stamped) {
		if one.ID != said.ID {
			continue
		}
		if said.UpdatedAt == "" || one.UpdatedAt != said.UpdatedAt {
			t.Errorf("POST says %q, GET %s %q", said.UpdatedAt, read, one.UpdatedAt)
		}
		return
	}
	t.Errorf("GET %s does not have %s", read, said.ID)
}

// onExample calls a row about a module's example of a record, after POSTs to others of its rows.
func onExample(path string, body map[string]any, before ...string) func(m *exampleMaker, a *act) uuid.UUID {
	return func(m *exampleMaker, a *act) uuid.UUID {
		id := m.Example(path)
		for _, verb := range before {
			m.Call("POST", withID(path, id)+verb, map[string]any{}, &struct{}{})
		}
		if body != nil {
			a.body = body
		}
		return id
	}
}

// actsOf say how the rows are called that make no example of their module's: they return the record, the act has the rest.
var actsOf = map[string]func(m *exampleMaker, a *act) uuid.UUID{
	"/school-admin/academic-year/:id/activate": onExample("/school-admin/academic-year/:id", nil),
	"/school-admin/announcement/:id/publish":   onExample("/school-admin/announcement/:id", nil),
	"/school-admin/announcement/:id/withdraw":  onExample("/school-admin/announcement/:id", nil, "/publish"),
	"/teacher/announcement/create": func(m *exampleMaker, a *act) uuid.UUID {
		a.by, a.read = m.school.Teacher(m.t, m.school.Seat(m.t, "Class 5")), "/teacher/announcement/:id"
		a.body = map[string]any{"title": "Closed", "body": "Tomorrow", "divisionIds": []any{m.first("division")}}
		return uuid.Nil
	},
	"/teacher/co-curricular/add-event": func(m *exampleMaker, a *act) uuid.UUID {
		a.by, a.read = m.school.Teacher(m.t, m.school.Seat(m.t, "Class 5")), "/teacher/co-curricular/get-events"
		a.body = map[string]any{"title": "Fair", "eventDate": m.Today().AddDays(3)}
		return uuid.Nil
	},
	"/school-admin/dispatch/template/create": func(_ *exampleMaker, a *act) uuid.UUID {
		a.read, a.body = "/school-admin/dispatch/template/list", map[string]any{"name": "Closed", "channel": "SMS", "body": "Tomorrow"}
		return uuid.Nil
	},
	"/school-admin/exam/:id/publish": scheduled,
	"/school-admin/exam/:id/unpublish": func(m *exampleMaker, a *act) uuid.UUID {
		id := scheduled(m, a)
		m.Call("POST", "/school-admin/exam/"+id.String()+"/publish", map[string]any{"what": "SCHEDULE"}, &struct{}{})
		a.body = map[string]any{"what": "SCHEDULE", "reason": "A mistake"}
		return id
	},
	"/school-admin/fee/concession": func(m *exampleMaker, a *act) uuid.UUID {
		m.Example("/school-admin/academic-year/:id")
		a.read = "/school-admin/fee/concession/list"
		a.body = map[string]any{"studentId": m.Example("/school-admin/student/:id"), "mode": "PERCENT", "value": 10, "reason": "Second child"}
		return uuid.Nil
	},
	"/school-admin/fee/concession/:id/end": func(m *exampleMaker, a *act) uuid.UUID {
		a.read = "/school-admin/fee/concession/list"
		return m.Example("/school-admin/fee/concession/:id")
	},
	"/school-admin/integration/webhook/:id/secret": onExample("/school-admin/integration/webhook/:id", nil),
	"/school-admin/sign-in/provider/:id/secret":    onExample("/school-admin/sign-in/provider/:id", map[string]any{"clientSecret": "another"}),
	"/school-admin/student/:id/readmit": func(m *exampleMaker, a *act) uuid.UUID {
		seat := m.school.Seat(m.t, "Class 5")
		child := m.school.Child(m.t, seat, 0)
		m.Call("POST", withID("/school-admin/student/:id/transfer", child.ID), map[string]any{"reason": "Moved"}, &struct{}{})
		a.body = map[string]any{"divisionId": seat.DivisionID, "reason": "Back"}
		return child.ID
	},

	"/parent/leave/apply":  func(m *exampleMaker, a *act) uuid.UUID { askLeave(m, a, api.Parent); return uuid.Nil },
	"/teacher/leave/apply": func(m *exampleMaker, a *act) uuid.UUID { askLeave(m, a, api.Teacher); return uuid.Nil },
	"/parent/leave/cancel": func(m *exampleMaker, a *act) uuid.UUID {
		a.body = map[string]any{"leaveId": askedLeave(m, a, api.Parent)}
		return uuid.Nil
	},
	"/teacher/leave/cancel": func(m *exampleMaker, a *act) uuid.UUID {
		a.body = map[string]any{"leaveId": askedLeave(m, a, api.Teacher)}
		return uuid.Nil
	},
	"/school-admin/leave/decide": func(m *exampleMaker, a *act) uuid.UUID {
		a.body = map[string]any{"leaveId": askedLeave(m, a, api.Teacher), "status": "APPROVED"}
		a.by, a.read = m.admin, "/school-admin/leave/:id"
		return uuid.Nil
	},
	"/teacher/leave/decide": func(m *exampleMaker, a *act) uuid.UUID {
		a.body = map[string]any{"leaveId": askedLeave(m, a, api.Parent), "status": "APPROVED"}
		a.by, a.read = m.school.Teacher(m.t, testkit.Seat{YearID: m.first("academic_year"), ClassID: m.first("class"), DivisionID: m.first("division")}),
			"/teacher/leave/requests"
		m.Exec(`update teacher_assignment set is_class_teacher = true`)
		return uuid.Nil
	},

	"/school-admin/library/loan/issue": func(m *exampleMaker, a *act) uuid.UUID {
		a.read = "/school-admin/library/loan/list"
		a.body = map[string]any{"copyId": m.Example("/school-admin/library/copy/:id"), "studentId": m.child()}
		return uuid.Nil
	},
	"/school-admin/library/loan/renew":  onLoan,
	"/school-admin/library/loan/return": onLoan,
	"/school-admin/library/loan/lost": func(m *exampleMaker, a *act) uuid.UUID {
		onLoan(m, a)
		a.body.(map[string]any)["amount"] = 100
		return uuid.Nil
	},
	"/school-admin/library/reservation/create": func(m *exampleMaker, a *act) uuid.UUID {
		onLoan(m, a)
		a.read, a.body = "/school-admin/library/reservation/list", map[string]any{"bookId": m.first("book"), "studentId": m.child()}
		return uuid.Nil
	},
	"/school-admin/library/reservation/cancel": func(m *exampleMaker, a *act) uuid.UUID {
		onLoan(m, a)
		a.read = "/school-admin/library/reservation/list"
		a.body = map[string]any{"reservationId": m.Create("/school-admin/library/reservation/create",
			map[string]any{"bookId": m.first("book"), "studentId": m.child()})}
		return uuid.Nil
	},

	"/school-admin/transport/incident/:id/discard": incidentAtOffice,
	"/school-admin/transport/incident/:id/release": incidentAtOffice,
	"/school-admin/transport/incident/:id/resolve": func(m *exampleMaker, a *act) uuid.UUID {
		a.read = "/school-admin/transport/incident/list"
		return m.Example("/school-admin/transport/incident/:id")
	},
	"/school-admin/transport/trip/schedule": func(m *exampleMaker, a *act) uuid.UUID {
		a.read = "/school-admin/transport/trip/:id"
		a.body = map[string]any{"routeId": m.Example("/school-admin/transport/route/:id"), "tripDate": m.Today(), "scheduledStartTime": "07:00"}
		return uuid.Nil
	},
	"/school-admin/transport/trip/:id/cancel": onExample("/school-admin/transport/trip/:id", map[string]any{"reason": "Flood"}),
	"/school-admin/transport/trip/:id/driver": func(m *exampleMaker, a *act) uuid.UUID {
		trip := driving("start")(m, a)
		_, driver := m.driver()
		a.by, a.body, a.read = m.admin, map[string]any{"driverId": driver}, "/school-admin/transport/trip/:id"
		return trip
	},
	"/school-admin/transport/trip/:id/rider": func(m *exampleMaker, a *act) uuid.UUID {
		trip := driving("start")(m, a)
		a.by, a.read = m.admin, "/school-admin/transport/trip/:id"
		a.body = map[string]any{"studentId": m.child(), "stopId": m.first("stop")}
		return trip
	},
	"/driver/bus-tracking/trips/:tripId/start":  driving(),
	"/driver/bus-tracking/trips/:tripId/pause":  driving("start"),
	"/driver/bus-tracking/trips/:tripId/resume": driving("start", "pause"),
	"/driver/bus-tracking/trips/:tripId/end":    driving("start"),
	"/driver/trip/:id/hand-over": func(m *exampleMaker, a *act) uuid.UUID {
		trip := driving("start")(m, a)
		_, driver := m.driver()
		a.body, a.read = map[string]any{"driverId": driver, "reason": "Unwell"}, ""
		// The first driver cannot read it any more.
		said := testkit.Post[stamped](m.t, a.by, withID(a.path, trip), a.body)
		checkReads(m.t, said, m.admin, withID("/school-admin/transport/trip/:id", trip))
		a.by, a.path, a.read = m.admin, "/school-admin/transport/trip/:id/driver", "/school-admin/transport/trip/:id"
		_, third := m.driver()
		a.body = map[string]any{"driverId": third, "reason": "Unwell"}
		return trip
	},
	"/driver/incident/report": func(m *exampleMaker, a *act) uuid.UUID {
		driving("start")(m, a)
		a.body, a.read = map[string]any{"busId": m.first("bus"), "type": "other"}, "/driver/incident/list"
		return uuid.Nil
	},
	"/driver/incident/resolve": func(m *exampleMaker, a *act) uuid.UUID {
		driving("start")(m, a)
		made := testkit.Post[stamped](m.t, a.by, "/driver/incident/report", map[string]any{"busId": m.first("bus"), "type": "other"})
		a.body, a.read = map[string]any{"incidentId": made.ID}, "/driver/incident/list"
		return uuid.Nil
	},
}

// first is a record of a table: the school has one.
func (m *exampleMaker) first(table string) uuid.UUID {
	m.t.Helper()
	var id string
	if err := m.school.DB(m.t).Raw(`select id from ` + table + ` limit 1`).Scan(&id).Error; err != nil {
		m.t.Fatal(err)
	}
	return uuid.MustParse(id)
}

// child is another student, in a class of their own.
func (m *exampleMaker) child() uuid.UUID {
	m.t.Helper()
	return m.school.Child(m.t, m.school.Seat(m.t, uuid.NewString()), 0).ID
}

// driver signs another driver in.
func (m *exampleMaker) driver() (*testkit.Client, uuid.UUID) {
	m.t.Helper()
	who, employee := m.school.As(m.t, api.Driver), api.NewID()
	m.Exec(`insert into employee (id, user_id, employee_code, first_name, phone, employee_type)
		select ?, id, ?, 'Ravi', phone, 'DRIVER' from app_user where id = ?`, employee, employee.String(), who.UserID)
	return who, employee
}

// driving calls a row about a driver's trip of today, after others of its rows.
func driving(before ...string) func(m *exampleMaker, a *act) uuid.UUID {
	return func(m *exampleMaker, a *act) uuid.UUID {
		who, employee := m.driver()
		m.Example("/school-admin/transport/route/:id")
		m.Exec(`update bus set driver_id = ?`, employee)
		trip := m.Create("/school-admin/transport/trip/schedule",
			map[string]any{"routeId": m.first("route"), "tripDate": m.Today(), "scheduledStartTime": "07:00"})
		for _, verb := range before {
			testkit.Post[struct{}](m.t, who, "/driver/bus-tracking/trips/"+trip.String()+"/"+verb, map[string]any{})
		}
		a.by, a.read = who, "/driver/trip/:id"
		return trip
	}
}

func incidentAtOffice(m *exampleMaker, a *act) uuid.UUID {
	m.Call("PUT", "/school-admin/setting", map[string]any{"incidentsTo": "OFFICE"}, &struct{}{})
	who := act{}
	driving("start")(m, &who)
	a.read = "/school-admin/transport/incident/list"
	return testkit.Post[stamped](m.t, who.by, "/driver/incident/report", map[string]any{"busId": m.first("bus"), "type": "other"}).ID
}

// onLoan calls a row about a loan.
func onLoan(m *exampleMaker, a *act) uuid.UUID {
	loan := m.Create("/school-admin/library/loan/issue",
		map[string]any{"copyId": m.Example("/school-admin/library/copy/:id"), "studentId": m.child()})
	m.Call("PUT", "/school-admin/setting", map[string]any{"libraryStudentDays": 30}, &struct{}{})
	a.read, a.body = "/school-admin/library/loan/list", map[string]any{"loanId": loan}
	return uuid.Nil
}

// askLeave is a leave that a parent or a teacher asks for.
func askLeave(m *exampleMaker, a *act, role api.RoleType) {
	seat := m.school.Seat(m.t, "Class 5")
	body := map[string]any{"leaveType": "SICK", "fromDate": m.Today().AddDays(1), "toDate": m.Today().AddDays(7), "reason": "Fever"}
	if role == api.Parent {
		child := m.school.Child(m.t, seat, 1)
		a.by, a.read, body["studentId"] = child.Parents[0], "/parent/leave/list", child.ID
	} else {
		a.by, a.read = m.school.Teacher(m.t, seat), "/teacher/leave/list"
	}
	a.body = body
}

func askedLeave(m *exampleMaker, a *act, role api.RoleType) uuid.UUID {
	askLeave(m, a, role)
	return testkit.Post[stamped](m.t, a.by, map[api.RoleType]string{api.Parent: "/parent/leave/apply", api.Teacher: "/teacher/leave/apply"}[role],
		a.body).ID
}

// scheduled is an exam with a paper, whose schedule can be published.
func scheduled(m *exampleMaker, a *act) uuid.UUID {
	id := m.Example("/school-admin/exam/:id")
	m.Exec(`insert into exam_paper (id, exam_id, class_id, subject_id, exam_date, start_time, end_time, max_marks, pass_marks)
		select gen_random_uuid(), e.exam_id, e.class_id, ?, current_date + 3, '09:00', '10:00', 100, 30 from exam_class e`,
		m.Example("/school-admin/subject/:id"))
	m.Exec(`update exam set status = 'SCHEDULED'`)
	a.body = map[string]any{"what": "SCHEDULE"}
	return id
}
