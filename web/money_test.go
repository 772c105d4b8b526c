package web_test

import (
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/tenancy/lifecycle"
	"homeroom/testkit"
)

type made struct {
	ID              uuid.UUID
	AdmissionNumber string
}

// TestAClerkChargesCollectsReversesLendsAndTellsInABrowser walks through money, the library and what people are told.
func TestAClerkChargesCollectsReversesLendsAndTellsInABrowser(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	s, clerk, stage := office(t, app, lifecycle.NewSchool{})
	post := func(path string, data map[string]any) made {
		return testkit.Post[made](t, clerk, "/school-admin/"+path, data)
	}
	today := api.DateOf(app.Service.Kernel.Clock().In(s.Location()))

	year := post("academic-year/create", map[string]any{"name": "2026-27", "startDate": today.AddDays(-99), "endDate": today.AddDays(200)})
	testkit.Post[made](t, clerk, "/school-admin/academic-year/"+year.ID.String()+"/activate", nil)
	seat := func(class string) (uuid.UUID, uuid.UUID) {
		k := post("class/create", map[string]any{"name": class})
		return k.ID, post("division/create", map[string]any{"classId": k.ID, "name": "A"}).ID
	}
	five, fiveA := seat("Class 5")
	_, sixA := seat("Class 6")
	admit := func(first, last string, division uuid.UUID) made {
		return post("student/create", map[string]any{"firstName": first, "lastName": last, "divisionId": division,
			"admissionDate": today.AddDays(-99)})
	}
	asha, ravi, mira := admit("<script>alert(1)</script>", "Rao", fiveA), admit("Ravi", "Iyer", fiveA), admit("Mira", "Bose", sixA)
	zoe := admit("Zoe", "Das", fiveA)
	var parent *testkit.Client
	for _, child := range []made{ravi, mira} {
		phone := testkit.NewPhone()
		post("student/"+child.ID.String()+"/guardians", map[string]any{"relation": "MOTHER", "firstName": "Meera", "phone": phone})
		if parent == nil {
			parent = signedIn(t, app, phone)
		}
	}

	head := post("fee/head/create", map[string]any{"name": "Tuition", "code": "TUI", "type": "TUITION"})
	post("fee/structure/create", map[string]any{"classId": five, "name": "Class 5 fees",
		"heads": []any{map[string]any{"feeHeadId": head.ID, "amount": 1_000_000}},
		"instalments": []any{map[string]any{"name": "Term 1", "dueDate": today.AddDays(-10), "percent": 50},
			map[string]any{"name": "Term 2", "dueDate": today.AddDays(60), "percent": 50}}})

	testkit.Put[struct{}](t, clerk, "/school-admin/setting", map[string]any{"libraryFinePerDay": 200})
	book := post("library/book/create", map[string]any{"title": "Malgudi Days", "author": "R. K. Narayan", "price": 25_000})
	for _, number := range []string{"L-1", "L-2"} {
		post("library/copy/create", map[string]any{"bookId": book.ID, "accessionNumber": number, "barcode": "B-" + number})
	}
	loan := post("library/loan/issue", map[string]any{"code": "L-1", "studentId": ravi.ID})
	if err := s.DB(t).Exec(`update library_loan set issued_on = ?, due_on = ? where id = ?`, today.AddDays(-19), today.AddDays(-5),
		loan.ID).Error; err != nil {
		t.Fatal(err)
	}

	stage["stage"] = map[string]any{"school": s.Name, "head": head.ID, "ashaNumber": asha.AdmissionNumber, "ravi": ravi.ID, "zoe": zoe.ID,
		"parent": parent.UserID, "parentToken": parent.Token}
	testkit.Put[any](t, clerk, "/school-admin/notification/setting", map[string]any{"smsPrice": 25})
	browse(t, app, "money", stage)
}

// signedIn is a guardian with the phone, in their app.
func signedIn(t *testing.T, app *testkit.App, phone string) *testkit.Client {
	t.Helper()
	return signedInAs(t, app, "parent", phone)
}

// signedInAs is a person with an account of a role, which is the beginning of its paths.
func signedInAs(t *testing.T, app *testkit.App, role, phone string) *testkit.Client {
	t.Helper()
	c := app.Nobody()
	c.Call(t, "POST", "/"+role+"/user-auth/send-otp", map[string]any{"phone": phone})
	var in struct {
		AccessToken string
		User        struct{ ID uuid.UUID }
	}
	c.Call(t, "POST", "/"+role+"/user-auth/verify-otp", map[string]any{"phone": phone, "otp": app.OTP(t, phone)}).Read(t, &in)
	c.Token, c.UserID = in.AccessToken, in.User.ID
	return c
}

// TestCounter_TwoSubmits_MakeOneReceipt submits a payment twice, 250 to 750 ms apart, on a line of 300 ms.
func TestCounter_TwoSubmits_MakeOneReceipt(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	s, clerk, stage := office(t, app, lifecycle.NewSchool{})
	today := api.DateOf(app.Service.Kernel.Clock().In(s.Location()))
	year := testkit.Post[made](t, clerk, "/school-admin/academic-year/create",
		map[string]any{"name": "2026-27", "startDate": today.AddDays(-99), "endDate": today.AddDays(200)})
	testkit.Post[made](t, clerk, "/school-admin/academic-year/"+year.ID.String()+"/activate", nil)
	ravi := testkit.Post[made](t, clerk, "/school-admin/student/create",
		map[string]any{"firstName": "Ravi", "lastName": "Iyer", "admissionNumber": "TWICE-1", "admissionDate": today.AddDays(-99)})
	mira := testkit.Post[made](t, clerk, "/school-admin/student/create",
		map[string]any{"firstName": "Mira", "lastName": "Iyer", "admissionDate": today.AddDays(-99)})
	phone := testkit.NewPhone()
	for _, child := range []made{ravi, mira} {
		testkit.Post[made](t, clerk, "/school-admin/student/"+child.ID.String()+"/guardians",
			map[string]any{"relation": "MOTHER", "firstName": "Meera", "phone": phone})
	}
	testkit.Post[struct{}](t, clerk, "/school-admin/fee/fine", map[string]any{"studentId": mira.ID, "amount": 40_000, "reason": "Window"})
	stage["stage"] = map[string]any{"student": ravi.ID, "number": "TWICE-1", "yesterday": today.AddDays(-1)}
	browse(t, app, "twice", stage)
}
