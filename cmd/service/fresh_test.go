package service_test

import (
	"regexp"
	"testing"

	"homeroom/api"
	"homeroom/testkit"
)

// dangerous are the rows that must ask for a fresh proof: a new one of their kind does
// too, or is named in harmless with its reason.
var dangerous = []*regexp.Regexp{
	regexp.MustCompile(`^(GET|POST) /super-admin/school/:id/export$`),
	regexp.MustCompile(`/(archive|erase|personal-data|confirm|reset-factor|suspend)$`),
	regexp.MustCompile(`^GET /school-admin/(student|employee)/export$`),
	regexp.MustCompile(`^(POST|PUT|DELETE) /school-admin/employee/(create|import|:id)$`),
	regexp.MustCompile(`^PUT /school-admin/setting$`),
	regexp.MustCompile(`^(POST|PUT|DELETE) /super-admin/(node|operator)/`),
	regexp.MustCompile(`^POST /super-admin/school/:id/move`),
	regexp.MustCompile(`^(POST|PUT|DELETE) /school-admin/permission/`),
	regexp.MustCompile(`^POST /school-admin/integration/.*(create|secret)$`),
	regexp.MustCompile(`^(PUT|DELETE) /school-admin/integration/`),
	regexp.MustCompile(`^(POST|DELETE) /auth/second-factor/(totp|passkey|recovery-codes)`),
	regexp.MustCompile(`^POST /super-admin/admin/(create|:id/enable)$`),
}

var harmless = map[string]string{
	"POST /auth/second-factor/enrol/confirm":         "it is part of a sign-in",
	"POST /auth/console/second-factor/enrol/confirm": "it is part of a sign-in",
	"POST /school-admin/announcement/:id/archive":    "it can be restored",
}

func TestDangerousRows_AskForAFreshProof(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	s := app.NewSchool(t)
	clients := everyone(t, s)
	for _, c := range clients {
		exec(t, app, `update platform.session set proved_at = now() - interval '11 minutes' where id = $1`, c.SessionID)
	}
	asked := 0
	for _, r := range app.Service.Kernel.Rows {
		for _, kind := range dangerous {
			if kind.MatchString(r.Name()) && !r.Twin && !r.Fresh && r.SometimesFresh == "" && harmless[r.Name()] == "" {
				t.Errorf("%s asks for no fresh proof", r.Name())
			}
		}
		if !r.Fresh {
			continue
		}
		asked++
		role := api.SchoolAdmin
		if len(r.Roles) > 0 {
			role = r.Roles[0]
		}
		if a := call(t, clients[role], r); a.Status != 403 || a.Failure(t).Error != "REAUTHENTICATION_NEEDED" {
			t.Errorf("%s with an old proof: %d %s", r.Name(), a.Status, a.Body)
		}
	}
	if asked < 25 {
		t.Errorf("only %d rows ask for a fresh proof", asked)
	}
}
