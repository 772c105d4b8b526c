package school_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/auth"
	"homeroom/modules/school"
	"homeroom/testkit"
)

// fileOfSchools is a CSV file of so many schools whose codes begin alike.
func fileOfSchools(prefix string, n int) []byte {
	var b strings.Builder
	b.WriteString("School name,Code,Time zone,Currency,First name,E-mail\n")
	for i := range n {
		fmt.Fprintf(&b, "School %d,%s-%d,Asia/Kolkata,inr,Asha,office@%s-%d.test\n", i, prefix, i, prefix, i)
	}
	return []byte(b.String())
}

func found(t *testing.T, super *testkit.Client, prefix string) api.Page[school.School] {
	t.Helper()
	return testkit.Get[api.Page[school.School]](t, super, "/super-admin/school/list?limit=50&filters%5Bsearch%5D="+prefix)
}

func TestImport_FileOfSchools_AllBecomeReady(t *testing.T) {
	t.Parallel()
	super := testkit.Shared(t).SuperAdmin(t)
	prefix := "b" + uuid.NewString()[:8]
	a := super.Send(t, "POST", "/super-admin/school/import", "text/csv", fileOfSchools(prefix, 3))
	var got school.SchoolBatch
	if a.Read(t, &got); a.Status != 201 || got.Schools != 3 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	testkit.Eventually(t, "all schools are active", func() bool {
		active := 0
		for _, s := range found(t, super, prefix).Items {
			if s.Status == "ACTIVE" {
				active++
			}
		}
		return active == 3
	})
}

func TestImport_OneSchoolIsWrong_NoneIsMade(t *testing.T) {
	t.Parallel()
	super := testkit.Shared(t).SuperAdmin(t)
	prefix := "b" + uuid.NewString()[:8]
	file := append(fileOfSchools(prefix, 2), fmt.Sprintf("Again,%s-1,Asia/Kolkata,INR,Asha,again@%s.test\n", strings.ToUpper(prefix), prefix)...)
	a := super.Send(t, "POST", "/super-admin/school/import", "text/csv", file)
	if f := a.Failure(t); a.Status != 422 || len(f.Details) != 1 || f.Details[0].Field != "schools[2].code" {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	if n := found(t, super, prefix).Total; n != 0 {
		t.Errorf("%d schools were made", n)
	}
}

func TestImport_DryRun_MakesNone(t *testing.T) {
	t.Parallel()
	super := testkit.Shared(t).SuperAdmin(t)
	prefix := "b" + uuid.NewString()[:8]
	a := super.Send(t, "POST", "/super-admin/school/import?dryRun=true", "text/csv", fileOfSchools(prefix, 2))
	var got school.SchoolBatch
	if a.Read(t, &got); !got.DryRun || got.Schools != 2 {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	if n := found(t, super, prefix).Total; n != 0 {
		t.Errorf("%d schools were made", n)
	}
}

// noMail is a service without a mail server.
type noMail struct{ auth.Messenger }

func (noMail) Ready(string) error { return api.Unavailable("Messages cannot be sent at the moment") }

func TestOnboarding_NobodyCanBeInvited_IsRefused(t *testing.T) {
	t.Parallel()
	app := testkit.Start(t)
	app.Service.Auth.Messages = noMail{app.Service.Auth.Messages}
	super := app.SuperAdmin(t)
	prefix := "b" + uuid.NewString()[:8]
	if a := super.Send(t, "POST", "/super-admin/school/import", "text/csv", fileOfSchools(prefix, 2)); a.Status != 503 {
		t.Errorf("a file: %d %s", a.Status, a.Body)
	}
	one := func(admin map[string]any) int {
		return super.Call(t, "POST", "/super-admin/school/create", map[string]any{"name": "One", "code": prefix, "timeZone": "Asia/Kolkata",
			"currency": "INR", "admin": admin}).Status
	}
	admin := map[string]any{"firstName": "Asha", "email": "office@" + prefix + ".test"}
	if got := one(admin); got != 503 {
		t.Errorf("a school whose administrator has no password: %d, want 503", got)
	}
	if n := found(t, super, prefix).Total; n != 0 {
		t.Errorf("%d schools were made", n)
	}
	admin["password"] = "nobody has to be told"
	if got := one(admin); got != 201 {
		t.Errorf("one whose administrator has a password: %d, want 201", got)
	}
}
