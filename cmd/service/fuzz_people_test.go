package service_test

import (
	"encoding/json"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/testkit"
)

// furnish gives a school people of every role and a little of everything, so that calls
// find what they are about. What cannot be made any more, after all that was done to the
// school, is left out.
func (f *fuzz) furnish(t *testing.T, school *testkit.School) {
	t.Helper()
	tag := uuid.NewString()[:8]
	seat := school.Seat(t, "F"+tag)
	child := school.Child(t, seat, 1)
	f.clients = everyone(t, school)
	f.clients[api.Teacher] = school.Teacher(t, seat)
	f.clients[api.Parent] = child.Parents[0]
	driver := api.NewID()
	err := school.DB(t).Exec(`insert into employee (id, user_id, employee_code, first_name, phone, employee_type)
		select ?, id, ?, 'Bala', phone, 'DRIVER' from app_user where id = ?`,
		driver, "D"+tag, f.clients[api.Driver].UserID).Error
	if err != nil {
		t.Fatal(err)
	}
	for name, id := range map[string]uuid.UUID{"academicYearId": seat.YearID, "classId": seat.ClassID, "divisionId": seat.DivisionID,
		"studentId": child.ID, "employeeId": driver} {
		f.known.tell(name, id.String())
	}
	for role, client := range f.clients {
		if role != api.SuperAdmin {
			f.known.tell("userId", client.UserID.String())
		}
	}
	office := f.office(f.clients[api.SchoolAdmin])
	office("/school-admin/subject/create", map[string]any{"name": "S" + tag, "code": tag})
	office("/school-admin/exam/create", map[string]any{"name": "E" + tag, "academicYearId": seat.YearID,
		"classIds": []uuid.UUID{seat.ClassID}})
	office("/school-admin/event/create", map[string]any{"title": "Sports day", "eventDate": today(school).AddDays(10)})
	office("/school-admin/announcement/create", map[string]any{"title": "Closed", "body": "Tomorrow"})
	office("/school-admin/library/book/create", map[string]any{"title": "Malgudi Days", "copies": 2})
	office("/school-admin/message/send", map[string]any{"recipientIds": []any{f.clients[api.Teacher].UserID, f.clients[api.Parent].UserID},
		"body": "Hello"})
	head := office("/school-admin/fee/head/create", map[string]any{"name": "Tuition " + tag, "code": tag, "type": "TUITION"})
	structure := office("/school-admin/fee/structure/create",
		map[string]any{"classId": seat.ClassID, "name": tag, "heads": []any{map[string]any{"feeHeadId": head, "amount": 1000}},
			"instalments": []any{map[string]any{"name": "Term 1", "dueDate": today(school).AddDays(-30), "percent": 100}}})
	office("/school-admin/fee/charge", map[string]any{"structureId": structure, "instalment": 1, "classId": seat.ClassID})
	office("/school-admin/fee/collection/record", map[string]any{"studentId": child.ID, "amount": 100, "paymentMode": "CASH"})
	bus := office("/school-admin/transport/bus/create", map[string]any{"busNumber": tag, "driverId": driver})
	route := office("/school-admin/transport/route/create",
		map[string]any{"name": tag, "busId": bus, "direction": "pickup",
			"stops": []any{map[string]any{"name": "Temple", "lat": 12.97, "lng": 77.59}}})
	office("/school-admin/transport/trip/schedule",
		map[string]any{"routeId": route, "tripDate": today(school), "scheduledStartTime": "07:00"})
}

// office makes something and returns its id, or nobody's.
func (f *fuzz) office(admin *testkit.Client) func(path string, data map[string]any) string {
	return func(path string, data map[string]any) string {
		a, err := admin.TryCall("POST", path, data)
		var said struct{ Data map[string]any }
		if err != nil || a.Status >= 300 || json.Unmarshal(a.Body, &said) != nil {
			return uuid.NewString()
		}
		f.known.learn(path, said.Data)
		id, _ := said.Data["id"].(string)
		return id
	}
}
