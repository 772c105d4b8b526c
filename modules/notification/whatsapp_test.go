package notification_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/delivery"
	"homeroom/modules/notification"
	"homeroom/testkit"
)

// A receipt and a report card go with what tells of them, to who may see them in the app, and nothing with the rest.
func TestWhatsApp_ReceiptAndReportCard_AreDocuments(t *testing.T) {
	t.Parallel()
	meta := testkit.NewWhatsApp(t)
	app, sent, clock := apart(t, func(c *config.Config, o *service.Options) {
		c.WhatsAppSecret = meta.Secret
		o.Drivers[delivery.WhatsApp] = meta.Driver([]string{"notice", "FEE+PDF=receipt", "RESULT+PDF=report"}, []string{"en"})
	})
	o := newOffice(t, app.NewSchool(t))
	asha, bala := o.Child(t, o.seat, 2), o.Child(t, o.seat, 0)
	mother, father := asha.Parents[0], asha.Parents[1]
	o.Link(t, mother, bala.ID)
	sent.without(father.UserID)
	for _, kind := range []string{"FEE", "RESULT"} {
		o.rule(t, kind, []string{"WHATSAPP", "SMS"})
	}
	testkit.Put[any](t, mother, "/parent/notification/preferences", map[string]any{"preferences": []any{}, "whatsApp": true})
	// next is the next message, and what its paper says.
	next := func(template string) (words string, paper testkit.Printed) {
		t.Helper()
		before := len(meta.Sent())
		testkit.Eventually(t, "it is sent", func() bool { return len(meta.Sent()) > before })
		o.settled(t, clock)
		m := meta.Sent()[len(meta.Sent())-1]
		if n := len(meta.Sent()) - before; n != 1 || m.Template.Name != template {
			t.Errorf("%d messages, the last by %s; want one by %s", n, m.Template.Name, template)
		}
		if p := meta.Paper(m); p.Body != nil {
			paper = testkit.ReadPaper(t, p.Body)
			if !strings.HasSuffix(p.Name, ".pdf") {
				t.Errorf("the paper is called %q", p.Name)
			}
		}
		return strings.Join(m.Words(), " "), paper
	}
	pay := func(children ...testkit.Child) {
		t.Helper()
		for _, c := range children {
			o.Owe(t, c.ID, 100000, api.DateOf(clock.Now().In(o.Location())))
		}
		testkit.Post[any](t, o.admin, "/school-admin/fee/collection/family", map[string]any{"studentId": asha.ID,
			"amount": 100000 * len(children), "paymentMode": "CASH"})
	}

	pay(asha, bala)
	if words, paper := next("receipt"); len(paper.Pages) != 2 || !paper.Says("Receipt") || !strings.Contains(words, "was received") {
		t.Errorf("with %q come %d pages: %q", words, len(paper.Pages), paper.Pages)
	}
	if n := len(by(delivery.SMS, sent.got(o.ID))); n != 1 {
		t.Errorf("%d SMS to who has no WhatsApp, want 1 and no paper", n)
	}

	exam := testkit.Post[struct{ ID string }](t, o.admin, "/school-admin/exam/create",
		map[string]any{"name": "Half-yearly", "classIds": []any{o.seat.ClassID}}).ID
	subject := testkit.Post[struct{ ID string }](t, o.admin, "/school-admin/subject/create",
		map[string]any{"name": "Art", "code": "ART", "maxMarks": 100, "passMarks": 33}).ID
	papers := testkit.Post[struct{ Papers []struct{ ID string } }](t, o.admin, "/school-admin/exam/schedule", map[string]any{"examId": exam,
		"papers": []any{map[string]any{"classId": o.seat.ClassID, "subjectId": subject, "examDate": api.DateOf(clock.Now()), "startTime": "09:00",
			"endTime": "12:00"}}})
	testkit.Post[any](t, o.admin, "/school-admin/exam/result/upload", map[string]any{"examId": exam, "results": []any{
		map[string]any{"paperId": papers.Papers[0].ID, "studentId": asha.ID, "marksObtained": 81.5}}})
	testkit.Post[any](t, o.admin, "/school-admin/exam/"+exam+"/publish", map[string]any{"allowMissing": true})
	if _, paper := next("report"); len(paper.Pages) != 1 || !paper.Says("81.5 / 100") {
		t.Errorf("the report card has %d pages: %q", len(paper.Pages), paper.Pages)
	}

	o.tell(t, telling{Type: "FEE", Key: "a reminder", StudentID: &asha.ID})
	if _, paper := next("notice"); len(paper.Pages) != 0 {
		t.Errorf("with a reminder come %d pages", len(paper.Pages))
	}
}

func TestWhatsApp_WhoHasAgreed_GetsTheTemplateAndItsStatesAreKept(t *testing.T) {
	t.Parallel()
	meta := testkit.NewWhatsApp(t)
	app, sent, clock := apart(t, func(c *config.Config, o *service.Options) {
		c.WhatsAppSecret, c.WhatsAppVerify = meta.Secret, "verify"
		o.Drivers[delivery.WhatsApp] = meta.Driver([]string{"notice", "ATTENDANCE=absence"}, []string{"en", "hi"})
	})
	o := newOffice(t, app.NewSchool(t))
	asha := o.Child(t, o.seat, 2)
	agreed, not := asha.Parents[0], asha.Parents[1]
	o.rule(t, "ATTENDANCE", []string{"WHATSAPP", "SMS"})
	if now := testkit.Put[notification.PreferencesNow](t, agreed, "/parent/notification/preferences",
		map[string]any{"preferences": []any{}, "whatsApp": true}); !now.WhatsApp {
		t.Error("who agreed has not")
	}
	tell := func(key string, whatsApps, texts int) {
		t.Helper()
		o.tell(t, telling{Type: "ATTENDANCE", Key: key, StudentID: &asha.ID})
		testkit.Eventually(t, fmt.Sprintf("there are %d messages by WhatsApp and %d SMS", whatsApps, texts), func() bool {
			return len(meta.Sent()) == whatsApps && len(by(delivery.SMS, sent.got(o.ID))) == texts
		})
		o.settled(t, clock)
	}

	tell("1", 1, 1)
	m := meta.Sent()[0]
	if got, want := fmt.Sprint(m.Template.Name, m.Template.Language.Code, m.Words()), fmt.Sprint("absence", "en", []string{o.Name, "Asha", "The whole truth, with 42 marks"}); got != want {
		t.Errorf("Meta got %s, want %s", got, want)
	}
	if got, want := "+"+m.To, o.Phone(t, agreed); got != want {
		t.Errorf("it went to %s, want %s", got, want)
	}
	if to := by(delivery.SMS, sent.got(o.ID))[0].To; to != o.Phone(t, not) {
		t.Errorf("the SMS went to %s, want to who has not agreed", to)
	}
	if status := meta.Report(app, m, "read", 0); status != 200 {
		t.Fatalf("a report is answered %d, want 200", status)
	}
	if r := o.reach(t, recordID); r.Read != 1 || r.Ways[0].Way != "WHATSAPP" || r.Ways[0].Delivered != 1 {
		t.Errorf("after it was read there it is %+v", r)
	}

	tell("2", 2, 2)
	meta.Report(app, meta.Sent()[1], "failed", 131026)
	testkit.Eventually(t, "an SMS follows to a number without WhatsApp", func() bool { return len(by(delivery.SMS, sent.got(o.ID))) == 3 })
	tell("3", 2, 5)
	meta.Write(app, o.Phone(t, agreed), "Start")
	tell("4", 3, 6)

	// Three were sent today: over the limit the next way is used.
	testkit.Put[any](t, o.admin, "/school-admin/setting", map[string]any{"whatsAppDailyLimit": 3})
	tell("5", 3, 8)
	testkit.Put[any](t, o.admin, "/school-admin/setting", map[string]any{"whatsAppDailyLimit": 4})
	tell("6", 4, 9)
	o.admin.Refuses(t, "PUT", "/school-admin/setting", map[string]any{"whatsAppDailyLimit": -1}, 422, "")

	answer, err := http.Get(app.URL + "/delivery-report/whatsapp?hub.mode=subscribe&hub.verify_token=verify&hub.challenge=1158201444") //nolint:noctx // a test
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	if body, _ := io.ReadAll(answer.Body); string(body) != "1158201444" {
		t.Errorf("Meta's challenge is answered %d %q", answer.StatusCode, body)
	}
	meta.Secret = "another"
	if status := meta.Report(app, m, "failed", 0); status != 403 {
		t.Errorf("a report with another's signature is answered %d, want 403", status)
	}
}
