package fleet

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/modules/transport"
	"homeroom/testkit"
)

const password = "chalk-and-blackboard"

// SuperAdmin is made on the command line and signs in through nginx.
func (f *Fleet) SuperAdmin(t testing.TB) *testkit.Client {
	t.Helper()
	email := "ops-" + uuid.NewString()[:8] + "@example.org"
	f.RunWith(t, password+"\n", "superadmin", "create", email)
	return f.SignIn(t, "/auth/login", map[string]any{"email": email, "password": password})
}

// SignIn calls a sign-in endpoint through nginx and is then that user.
func (f *Fleet) SignIn(t testing.TB, path string, body map[string]any) *testkit.Client {
	t.Helper()
	var in struct{ AccessToken string }
	if err := json.Unmarshal(f.knock(t, path, body).Body, &in); err != nil || in.AccessToken == "" {
		t.Fatalf("%s gives no token: %v", path, err)
	}
	c := f.App().Nobody()
	c.Token = in.AccessToken
	return c
}

// knock calls a sign-in endpoint until it is not answered "a moment later": attempts have
// to be counted, and on a busy machine the count may be late.
func (f *Fleet) knock(t testing.TB, path string, body map[string]any) (a testkit.Answer) {
	t.Helper()
	testkit.Eventually(t, path+" is answered", func() bool {
		a = f.App().Nobody().Call(t, "POST", path, body)
		return a.Status != 503
	})
	if a.Status != 200 {
		t.Fatalf("%s: %d %s", path, a.Status, a.Body)
	}
	return a
}

// ByPhone signs somebody in by the code that is sent to them. The client is one of the
// apps: parent, teacher or driver.
func (f *Fleet) ByPhone(t testing.TB, client, phone string) *testkit.Client {
	t.Helper()
	before := len(f.Texts.To(phone))
	f.knock(t, "/"+client+"/user-auth/send-otp", map[string]any{"phone": phone})
	return f.SignIn(t, "/"+client+"/user-auth/verify-otp", map[string]any{"phone": phone, "otp": f.Texts.code(t, phone, before)})
}

// School is one with a class, its teacher, a bus that drives, and children who have a
// parent each, ride the bus and sit in the class; everybody is signed in.
type School struct {
	ID                      uuid.UUID
	Office, Teacher, Driver *testkit.Client
	Parents                 []*testkit.Client
	Guardians               []uuid.UUID // the parents' user ids
	Children                []uuid.UUID
	Class, Division         uuid.UUID
	Bus, Trip               uuid.UUID // the trip is scheduled for today

	fleet *Fleet
	super *testkit.Client
	email string
}

// Progress is how far an onboarding has come.
type Progress struct {
	Status  string
	Percent int
	Error   string
	Steps   []struct{ Name string }
}

// NewSchool onboards a school and its people through the public API.
func (f *Fleet) NewSchool(t testing.TB, super *testkit.Client, children int) *School {
	t.Helper()
	s := f.Onboard(t, super)
	var p Progress
	defer func() {
		if t.Failed() {
			t.Logf("the onboarding stands at %+v", p)
		}
	}()
	testkit.Eventually(t, "the school is ready", func() bool {
		p = testkit.Get[Progress](t, super, "/super-admin/school/"+s.ID.String()+"/provisioning")
		return p.Status == "ACTIVE" && p.Percent == 100
	})
	s.Office = f.SignIn(t, "/auth/login", s.Login())
	s.seat(t)
	for n := range children {
		s.admit(t, n)
	}
	s.run(t)
	return s
}

// Onboard asks for a school, which is then on its way.
func (f *Fleet) Onboard(t testing.TB, super *testkit.Client) *School {
	t.Helper()
	s := &School{fleet: f, super: super}
	s.request(t)
	return s
}

func (s *School) request(t testing.TB) {
	t.Helper()
	code := "f" + uuid.NewString()[:12]
	s.email = code + "@schools.test"
	s.ID = testkit.Post[struct{ ID uuid.UUID }](t, s.super, "/super-admin/school/create", map[string]any{
		"name": "School " + code, "code": code, "timeZone": "Asia/Kolkata", "currency": "INR", "weekendDays": []int{},
		"admin": map[string]any{"firstName": "Asha", "email": s.email, "password": password},
	}).ID
}

// Login is what the school's administrator signs in with.
func (s *School) Login() map[string]any {
	return map[string]any{"email": s.email, "password": password}
}

// today is the school's day.
func today() time.Time { return time.Now().In(time.FixedZone("IST", 5*3600+1800)) }

func (s *School) seat(t testing.TB) {
	t.Helper()
	year := testkit.Post[roster.AcademicYear](t, s.Office, "/school-admin/academic-year/create", map[string]any{
		"name": "now", "startDate": api.DateOf(today().AddDate(0, -3, 0)), "endDate": api.DateOf(today().AddDate(0, 6, 0))})
	testkit.Post[roster.AcademicYear](t, s.Office, "/school-admin/academic-year/"+year.ID.String()+"/activate", nil)
	s.Class = testkit.Post[roster.Class](t, s.Office, "/school-admin/class/create", map[string]any{"name": "Class 5", "level": 5}).ID
	s.Division = testkit.Post[roster.Division](t, s.Office, "/school-admin/division/create",
		map[string]any{"classId": s.Class, "name": "A"}).ID
	phone, id := s.employ(t, "TEACHER")
	testkit.Put[roster.AssignmentList](t, s.Office, "/school-admin/employee/"+id.String()+"/assignments", map[string]any{
		"assignments": []any{map[string]any{"classId": s.Class, "divisionId": s.Division, "isClassTeacher": true}}})
	s.Teacher = s.fleet.ByPhone(t, "teacher", phone)
}

func (s *School) employ(t testing.TB, as string) (phone string, id uuid.UUID) {
	t.Helper()
	phone = testkit.NewPhone()
	return phone, testkit.Post[roster.EmployeeDetail](t, s.Office, "/school-admin/employee/create",
		map[string]any{"firstName": "Ravi", "phone": phone, "employeeType": as}).ID
}

// NewDriver employs one more driver, who signs in.
func (s *School) NewDriver(t testing.TB) *testkit.Client {
	t.Helper()
	phone, _ := s.employ(t, "DRIVER")
	return s.fleet.ByPhone(t, "driver", phone)
}

func (s *School) admit(t testing.TB, n int) {
	t.Helper()
	phone := testkit.NewPhone()
	child := testkit.Post[roster.StudentDetail](t, s.Office, "/school-admin/student/create", map[string]any{
		"firstName": fmt.Sprint("Child", n+1), "divisionId": s.Division,
		"guardians": []any{map[string]any{"firstName": "Meera", "phone": phone, "relation": "MOTHER"}}})
	s.Children, s.Guardians = append(s.Children, child.ID), append(s.Guardians, child.Guardians[0].UserID)
	s.Parents = append(s.Parents, s.fleet.ByPhone(t, "parent", phone))
}

func (s *School) run(t testing.TB) {
	t.Helper()
	phone, driver := s.employ(t, "DRIVER")
	s.Bus = testkit.Post[transport.Bus](t, s.Office, "/school-admin/transport/bus/create",
		map[string]any{"busNumber": "7", "driverId": driver}).ID
	route := testkit.Post[transport.RouteDetail](t, s.Office, "/school-admin/transport/route/create",
		map[string]any{"name": "Morning", "busId": s.Bus, "direction": "pickup",
			"stops": []any{map[string]any{"name": "Temple", "lat": 12.97, "lng": 77.59},
				map[string]any{"name": "Lake", "lat": 12.99, "lng": 77.59}}})
	riders := []any{}
	for _, c := range s.Children {
		riders = append(riders, map[string]any{"studentId": c, "stopId": route.Stops[1].ID})
	}
	testkit.Put[transport.RouteDetail](t, s.Office, "/school-admin/transport/route/"+route.ID.String()+"/students",
		map[string]any{"students": riders})
	s.Trip = testkit.Post[transport.Scheduled](t, s.Office, "/school-admin/transport/trip/schedule", map[string]any{
		"routeId": route.ID, "tripDate": api.DateOf(today()), "scheduledStartTime": "07:00"}).ID
	s.Driver = s.fleet.ByPhone(t, "driver", phone)
}

// Room is what a socket says to watch the bus.
func (s *School) Room() map[string]any { return map[string]any{"schoolId": s.ID, "busId": s.Bus} }

// At is a position so many metres along the bus's route, as of now.
func At(metres int) map[string]any {
	return map[string]any{"lat": 12.97 + float64(metres)/111_195, "lng": 77.59, "speed": 8, "heading": 0, "timestamp": time.Now().UnixMilli()}
}
