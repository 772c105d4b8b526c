package platform_test

import (
	"regexp"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/modules/platform"
	"homeroom/testkit"
)

var linkPattern = regexp.MustCompile(`token=([A-Za-z0-9_-]+)`)

const password = "correct horse battery staple"

// signedIn is the answer of a sign-in.
type signedIn struct {
	AccessToken string `json:"accessToken"`
}

func TestAnAdministratorIsInvitedKeptOutEverywhereAndLetInAgain(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	app := s.App
	super, email := app.SuperAdmin(t), uuid.NewString()[:8]+"@Green.test"
	want := map[string]any{"schoolId": s.ID, "firstName": "Asha", "lastName": "Rao", "email": email, "phone": testkit.NewPhone()}
	admin := testkit.Post[platform.Admin](t, super, "/super-admin/admin/create", want)
	if admin.SchoolID != s.ID || admin.Name != "Asha Rao" || admin.Status != "ACTIVE" || admin.SchoolName != s.Name {
		t.Fatalf("%+v", admin)
	}
	if s.Count(t, "audit_event", "entity = 'administrator' and actor_role = 'SUPER_ADMIN' and entity_id = ?", admin.UserID.String()) != 1 {
		t.Error("the school's own book says nothing of it")
	}
	super.Refuses(t, "POST", "/super-admin/admin/create", want, 409, "DUPLICATE_ENTRY")
	if bad := super.Refuses(t, "POST", "/super-admin/admin/create", map[string]any{"schoolId": s.ID, "firstName": " ", "email": "nobody"},
		422, ""); len(bad.Details) != 2 {
		t.Errorf("%+v", bad.Details)
	}
	super.Refuses(t, "POST", "/super-admin/admin/create",
		map[string]any{"schoolId": uuid.New(), "firstName": "Asha", "email": "x@green.test"}, 404, "SCHOOL_NOT_FOUND")

	// A second invitation ends the first link.
	path := "/super-admin/admin/" + admin.ID.String()
	first := linkToken(t, app, *admin.Email)
	testkit.Post[platform.Admin](t, super, path+"/invite", nil)
	second := linkToken(t, app, *admin.Email)
	app.Nobody().Refuses(t, "POST", "/auth/password/reset", map[string]any{"token": first, "password": password}, 400, "")
	testkit.Post[struct{}](t, app.Nobody(), "/auth/password/reset", map[string]any{"token": second, "password": password})
	login := map[string]any{"email": *admin.Email, "password": password}
	token := testkit.Post[signedIn](t, app.Nobody(), "/auth/login", login).AccessToken
	me := &testkit.Client{Token: token}
	me = me.On(app)
	testkit.Get[struct{}](t, me, "/school-admin/setting")

	// Another instance remembers the session, too, and would for ever.
	now := time.Now()
	elsewhere := testkit.Start(t, func(_ *config.Config, o *service.Options) { o.Clock = func() time.Time { return now } })
	testkit.Get[struct{}](t, me.On(elsewhere), "/school-admin/setting")
	if got := testkit.Post[platform.Admin](t, super, path+"/disable", nil); got.Status != "DISABLED" {
		t.Errorf("%+v", got)
	}
	testkit.Eventually(t, "both instances send them away", func() bool {
		return me.Call(t, "GET", "/school-admin/setting", nil).Status == 401 &&
			me.On(elsewhere).Call(t, "GET", "/school-admin/setting", nil).Status == 401
	})
	app.Nobody().Refuses(t, "POST", "/auth/login", login, 400, "PASSWORD_WRONG")
	super.Refuses(t, "POST", path+"/invite", nil, 409, "")
	// What the school does, and the comparison of the directory with it, let nobody in.
	if _, err := app.Service.Auth.RepairDirectory(t.Context(), s.ID); err != nil {
		t.Fatal(err)
	}
	if err := app.Service.Auth.Enter(t.Context(), s.ID, admin.UserID, api.SchoolAdmin, "", *admin.Email); err != nil {
		t.Fatal(err)
	}
	app.Nobody().Refuses(t, "POST", "/auth/login", login, 400, "PASSWORD_WRONG")
	if list := testkit.Get[api.Page[platform.Admin]](t, super,
		asked("/super-admin/admin/list", "schoolId", s.ID.String(), "status", "DISABLED")); list.Total != 1 || list.Items[0].ID != admin.ID {
		t.Errorf("%+v", list)
	}
	if got := testkit.Post[platform.Admin](t, super, path+"/enable", nil); got.Status != "ACTIVE" {
		t.Errorf("%+v", got)
	}
	me.Refuses(t, "GET", "/school-admin/setting", nil, 401, "") // old sessions stay ended
	testkit.Post[signedIn](t, app.Nobody(), "/auth/login", login)
	if list := testkit.Get[api.Page[platform.Admin]](t, super,
		asked("/super-admin/admin/list", "search", "asha rao", "schoolId", s.ID.String())); list.Total != 1 || list.Items[0].LastUsedAt == nil {
		t.Errorf("%+v", list)
	}

	parent := s.As(t, api.Parent)
	for _, action := range []string{"disable", "enable", "invite"} {
		super.Refuses(t, "POST", "/super-admin/admin/"+parent.AccountID.String()+"/"+action, nil, 404, "")
	}
	var actions []string
	for _, e := range booked(t, super, "schoolId", s.ID.String(), "entity", "administrator", "actorId", super.UserID.String()).Items {
		actions = append(actions, e.Action)
	}
	if len(actions) != 4 || actions[0] != "enable" || actions[1] != "disable" || actions[2] != "invite" || actions[3] != "create" {
		t.Errorf("the book says %v", actions)
	}
}

func TestAccountsAreFoundByTheBeginningOfAPhoneOrAnEmailAndSignedOut(t *testing.T) {
	t.Parallel()
	s, other := testkit.NewSchool(t), testkit.NewSchool(t)
	super, phone := s.App.SuperAdmin(t), testkit.NewPhones()+"0001" // nobody else's begins like it
	type found struct {
		Accounts []platform.Account `json:"accounts"`
		More     bool               `json:"more"`
	}
	search := func(query string, more ...string) found {
		t.Helper()
		return testkit.Get[found](t, super, "/super-admin/account/search?query="+escape(query)+join(more))
	}
	here := s.Add(t, testkit.Person{Role: api.Parent, Phone: phone, Email: "meera_" + phone[1:] + "@home.test"})
	other.Add(t, testkit.Person{Role: api.Teacher, Phone: phone})
	if got := search(phone[:3] + " " + phone[3:]); len(got.Accounts) != 2 || got.Accounts[0].Phone != phone ||
		*got.Accounts[0].SchoolName == "" {
		t.Errorf("%+v", got)
	}
	if got := search(phone, "role", "PARENT"); len(got.Accounts) != 1 || got.Accounts[0].UserID != here.UserID {
		t.Errorf("%+v", got)
	}
	if got := search(phone, "schoolId", other.ID.String()); len(got.Accounts) != 1 || got.Accounts[0].Role != "TEACHER" {
		t.Errorf("%+v", got)
	}
	got := search(phone[:len(phone)-1], "role", "PARENT")
	if len(got.Accounts) != 1 || got.Accounts[0].Phone == phone ||
		got.Accounts[0].Phone[len(got.Accounts[0].Phone)-3:] != phone[len(phone)-3:] || got.Accounts[0].Email != "m•••@home.test" {
		t.Errorf("what was not typed is shown: %+v", got)
	}
	if got := search("MEERA_" + phone[1:8]); len(got.Accounts) != 1 || got.Accounts[0].Email != "m•••@home.test" {
		t.Errorf("%+v", got)
	}
	if got := search("meera%"); len(got.Accounts) != 0 {
		t.Errorf("%% is an ordinary character: %+v", got)
	}
	super.Refuses(t, "GET", "/super-admin/account/search?query=ab", nil, 422, "")

	parent := s.As(t, api.Parent)
	testkit.Get[struct{}](t, parent, "/auth/me")
	ended := testkit.Post[platform.Revoked](t, super, "/super-admin/account/revoke-sessions",
		map[string]any{"accountId": parent.AccountID, "reason": "Phone was stolen"})
	if ended.Ended != 1 {
		t.Errorf("%+v", ended)
	}
	testkit.Eventually(t, "the parent is signed out", func() bool { return parent.Call(t, "GET", "/auth/me", nil).Status == 401 })
	if again := testkit.Post[platform.Revoked](t, super, "/super-admin/account/revoke-sessions",
		map[string]any{"accountId": parent.AccountID}); again.Ended != 0 {
		t.Errorf("%+v", again)
	}
	super.Refuses(t, "POST", "/super-admin/account/revoke-sessions", map[string]any{"accountId": uuid.New()}, 404, "")
	if book := booked(t, super, "schoolId", s.ID.String(), "action", "revoke-sessions"); book.Total != 2 ||
		book.Items[1].EntityID != parent.AccountID.String() || book.Items[0].ActorName == "" || book.Items[0].SchoolName != s.Name {
		t.Errorf("%+v", book)
	}
}
