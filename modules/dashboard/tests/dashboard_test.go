package dashboard_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/dashboard"
	"homeroom/modules/fee"
	"homeroom/testkit"
)

const path = "/school-admin/dashboard/summary"

// place is a school whose tables are filled without its doors.
type place struct{ *testkit.School }

func (p *place) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	if err := p.DB(t).Exec(sql, args...).Error; err != nil {
		t.Fatal(err)
	}
}

// trip is one of a bus, a driver and a route of its own: a stop where it begins and one ten
// minutes on. started is in minutes from now; 0 is not yet.
func (p *place) trip(t *testing.T, status string, day api.Date, at time.Time, started int) uuid.UUID {
	t.Helper()
	bus, route, driver, id := api.NewID(), api.NewID(), api.NewID(), api.NewID()
	p.exec(t, `insert into bus (id, bus_number, capacity) values (?, ?, 40)`, bus, bus.String()[24:])
	p.exec(t, `insert into employee (id, employee_code, first_name, phone, employee_type) values (?, ?, 'Mani', ?, 'DRIVER')`, driver,
		driver.String(), testkit.NewPhone())
	p.exec(t, `insert into route (id, name, bus_id, direction) values (?, ?, ?, 'pickup')`, route, route.String(), bus)
	first, second := api.NewID(), api.NewID()
	p.exec(t, `insert into stop (id, route_id, name, sequence, lat, lng, planned_time)
		values (?, ?, 'One', 1, 12, 77, '07:00'), (?, ?, 'Two', 2, 12.1, 77, '07:10')`, first, route, second, route)
	p.exec(t, `insert into trip (id, route_id, bus_id, driver_id, trip_type, trip_date, scheduled_start_at, status)
		values (?, ?, ?, ?, 'pickup', ?, ?, ?)`, id, route, bus, driver, day, at, status)
	if started != 0 {
		begun := p.App.Service.Kernel.Clock().Add(time.Duration(started) * time.Minute)
		p.exec(t, `update trip set started_at = ? where id = ?`, begun, id)
		p.exec(t, `insert into trip_stop (trip_id, stop_id, arrived_at) values (?, ?, ?)`, id, first, begun)
	}
	return id
}

// schoolOn says whether a day is none of the weekend's.
func (p *place) schoolOn(day api.Date) bool {
	for _, w := range p.School.WeekendDays {
		if int(w) == int(day.In(time.UTC).Weekday()) {
			return false
		}
	}
	return true
}

func TestTheDashboardShowsTheDayInOneRequest(t *testing.T) {
	t.Parallel()
	s, other := &place{testkit.NewSchool(t)}, testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	today := api.DateOf(s.App.Service.Kernel.Clock().In(s.Location()))
	seat, second := s.Seat(t, "Class 5"), s.Seat(t, "Class 6")
	here, tardy, away, unmarked := s.Child(t, seat, 0), s.Child(t, seat, 0), s.Child(t, seat, 0), s.Child(t, second, 0)
	for child, status := range map[uuid.UUID]string{here.ID: "PRESENT", tardy.ID: "LATE", away.ID: "ABSENT"} {
		s.exec(t, `insert into attendance (id, student_id, division_id, date, status, source, marked_by, marked_at)
			values (?, ?, ?, ?, ?, 'TEACHER', ?, now())`,
			api.NewID(), child, seat.DivisionID, today, status, admin.UserID)
	}
	s.exec(t, `insert into leave (id, applicant_type, student_id, leave_type, from_date, to_date, days, reason, created_by)
		values (?, 'STUDENT', ?, 'SICK', ?, ?, 1, 'Fever', ?)`,
		api.NewID(), here.ID, today.AddDays(5), today.AddDays(5), admin.UserID)
	for title, day := range map[string]int{"Sports day": 3, "Far away": 60, "Past": -1} {
		s.exec(t, `insert into event (id, title, event_date) values (?, ?, ?)`, api.NewID(), title, today.AddDays(day))
	}
	s.Owe(t, here.ID, 500, today.AddDays(-10))
	s.Owe(t, here.ID, 300, today.AddDays(10))
	s.Owe(t, away.ID, 50, today)
	testkit.Post[fee.Collection](t, admin, "/school-admin/fee/collection/record",
		map[string]any{"studentId": here.ID, "amount": 200, "paymentMode": "CASH"})
	wrong := testkit.Post[fee.Collection](t, admin, "/school-admin/fee/collection/record",
		map[string]any{"studentId": away.ID, "amount": 50, "paymentMode": "CASH"})
	testkit.Post[fee.Reversed](t, admin, "/school-admin/fee/collection/"+wrong.ID.String()+"/reverse", map[string]any{"reason": "Mistake"})

	now := s.App.Service.Kernel.Clock()
	late, lost, waits := s.trip(t, "in_progress", today, now.Add(-40*time.Minute), -39),
		s.trip(t, "in_progress", today, now.Add(-3*time.Minute), -3), s.trip(t, "scheduled", today, now.Add(-30*time.Minute), 0)
	s.trip(t, "scheduled", today, now.Add(5*time.Minute), 0)
	s.trip(t, "completed", today, now.Add(-90*time.Minute), -90)
	s.exec(t, `insert into location (trip_id, at, lat, lng, speed, heading, received_at) values (?, ?, 12, 77, 5, 0, ?)`, late, now, now)

	d := testkit.Get[dashboard.Dashboard](t, admin, path)
	type bus struct{ late, stale bool }
	buses := map[uuid.UUID]bus{}
	for _, b := range d.Transport.Trips {
		buses[b.TripID] = bus{b.IsLate, b.IsStale}
	}
	if len(buses) != 3 || buses[late] != (bus{late: true}) || buses[lost] != (bus{stale: true}) || buses[waits] != (bus{late: true}) ||
		d.Transport.Out != 2 || d.Transport.Late != 2 || d.Transport.Stale != 1 {
		t.Errorf("buses %+v", d.Transport)
	}
	if d.Date != today || d.Students != 4 || d.Leave != (dashboard.LeaveWaiting{Students: 1}) {
		t.Errorf("%+v", d)
	}
	open := s.schoolOn(today)
	want := dashboard.Marks{Students: 4, Present: 1, Absent: 1, Late: 1}
	if open {
		want.NoMark = 1
	}
	if d.Attendance.Marks != want || len(d.Attendance.Classes) != 2 || d.Attendance.Classes[0].Students != 3 ||
		d.Attendance.Classes[0].SchoolToday != open {
		t.Errorf("attendance %+v", d.Attendance)
	}
	if n := len(d.Attendance.Unmarked); open && (n != 1 || d.Attendance.Unmarked[0].DivisionID != second.DivisionID ||
		d.Attendance.Unmarked[0].NoMark != 1) || !open && n != 0 {
		t.Errorf("unmarked %+v of %s", d.Attendance.Unmarked, unmarked.ID)
	}
	if d.Fees != (dashboard.FeeFigures{Outstanding: 650, Overdue: 300, Debtors: 2, CollectedToday: 200, CollectedMonth: 200}) {
		t.Errorf("fees %+v", d.Fees)
	}
	if dues := testkit.Get[fee.Dues](t, admin, "/school-admin/fee/dues"); dues.Ageing.Total != d.Fees.Outstanding {
		t.Errorf("the dues say %d", dues.Ageing.Total)
	}
	if len(d.Events) != 1 || d.Events[0].Title != "Sports day" {
		t.Errorf("events %+v", d.Events)
	}
	last := d.Series[len(d.Series)-1]
	if len(d.Series) != 30 || last != (dashboard.DaySeries{Date: today, Present: 2, Marked: 3, Collected: 200}) ||
		d.Series[0].Date != today.AddDays(-29) {
		t.Errorf("series %+v", d.Series)
	}
	if theirs := testkit.Get[dashboard.Dashboard](t, other.As(t, api.SchoolAdmin), path); theirs.Students != 0 ||
		theirs.Fees.Outstanding != 0 || theirs.Events == nil || len(theirs.Series) != 30 {
		t.Errorf("the other school's %+v", theirs)
	}
	s.As(t, api.Teacher).Refuses(t, "GET", path, nil, 403, "")
}
