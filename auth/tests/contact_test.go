package auth_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/testkit"
)

// A phone is its owner's once they have entered a code that was sent to it, an e-mail once
// they have opened a link. That an office has typed it opens nothing.

// takeover is an office that knows the phone and the e-mail of somebody, at another school
// or at its own.
type takeover struct {
	mine, theirs *testkit.School
	office       *testkit.Client
	victim       testkit.Person
	account      uuid.UUID // the victim's
}

func newTakeover(t *testing.T) *takeover {
	t.Helper()
	mine := testkit.NewSchool(t)
	return &takeover{mine: mine, theirs: mine, office: mine.As(t, api.SchoolAdmin)}
}

// of has somebody of the role, who has signed in by a code, be the victim.
func (k *takeover) of(t *testing.T, theirs *testkit.School, role api.RoleType) *takeover {
	t.Helper()
	k.theirs, k.victim = theirs, testkit.Person{Role: role, Phone: testkit.NewPhone()}
	if role == api.SchoolAdmin {
		k.victim.Email = address()
	}
	k.victim = theirs.Add(t, k.victim)
	in := byOTP(t, theirs.App, "/auth", k.victim.Phone)
	if len(in.Accounts) != 1 {
		t.Fatalf("accounts %+v", in.Accounts)
	}
	k.account = uuid.MustParse(in.Accounts[0].ID)
	return k
}

func address() string { return "a" + uuid.NewString()[:13] + "@test.local" }

// insider is one of the office's own: signed in by a code, with a PIN.
func (k *takeover) insider(t *testing.T, phone string) signedIn {
	t.Helper()
	in := byOTP(t, k.mine.App, "/auth", phone)
	if a := as(k.mine.App, in.AccessToken).Call(t, "POST", "/auth/set-pin", map[string]any{"pin": "4826"}); a.Status != 200 {
		t.Fatalf("set-pin: %d %s", a.Status, a.Body)
	}
	return in
}

// student admits a child with a guardian on the phone.
func (k *takeover) student(t *testing.T, phone string) (student, guardian string) {
	t.Helper()
	type made struct {
		ID        string
		Guardians []struct {
			GuardianID string `json:"id"`
		}
	}
	s := testkit.Post[made](t, k.office, "/school-admin/student/create",
		map[string]any{"firstName": "Asha", "guardians": []any{guardianOn(phone)}})
	return s.ID, s.Guardians[0].GuardianID
}

func guardianOn(phone string) map[string]any {
	return map[string]any{"firstName": "Meera", "phone": phone, "relation": "MOTHER"}
}

func (k *takeover) employee(t *testing.T, body map[string]any) string {
	t.Helper()
	return testkit.Post[struct{ ID string }](t, k.office, "/school-admin/employee/create", body).ID
}

// writers are the endpoints by which a phone or an e-mail gets into an account. Each types
// the victim's phone, and returns those who were signed in to an account that has it now.
var writers = map[string]func(t *testing.T, k *takeover) []signedIn{
	"PUT /school-admin/student/{id}/guardians/{guardianId}": func(t *testing.T, k *takeover) []signedIn {
		own := testkit.NewPhone()
		student, guardian := k.student(t, own)
		in := k.insider(t, own)
		put(t, k.office, "/school-admin/student/"+student+"/guardians/"+guardian, map[string]any{"phone": k.victim.Phone})
		return []signedIn{in}
	},
	"POST /school-admin/student/{id}/guardians": func(t *testing.T, k *takeover) []signedIn {
		student, _ := k.student(t, testkit.NewPhone())
		testkit.Post[any](t, k.office, "/school-admin/student/"+student+"/guardians", guardianOn(k.victim.Phone))
		return nil
	},
	"POST /school-admin/student/create": func(t *testing.T, k *takeover) []signedIn {
		k.student(t, k.victim.Phone)
		return nil
	},
	"PUT /school-admin/student/{id}": func(t *testing.T, k *takeover) []signedIn {
		own := testkit.NewPhone()
		student, _ := k.student(t, own)
		put(t, k.office, "/school-admin/student/"+student, map[string]any{"phone": k.victim.Phone, "email": address()})
		return nil
	},
	"POST /school-admin/student/import": func(t *testing.T, k *takeover) []signedIn {
		send(t, k.office, "/school-admin/student/import",
			"First Name,Guardian Name,Guardian Phone,Guardian Relation\nAsha,Meera,"+k.victim.Phone+",MOTHER\n")
		return nil
	},
	"POST /school-admin/guardian/import": func(t *testing.T, k *takeover) []signedIn {
		testkit.Post[any](t, k.office, "/school-admin/student/create", map[string]any{"firstName": "Asha", "admissionNumber": "G-1"})
		send(t, k.office, "/school-admin/guardian/import", "Admission No,Guardian Name,Mobile,Relation\nG-1,Meera,"+k.victim.Phone+",MOTHER\n")
		return nil
	},
	"POST /school-admin/employee/create": func(t *testing.T, k *takeover) []signedIn {
		email := address()
		k.employee(t, map[string]any{"firstName": "Mole", "employeeType": "ADMIN", "phone": k.victim.Phone, "email": email})
		return []signedIn{k.byInvitation(t, email)}
	},
	"PUT /school-admin/employee/{id}": func(t *testing.T, k *takeover) []signedIn {
		own, email := testkit.NewPhone(), address()
		teacher := k.employee(t, map[string]any{"firstName": "Mole", "employeeType": "TEACHER", "phone": own})
		admin := k.employee(t, map[string]any{"firstName": "Mole", "employeeType": "ADMIN", "phone": testkit.NewPhone(), "email": email})
		in := []signedIn{k.insider(t, own), k.byInvitation(t, email)}
		for _, id := range []string{teacher, admin} {
			put(t, k.office, "/school-admin/employee/"+id, map[string]any{"phone": k.victim.Phone})
		}
		return in
	},
	"POST /school-admin/employee/import": func(t *testing.T, k *takeover) []signedIn {
		own := testkit.NewPhone()
		k.employee(t, map[string]any{"firstName": "Mole", "employeeType": "DRIVER", "phone": own, "employeeCode": "D-7"})
		in := k.insider(t, own)
		send(t, k.office, "/school-admin/employee/import", "employeeCode,phone\nD-7,"+k.victim.Phone+"\n")
		return []signedIn{in}
	},
	"POST /super-admin/admin/create": func(t *testing.T, k *takeover) []signedIn {
		email := address()
		testkit.Post[any](t, k.mine.App.SuperAdmin(t), "/super-admin/admin/create",
			map[string]any{"schoolId": k.mine.ID, "firstName": "Mole", "email": email, "phone": k.victim.Phone})
		return []signedIn{k.byInvitation(t, email)}
	},
	"POST /super-admin/school/create": func(t *testing.T, k *takeover) []signedIn {
		email := address()
		made := testkit.Post[struct{ ID uuid.UUID }](t, k.mine.App.SuperAdmin(t), "/super-admin/school/create", map[string]any{
			"name": "Mole's", "code": "m" + uuid.NewString()[:18], "timeZone": "Asia/Kolkata", "currency": "INR",
			"admin": map[string]any{"firstName": "Mole", "email": email, "phone": k.victim.Phone}})
		if err := k.mine.App.Service.Provisioner.Run(t.Context(), made.ID); err != nil {
			t.Fatal(err)
		}
		return []signedIn{k.byInvitation(t, email)}
	},
	"POST /super-admin/school/import": func(t *testing.T, k *takeover) []signedIn {
		email, code := address(), "m"+uuid.NewString()[:18]
		testkit.Post[any](t, k.mine.App.SuperAdmin(t), "/super-admin/school/import", map[string]any{"schools": []any{map[string]any{
			"name": "Mole's", "code": code, "timeZone": "Asia/Kolkata", "currency": "INR",
			"admin": map[string]any{"firstName": "Mole", "email": email, "phone": k.victim.Phone}}}})
		var made uuid.UUID
		err := k.mine.App.Service.Cluster.PlatformPool().QueryRow(t.Context(), `select id from platform.school where code = $1`, code).Scan(&made)
		if err == nil {
			err = k.mine.App.Service.Provisioner.Run(t.Context(), made)
		}
		if err != nil {
			t.Fatal(err)
		}
		return []signedIn{k.byInvitation(t, email)}
	},
}

// others take a phone or an e-mail and write no account's.
var others = map[string]string{
	"POST /auth/console/login":                       "signs in",
	"POST /auth/login":                               "signs in",
	"POST /auth/password/forgot":                     "signs in",
	"POST /school-admin/guardian/{id}/erase":         "the phone is the guardian's own, typed to confirm",
	"PUT /parent/notification/preferences":           "says whether e-mails are wanted",
	"PUT /school-admin/setting":                      "the school's own, for its letterhead",
	"PUT /super-admin/school/{id}":                   "the school's own, for its letterhead",
	"POST /school-admin/library/book/import":         "books",
	"POST /school-admin/fee/opening-balance/import":  "amounts by admission number",
	"POST /school-admin/fee/concession/import":       "concessions by admission number",
	"POST /school-admin/subject/import":              "subjects",
	"POST /school-admin/employee/assignments/import": "names a teacher, by their phone too",
	"POST /school-admin/timetable/import":            "names a teacher, by their phone too",
	"POST /school-admin/transport/route/import":      "routes",
	"POST /school-admin/transport/rider/import":      "riders by admission number",
	"POST /school-admin/attendance/import":           "marks by admission number",
	"POST /school-admin/attendance/total/import":     "totals by admission number",
	"POST /school-admin/exam/result/import":          "marks by admission number",
	"POST /school-admin/student/photo/import":        "pictures by admission number",
	"POST /school-admin/oneroster/import":            "students and employees, by their imports",
}

func put(t *testing.T, c *testkit.Client, path string, change map[string]any) {
	t.Helper()
	if a := c.Call(t, "PUT", path, change); a.Status != 200 {
		t.Fatalf("PUT %s: %d %s", path, a.Status, a.Body)
	}
}

func send(t *testing.T, c *testkit.Client, path, file string) {
	t.Helper()
	if a := c.Send(t, "POST", path, "text/csv", []byte(file)); a.Status != 200 {
		t.Fatalf("POST %s: %d %s", path, a.Status, a.Body)
	}
}

// byInvitation sets a password by the link that was sent, and signs in with it.
func (k *takeover) byInvitation(t *testing.T, email string) signedIn {
	t.Helper()
	testkit.Eventually(t, "the invitation", func() bool { return len(k.mine.App.Sent(t, email)) > 0 })
	token := link.FindStringSubmatch(k.mine.App.Sent(t, email)[0].Text)[1]
	if a := k.mine.App.Nobody().Call(t, "POST", "/auth/password/reset", map[string]any{"token": token, "password": secret}); a.Status != 200 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	return login(t, k.mine.App, email, secret)
}

func TestAContactTypedByAnOfficeOpensNothing(t *testing.T) {
	t.Parallel()
	elsewhere, here := []api.RoleType{api.SchoolAdmin}, []api.RoleType{api.Teacher}
	if testkit.Attack() {
		elsewhere = []api.RoleType{api.SchoolAdmin, api.Teacher, api.Parent, api.Driver}
		here = elsewhere
	}
	testkit.Attacked(t, "contacts that an office typed", len(writers)*(len(elsewhere)+len(here)))
	for _, name := range slices.Sorted(maps.Keys(writers)) {
		for _, role := range elsewhere {
			t.Run(name+" "+string(role)+" elsewhere", func(t *testing.T) {
				t.Parallel()
				opensNothing(t, newTakeover(t).of(t, testkit.NewSchool(t), role), writers[name])
			})
		}
		for _, role := range here {
			t.Run(name+" "+string(role)+" here", func(t *testing.T) {
				t.Parallel()
				k := newTakeover(t)
				opensNothing(t, k.of(t, k.mine, role), writers[name])
			})
		}
	}
}

func opensNothing(t *testing.T, k *takeover, writer func(*testing.T, *takeover) []signedIn) {
	sent := len(k.theirs.App.Sent(t, k.victim.Phone))
	insiders := writer(t, k)
	for _, in := range insiders {
		if len(in.Accounts) > 0 && slices.ContainsFunc(in.Accounts,
			func(a struct{ ID, Role, SchoolID, SchoolName string }) bool { return a.ID == k.account.String() }) {
			t.Errorf("the victim's account is named: %+v", in.Accounts)
		}
		a := switchTo(t, k.mine.App, in, k.account)
		if a.Status != 401 && a.Status != 404 {
			t.Errorf("a switch to the victim's account: %d %s", a.Status, a.Body)
		}
		a = k.mine.App.Nobody().Call(t, "POST", "/auth/verify-pin", map[string]any{"phone": k.victim.Phone, "pin": "4826"})
		if a.Status < 400 {
			t.Errorf("the PIN of the phone before: %d %s", a.Status, a.Body)
		}
	}
	if now := len(k.theirs.App.Sent(t, k.victim.Phone)); now != sent {
		t.Errorf("the victim was sent %d messages", now-sent)
	}
	// The owner of the phone lands where they were before, and not at the office's school.
	if in := byOTP(t, k.theirs.App, "/auth", k.victim.Phone); in.User.ID != k.victim.UserID.String() {
		t.Errorf("the victim signed in as %+v", in.User)
	}
}

func TestAChangedContactEndsTheAccountsSessionsAndClearsItsPIN(t *testing.T) {
	t.Parallel()
	k := newTakeover(t)
	own, next := testkit.NewPhone(), testkit.NewPhone()
	student, guardian := k.student(t, own)
	in := k.insider(t, own)
	put(t, k.office, "/school-admin/student/"+student+"/guardians/"+guardian, map[string]any{"phone": next})
	as(k.mine.App, in.AccessToken).Refuses(t, "GET", "/auth/me", nil, 401, "")
	k.mine.App.Nobody().Refuses(t, "POST", "/auth/refresh", map[string]any{"refreshToken": in.RefreshToken}, 401, "")
	if n := k.mine.Count(t, "app_user", "id = ? and pin_hash is null", in.User.ID); n != 1 {
		t.Error("the PIN is still there")
	}
	if again := byOTP(t, k.mine.App, "/auth", next); again.User.ID != in.User.ID {
		t.Errorf("the new phone signs in %+v", again.User)
	}
}

func TestAChangedEmailTakesThePasswordAndOldLinksWithItAndInvitesTheNewOne(t *testing.T) {
	t.Parallel()
	k := newTakeover(t)
	old, next := address(), address()
	id := k.employee(t, map[string]any{"firstName": "Asha", "employeeType": "ADMIN", "phone": testkit.NewPhone(), "email": old})
	in := k.byInvitation(t, old)
	k.mine.App.Nobody().Call(t, "POST", "/auth/password/forgot", map[string]any{"email": old})
	token := link.FindStringSubmatch(k.mine.App.Sent(t, old)[0].Text)[1]
	put(t, k.office, "/school-admin/employee/"+id, map[string]any{"email": next})
	as(k.mine.App, in.AccessToken).Refuses(t, "GET", "/auth/me", nil, 401, "")
	for _, email := range []string{old, next} {
		if a := k.mine.App.Nobody().Call(t, "POST", "/auth/login", map[string]any{"email": email, "password": secret}); a.Status < 400 {
			t.Errorf("%s still signs in", email)
		}
	}
	k.mine.App.Nobody().Refuses(t, "POST", "/auth/password/reset", map[string]any{"token": token, "password": secret}, 400, "")
	if again := k.byInvitation(t, next); again.User.ID != in.User.ID {
		t.Errorf("the new e-mail signs in %+v", again.User)
	}
}

func TestAPINOpensNoAdministratorsAccount(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	phone := testkit.NewPhone()
	s.Add(t, testkit.Person{Role: api.SchoolAdmin, Phone: phone})
	s.Add(t, testkit.Person{Role: api.Teacher, Phone: phone})
	s.Add(t, testkit.Person{Role: api.Parent, Phone: phone})
	in := byOTP(t, s.App, "/parent/user-auth", phone)
	as(s.App, in.AccessToken).Call(t, "POST", "/auth/set-pin", map[string]any{"pin": "4826"})
	byPIN := read(t, s.App.Nobody().Call(t, "POST", "/auth/verify-pin", map[string]any{"phone": phone, "pin": "4826"}))
	if len(byPIN.Accounts) != 2 {
		t.Fatalf("after a PIN: %+v", byPIN.Accounts)
	}
	var admin, teacher uuid.UUID
	err := s.App.Service.Cluster.PlatformPool().QueryRow(t.Context(),
		`select (select id from platform.account where phone = $1 and role_type = 'SCHOOL_ADMIN'),
		(select id from platform.account where phone = $1 and role_type = 'TEACHER')`, phone).Scan(&admin, &teacher)
	if err != nil {
		t.Fatal(err)
	}
	wantRefusal(t, "an administrator after a PIN", switchTo(t, s.App, byPIN, admin), 404, "Not Found")
	switched := read(t, switchTo(t, s.App, byPIN, teacher))
	wantRefusal(t, "an administrator after a PIN and a switch", switchTo(t, s.App, switched, admin), 404, "Not Found")
	if all := read(t, switchTo(t, s.App, in, admin)); len(all.Accounts) != 3 {
		t.Errorf("after a code: %+v", all.Accounts)
	}
}

func TestAPhoneNobodyHasProvenTakesNoPIN(t *testing.T) {
	t.Parallel()
	k := newTakeover(t)
	email := address()
	k.employee(t, map[string]any{"firstName": "Asha", "employeeType": "ADMIN", "phone": testkit.NewPhone(), "email": email})
	in := k.byInvitation(t, email)
	if in.Accounts != nil {
		t.Errorf("a password names accounts: %+v", in.Accounts)
	}
	as(k.mine.App, in.AccessToken).Refuses(t, "POST", "/auth/set-pin", map[string]any{"pin": "4826"}, 403, "")
}

func TestOneEmailAtTwoSchoolsHasAPasswordAtEach(t *testing.T) {
	t.Parallel()
	email := address()
	first, second := newTakeover(t), newTakeover(t)
	body := map[string]any{"firstName": "Asha", "employeeType": "ADMIN", "phone": testkit.NewPhone(), "email": email}
	first.employee(t, body)
	in := first.byInvitation(t, email)
	second.employee(t, body) // tells its office nothing of the other school
	testkit.Eventually(t, "the second invitation", func() bool { return len(first.mine.App.Sent(t, email)) == 2 })
	token := link.FindStringSubmatch(first.mine.App.Sent(t, email)[0].Text)[1]
	if a := first.mine.App.Nobody().Call(t, "POST", "/auth/password/reset",
		map[string]any{"token": token, "password": "another long secret"}); a.Status != 200 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	if again := login(t, first.mine.App, email, secret); again.User.SchoolID != in.User.SchoolID {
		t.Errorf("the first password opens %+v", again.User)
	}
	if other := login(t, first.mine.App, email, "another long secret"); other.User.SchoolID != second.mine.ID.String() {
		t.Errorf("the second password opens %+v", other.User)
	}
}
