package service_test

import (
	"net/http"
	"strings"
	"testing"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/testkit"
)

func init() { testkit.ShareWith(contractRows) }

// contractRows stand for kinds of rows that few or no clients have, so that
// what the contract says of them is tried too.
func contractRows(_ *config.Config, o *service.Options) {
	o.ExtraRows = append(o.ExtraRows, api.Rows(
		api.Get("/teacher/event/contract", "event", "Read", nothing),
		api.Query("/teacher/event/contract/query", "event", "Ask by POST", nothing),
		api.Post("/teacher/event/contract", "event", "Write", writesClass),
		api.Put("/teacher/event/contract", "event", "Change", writesClass),
		api.Remove("/teacher/event/contract", "event", "Remove", removesClass),
		api.Post("/teacher/exam/contract", "exam", "Write in exams", nothing),
		api.Post("/teacher/result/contract", "result", "Write in results", nothing),
		api.Post("/teacher/notification/contract", "notification", "Touch the own device", nothing, api.OpenInEvaluationMode),
		api.Get("/parent/fee/contract", "fee", "Read", nothing),
		api.Post("/parent/leave/contract", "leave", "Write", writesClass),
		api.Post("/driver/transport/contract", "transport", "Write while driving", writesClass, api.Limit(api.LimitRide)),
		api.Get("/any/event/contract", "event", "Read by everybody at the school", nothing, api.AnyRole),
	)...)
}

func nothing(api.Ctx, api.Nothing) (api.Nothing, error) { return api.Nothing{}, nil }

func writesClass(c api.Ctx, _ api.Nothing) (api.Nothing, error) {
	id := api.NewID()
	return api.Nothing{}, c.DB.Exec(`insert into class (id, name) values (?, ?)`, id, id.String()).Error
}

func removesClass(c api.Ctx, _ api.Nothing) error {
	_, err := writesClass(c, api.Nothing{})
	return err
}

func TestContract_HeadWhereGetIs_AnswersAlikeWithoutABody(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	checkHead(t, app.NewSchool(t), rowsOf(app))
}

// checkHead compares HEAD with GET.
func checkHead(t *testing.T, s *testkit.School, rows []api.Row) {
	t.Helper()
	app, admin := s.App, s.As(t, api.SchoolAdmin)
	for _, r := range rows {
		if r.Method != http.MethodGet {
			continue
		}
		who := app.Nobody()
		if strings.HasPrefix(r.Path, "/school-admin/") && !strings.Contains(r.Path, ":") {
			who = admin
		}
		if r.Answers().Event != nil {
			if a := who.Call(t, http.MethodHead, r.Path, nil); a.Status != 405 {
				t.Errorf("HEAD %s, a feed: %d", r.Path, a.Status)
			}
			continue
		}
		get, head := who.Call(t, http.MethodGet, r.Path, nil), who.Call(t, http.MethodHead, r.Path, nil)
		if head.Status != get.Status {
			t.Errorf("%s: %d to GET, %d to HEAD", r.Path, get.Status, head.Status)
		}
		if len(head.Body) > 0 {
			t.Errorf("HEAD %s has a body", r.Path)
		}
	}
}

func TestContract_ImportsAndOpeningEntries_SendNoNotices(t *testing.T) {
	t.Parallel()
	found := 0
	for _, r := range testkit.Shared(t).Service.Kernel.Rows {
		enters := strings.HasSuffix(r.Path, "/import") || strings.Contains(r.Path, "/opening-balance/")
		if r.Action != api.Write || !enters || !strings.HasPrefix(r.Path, "/school-admin/") {
			continue
		}
		if found++; !r.Silent {
			t.Errorf("%s %s enters what is past: it lacks api.Silent", r.Method, r.Path)
		}
	}
	if found < 5 {
		t.Errorf("%d rows enter what is past, want at least 5", found)
	}
}
