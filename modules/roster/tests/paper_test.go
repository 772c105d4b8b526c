package roster_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"mime/multipart"
	"strings"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/testkit"
)

// scripts are names in the scripts of four languages.
var scripts = map[string]string{"Hindi": "श्रीकृष्ण", "Tamil": "ஸ்ரீநிவாசன்", "Arabic": "محمد عبد الله",
	"Vietnamese": "Nguyễn Thị Ánh"}

// printed reads a paper of the office's.
func (f *frame) printed(t *testing.T, path string) testkit.Printed {
	t.Helper()
	a := f.admin.Call(t, "GET", path, nil)
	if a.Status != 200 {
		t.Fatalf("%s: %d %s", path, a.Status, a.Body)
	}
	return testkit.ReadPaper(t, a.Body)
}

// seat admits somebody of each script into a division, with a guardian.
func (f *frame) seat(t *testing.T, d roster.Division) (phone string) {
	t.Helper()
	roll := 0
	for _, script := range []string{"Hindi", "Tamil", "Arabic", "Vietnamese"} {
		roll++
		phone = testkit.NewPhone()
		more := f.longAgo(d, roll)
		more["guardians"] = []any{map[string]any{"firstName": "Parent", "lastName": scripts[script], "phone": phone, "relation": "MOTHER"}}
		f.admit(t, scripts[script], "Rao", more)
	}
	return phone
}

// missNothing checks that a paper names everybody, with the glyphs for it.
func missNothing(t *testing.T, on testkit.Printed) {
	t.Helper()
	if len(on.Missing) > 0 {
		t.Errorf("no glyphs for %q", on.Missing)
	}
	for script, name := range scripts {
		if !on.Says(name) {
			t.Errorf("%s: the paper does not name %s: %q", script, name, on.Pages)
		}
	}
}

func TestClassList_HasRollNumberGuardianPhoneAndRoomToTick(t *testing.T) {
	t.Parallel()
	f := newFrame(t)
	phone := f.seat(t, f.fiveA)
	f.admit(t, "Elsewhere", "Rao", f.longAgo(f.fiveB, 1))
	list := "/school-admin/division/" + f.fiveA.ID.String() + "/class-list"
	on := f.printed(t, list+"?title=Trip+to+the+zoo&blankColumns=4")
	missNothing(t, on)
	for _, want := range []string{"Class list", "Class 5 A", "This year", "Roll", "Guardian", phone, "Trip to the zoo", "4 students"} {
		if !on.Says(want) {
			t.Errorf("the list does not say %q: %q", want, on.Pages)
		}
	}
	if on.Says("Elsewhere") {
		t.Error("the list names one of another division")
	}
}

func TestClassList_HasTheColumnsAskedFor(t *testing.T) {
	t.Parallel()
	f := newFrame(t)
	phone := f.seat(t, f.fiveA)
	list := "/school-admin/division/" + f.fiveA.ID.String() + "/class-list"
	on := f.printed(t, list+"?columns=ROLL_NUMBER,ADMISSION_NUMBER,DATE_OF_BIRTH,GENDER&blankColumns=0")
	if !on.Says("Admission no.") || !on.Says("Born") {
		t.Errorf("columns are missing: %q", on.Pages)
	}
	if on.Says(phone) {
		t.Error("a phone is printed that was not asked for")
	}
	f.admin.Refuses(t, "GET", list+"?columns=SALARY", nil, 422, "")
	f.admin.Refuses(t, "GET", list+"?blankColumns=21", nil, 422, "")
	f.admin.Refuses(t, "GET", "/school-admin/division/"+api.NewID().String()+"/class-list", nil, 404, "")
	f.As(t, api.Teacher).Refuses(t, "GET", list, nil, 403, "")
	newFrame(t).admin.Refuses(t, "GET", list, nil, 404, "")
}

// photo uploads a picture.
func (f *frame) photo(t *testing.T) uuid.UUID {
	t.Helper()
	face := image.NewRGBA(image.Rect(0, 0, 300, 400))
	for y := range 400 {
		for x := range 300 {
			face.Set(x, y, color.RGBA{R: byte(y / 2), G: byte(x / 2), B: 200, A: 255})
		}
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	_ = form.WriteField("purpose", "PHOTO")
	part, err := form.CreateFormFile("file", "face.png")
	if err == nil {
		err = png.Encode(part, face)
	}
	if err != nil || form.Close() != nil {
		t.Fatal(err)
	}
	a := f.admin.Send(t, "POST", "/school-admin/file/upload", form.FormDataContentType(), body.Bytes())
	var made struct{ Data struct{ ID uuid.UUID } }
	if err := json.Unmarshal(a.Body, &made); err != nil || a.Status != 201 {
		t.Fatalf("%v %d %s", err, a.Status, a.Body)
	}
	return made.Data.ID
}

func TestIDCards_OfADivision_AreOneFile(t *testing.T) {
	t.Parallel()
	f := newFrame(t)
	for n := range 6 {
		f.admit(t, fmt.Sprint("Child ", string(rune('A'+n))), "Rao", f.longAgo(f.fiveA, 10+n))
	}
	phone := f.seat(t, f.fiveA)
	more := f.longAgo(f.fiveA, 5)
	more["photoFileId"] = f.photo(t)
	f.admit(t, "Asha", "Rao", more)
	of := "/school-admin/student/id-cards?divisionId=" + f.fiveA.ID.String()
	if on := f.printed(t, of); len(on.Pages) != 2 {
		t.Errorf("11 cards of 8 to a sheet are on %d pages", len(on.Pages))
	}
	on := f.printed(t, of+"&perPage=10")
	if len(on.Pages) != 2 {
		t.Errorf("11 cards of 10 to a sheet are on %d pages", len(on.Pages))
	}
	missNothing(t, on)
	until := f.year.EndDate.In(f.Location()).Format("2 Jan 2006")
	for _, want := range []string{"Class 5 A", phone, "Valid until " + until, f.Name, "Student"} {
		if !on.Says(want) {
			t.Errorf("the cards do not say %q: %q", want, on.Pages)
		}
	}
}

func TestIDCard_OfOneStudent_HasThePhoto(t *testing.T) {
	t.Parallel()
	f := newFrame(t)
	f.seat(t, f.fiveA)
	more := f.longAgo(f.fiveA, 5)
	more["photoFileId"] = f.photo(t)
	asha := f.admit(t, "Asha", "Rao", more)
	a := f.admin.Call(t, "GET", "/school-admin/student/id-cards?studentId="+asha.ID.String(), nil)
	on := testkit.ReadPaper(t, a.Body)
	if len(on.Pages) != 1 || !on.Says("Asha Rao") || on.Says(scripts["Tamil"]) {
		t.Errorf("Asha's own card: %q", on.Pages)
	}
	if !bytes.Contains(a.Body, []byte("/Subtype /Image")) {
		t.Error("the card has no photo")
	}
}

func TestIDCard_OfAnEmployee_HasThePhoto(t *testing.T) {
	t.Parallel()
	f := newFrame(t)
	made := testkit.Post[roster.EmployeeDetail](t, f.admin, "/school-admin/employee/create", map[string]any{
		"firstName": "Ravi", "employeeType": "SUPPORT", "phone": testkit.NewPhone(), "photoFileId": f.photo(t)})
	a := f.admin.Call(t, "GET", "/school-admin/employee/id-cards?employeeId="+made.ID.String(), nil)
	if !bytes.Contains(a.Body, []byte("/Subtype /Image")) {
		t.Errorf("the card has no photo: %d", a.Status)
	}
}

func TestIDCards_AreRefused(t *testing.T) {
	t.Parallel()
	f := newFrame(t)
	cards := "/school-admin/student/id-cards"
	f.admin.Refuses(t, "GET", cards, nil, 422, "")
	f.admin.Refuses(t, "GET", cards+"?divisionId="+f.fiveA.ID.String(), nil, 404, "")
	f.admin.Refuses(t, "GET", cards+"?perPage=9&divisionId="+f.fiveA.ID.String(), nil, 422, "")
	f.admin.Refuses(t, "GET", cards+"?studentId="+api.NewID().String(), nil, 404, "STUDENT_NOT_FOUND")
	f.As(t, api.Teacher).Refuses(t, "GET", cards+"?divisionId="+f.fiveA.ID.String(), nil, 403, "")
}

func TestIDCards_OfEmployees(t *testing.T) {
	t.Parallel()
	f := newFrame(t)
	var one roster.EmployeeDetail
	for _, name := range scripts {
		one = testkit.Post[roster.EmployeeDetail](t, f.admin, "/school-admin/employee/create", map[string]any{"firstName": name,
			"phone": testkit.NewPhone(), "employeeType": "TEACHER", "designation": "Senior teacher"})
	}
	testkit.Post[roster.EmployeeDetail](t, f.admin, "/school-admin/employee/create",
		map[string]any{"firstName": "Dilip", "phone": testkit.NewPhone(), "employeeType": "DRIVER"})
	if on := f.printed(t, "/school-admin/employee/id-cards?employeeId="+one.ID.String()); !on.Says(one.EmployeeCode) || strings.Count(
		strings.Join(on.Pages[0], "\n"), "Senior teacher") != 1 {
		t.Errorf("one card: %q", on.Pages)
	}
	on := f.printed(t, "/school-admin/employee/id-cards?employeeType=TEACHER")
	missNothing(t, on)
	if on.Says("Dilip") || !on.Says("Senior teacher") || !on.Says(one.EmployeeCode) {
		t.Errorf("%q", on.Pages)
	}
	f.admin.Refuses(t, "GET", "/school-admin/employee/id-cards?employeeId="+api.NewID().String(), nil, 404, "")
	f.As(t, api.Teacher).Refuses(t, "GET", "/school-admin/employee/id-cards", nil, 403, "")
}

func (f *frame) certify(t *testing.T, s roster.StudentDetail, purpose string) roster.Bonafide {
	t.Helper()
	return testkit.Post[roster.Bonafide](t, f.admin, "/school-admin/student/bonafide/create",
		map[string]any{"studentId": s.ID, "purpose": purpose})
}

func TestBonafideCertificate_IsNumberedAndKept(t *testing.T) {
	t.Parallel()
	f := newFrame(t)
	more := f.longAgo(f.fiveA, 4)
	more["dateOfBirth"], more["guardians"] = "2016-03-09", []any{guardian("Meera", testkit.NewPhone(), "MOTHER")}
	asha := f.admit(t, "Asha", "Rao", more)
	first := f.certify(t, asha, "Passport")
	second := f.certify(t, asha, "")
	if first.Number != 1 || second.Number != 2 {
		t.Errorf("numbers %d and %d", first.Number, second.Number)
	}
	testkit.Put[roster.StudentDetail](t, f.admin, path(asha), map[string]any{"firstName": "Usha", "divisionId": f.fiveB.ID})
	of := "/school-admin/student/bonafide/" + first.ID.String()
	if read := testkit.Get[roster.Bonafide](t, f.admin, of); read.Snapshot.FirstName != "Asha" || read.Snapshot.DivisionName != "A" ||
		read.Purpose != "Passport" || read.Snapshot.Guardians[0] != "Meera Rao" {
		t.Errorf("read %+v", read)
	}
	on := f.printed(t, of+"?format=pdf")
	for _, want := range []string{"Bonafide certificate", "Asha Rao", "Class 5 A", "This year", "Passport", "Meera Rao", "9 Mar 2016",
		asha.AdmissionNumber} {
		if !on.Says(want) {
			t.Errorf("the certificate does not say %q: %q", want, on.Pages)
		}
	}
	list := testkit.Get[api.Page[roster.Bonafide]](t, f.admin, "/school-admin/student/bonafide/list?filters[studentId]="+asha.ID.String())
	if list.Total != 2 || list.Items[0].Number != 2 || list.Items[1].StudentName != "Asha Rao" {
		t.Errorf("listed %+v", list.Items)
	}
	newFrame(t).admin.Refuses(t, "GET", of, nil, 404, "Not Found")
	f.As(t, api.Teacher).Refuses(t, "GET", of, nil, 403, "")
}

func TestBonafideCertificate_OfOneWhoIsNotHere_IsRefused(t *testing.T) {
	t.Parallel()
	f := newFrame(t)
	create := "/school-admin/student/bonafide/create"
	left := f.admit(t, "Asha", "Rao", f.longAgo(f.fiveA, 4))
	testkit.Post[roster.LeavingCertificate](t, f.admin, path(left)+"/transfer", map[string]any{"reason": "Moved"})
	f.admin.Refuses(t, "POST", create, map[string]any{"studentId": left.ID}, 409, "")
	waiting := f.admit(t, "Bina", "Rao", nil)
	f.admin.Refuses(t, "POST", create, map[string]any{"studentId": waiting.ID}, 409, "")
	f.admin.Refuses(t, "POST", create, map[string]any{"studentId": api.NewID()}, 404, "STUDENT_NOT_FOUND")
	f.admin.Refuses(t, "POST", create, map[string]any{}, 422, "")
	if n := f.Count(t, "number_series", "name = 'bonafide certificate' and next > 1"); n > 0 {
		t.Error("a refused certificate took a number")
	}
}

func TestBonafideCertificate_HasTheGlyphsOfNames(t *testing.T) {
	t.Parallel()
	f := newFrame(t)
	roll := 0
	for script, name := range scripts {
		roll++
		more := f.longAgo(f.fiveA, roll)
		more["guardians"] = []any{guardian(name, testkit.NewPhone(), "MOTHER")}
		s := f.admit(t, name, "Rao", more)
		cert := f.certify(t, s, name)
		if on := f.printed(t, "/school-admin/student/bonafide/"+cert.ID.String()+"?format=pdf"); len(on.Missing) > 0 || !on.Says(name) {
			t.Errorf("%s: no glyphs for %q in %q", script, on.Missing, on.Pages)
		}
	}
}

func TestStudent_WithACertificate_StaysInTheRecords(t *testing.T) {
	t.Parallel()
	f := newFrame(t)
	asha := f.admit(t, "Asha", "Rao", map[string]any{"divisionId": f.fiveA.ID})
	cert := f.certify(t, asha, "")
	if a := f.admin.Call(t, "DELETE", path(asha), nil); a.Status != 204 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	if n := f.Count(t, "student", "id = ?", asha.ID); n != 1 {
		t.Errorf("%d records of the student", n)
	}
	testkit.Get[roster.Bonafide](t, f.admin, "/school-admin/student/bonafide/"+cert.ID.String())
}

func TestParent_FetchesTheCertificatesOfTheirOwnChildrenOnly(t *testing.T) {
	t.Parallel()
	f := newFrame(t)
	asha, bina := f.admit(t, "Asha", "Rao", f.longAgo(f.fiveA, 1)), f.admit(t, "Bina", "Rao", f.longAgo(f.fiveA, 2))
	charu := f.admit(t, "Charu", "Das", f.longAgo(f.fiveA, 3))
	phone := testkit.NewPhone()
	for _, s := range []roster.StudentDetail{asha, bina} {
		f.addGuardian(t, s, map[string]any{"firstName": "Meera", "phone": phone, "relation": "MOTHER"})
	}
	mother := f.App.SignIn(t, "parent", phone)
	others, own := f.certify(t, charu, "Bank"), f.certify(t, asha, "Passport")
	left := testkit.Post[roster.LeavingCertificate](t, f.admin, "/school-admin/student/"+bina.ID.String()+"/transfer",
		map[string]any{"reason": "Moved"})
	list := testkit.Get[api.Page[roster.ChildCertificate]](t, mother, "/parent/student/certificate/list").Items
	var got []string
	for _, x := range list {
		got = append(got, fmt.Sprint(x.Kind, " ", x.Number, " ", x.StudentName, " ", x.Purpose))
	}
	if want := "[LEAVING 1 Bina Rao Moved BONAFIDE 2 Asha Rao Passport]"; fmt.Sprint(got) != want {
		t.Errorf("certificates %v, want %s", got, want)
	}
	print := func(id uuid.UUID) testkit.Printed {
		t.Helper()
		a := mother.Call(t, "GET", "/parent/student/certificate/"+id.String(), nil)
		if a.Status != 200 {
			t.Fatalf("printing: %d %s", a.Status, a.Body)
		}
		return testkit.ReadPaper(t, a.Body)
	}
	if on := print(own.ID); !on.Says("Bonafide certificate") || !on.Says("Asha Rao") || !on.Says("Passport") {
		t.Errorf("the bonafide certificate is %q", on.Pages)
	}
	if on := print(left.ID); !on.Says("Bina Rao") || !on.Says("Moved") {
		t.Errorf("the leaving certificate is %q", on.Pages)
	}
	mother.Refuses(t, "GET", "/parent/student/certificate/"+others.ID.String(), nil, 404, "")
}
