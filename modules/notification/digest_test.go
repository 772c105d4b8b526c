package notification_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	"homeroom/api"
	"homeroom/delivery"
	"homeroom/modules/announcement"
	"homeroom/testkit"
)

func TestDigest_WhatCanWait_IsOneMessageAtTheSchoolsHour(t *testing.T) {
	t.Parallel()
	app, sent, clock := apart(t)
	school := app.NewSchool(t)
	clock.at(school, 10, 0)
	o := newOffice(t, school)
	asha := o.Child(t, o.seat, 2)
	waits, reads := asha.Parents[0], asha.Parents[1]
	sent.without(waits.UserID, reads.UserID)
	o.rule(t, "FEE", []string{"PUSH", "SMS"}, "digest", true)
	letters := func() []delivery.Message { return by(delivery.Email, sent.got(o.ID)) }

	for _, n := range []telling{
		{Type: "FEE", Key: "waits"}, {Type: "LIBRARY", Key: "waits too"}, // as a new school has it
		{Type: "FEE", Key: "urgent", Urgent: true}, {Type: "FEE", Key: "stale by then", Until: 2},
	} {
		n.StudentID = &asha.ID
		o.tell(t, n)
	}
	testkit.Eventually(t, "what cannot wait is sent", func() bool { return len(by(delivery.SMS, sent.got(o.ID))) == 4 })
	o.settled(t, clock)
	if n, lines := o.Count(t, "digest_entry", "true"), o.log(t, waits).Total; n != 4 || lines != 4 || len(letters()) != 0 {
		t.Errorf("%d entries wait for two parents, want 4; the log has %d lines, want 4; %d e-mails, want none", n, lines, len(letters()))
	}
	testkit.Post[api.Nothing](t, reads, "/parent/notification/read-all", nil)
	clock.turn(8*time.Hour + time.Minute)
	testkit.Eventually(t, "the digest is sent, by the next way of its rule", func() bool { return len(letters()) == 1 })
	o.settled(t, clock)
	if m := letters()[0]; len(letters()) != 1 || m.To != waits.UserID.String()+"@parents.test" || m.Title != "Today from "+o.Name ||
		strings.Count(m.Body, "Asha: The whole truth") != 2 || strings.Count(m.Body, "\n") != 1 {
		t.Errorf("%d e-mails, the first to %s: %q %q", len(letters()), m.To, m.Title, m.Body)
	}
	if n := o.Count(t, "digest_entry", "true"); n != 0 {
		t.Errorf("%d entries wait still", n)
	}

	o.admin = o.As(t, api.SchoolAdmin) // the day before is over, and so is its token
	// Announcements are for many. One alone is said as it is.
	sent.without()
	o.rule(t, "ANNOUNCEMENT", []string{"PUSH"}, "digest", true)
	made := testkit.Post[announcement.View](t, o.admin, "/school-admin/announcement/create",
		map[string]any{"title": "Sports day", "body": "Bring water", "targetAudience": "PARENTS", "classIds": []any{o.seat.ClassID}})
	testkit.Post[struct{}](t, o.admin, "/school-admin/announcement/"+made.ID.String()+"/publish", nil)
	testkit.Eventually(t, "it waits for both", func() bool { return o.reach(t, made.ID).Waiting == 2 })
	o.settled(t, clock)
	before := len(sent.got(o.ID))
	clock.turn(24 * time.Hour)
	o.admin = o.As(t, api.SchoolAdmin)
	testkit.Eventually(t, "both get it", func() bool { return o.reach(t, made.ID).Reached == 2 })
	o.settled(t, clock)
	for _, m := range sent.got(o.ID)[before:] {
		if m.Channel != delivery.Push || m.Title != "Sports day" || m.RecordID == nil || *m.RecordID != made.ID {
			t.Errorf("it is sent as %+v", m)
		}
	}
	if n := len(sent.got(o.ID)) - before; n != 2 {
		t.Errorf("%d messages, want one for each parent", n)
	}

	// Without an hour there is no digest.
	testkit.Put[any](t, o.admin, "/school-admin/setting", map[string]any{"digestAt": ""})
	o.tell(t, telling{Type: "LIBRARY", Key: "at once", StudentID: &asha.ID})
	testkit.Eventually(t, "it is sent at once", func() bool { return len(sent.got(o.ID)) == before+5 })
	o.admin.Refuses(t, "PUT", rulesPath, map[string]any{"rules": []any{map[string]any{"type": "URGENT", "ways": []any{"PUSH"}, "digest": true}}},
		422, "")
}

func TestDigest_DueAtNight_ComesInTheMorningInEachOnesLanguage(t *testing.T) {
	t.Parallel()
	app, sent, clock := apart(t)
	school := app.NewSchool(t)
	clock.at(school, 20, 0)
	o := newOffice(t, school)
	asha := o.Child(t, o.seat, 2)
	sent.without(asha.Parents[0].UserID, asha.Parents[1].UserID)
	testkit.Put[any](t, asha.Parents[1], "/parent/notification/language", map[string]any{"language": "sw"})
	testkit.Put[any](t, o.admin, "/school-admin/setting", map[string]any{"digestAt": "22:00"})
	school.QuietHours(t, "21:00", "07:00")

	for _, key := range []string{"a book", "another book"} {
		o.tell(t, telling{Type: "LIBRARY", Key: key, StudentID: &asha.ID})
	}
	testkit.Eventually(t, "both wait", func() bool { return o.Count(t, "digest_entry", "true") == 4 })
	clock.turn(3 * time.Hour)
	testkit.Eventually(t, "the digest is made", func() bool { return o.Count(t, "digest_entry", "true") == 0 })
	o.settled(t, clock)
	if n := len(sent.got(o.ID)); n != 0 {
		t.Fatalf("%d messages at 23:00, want none before seven", n)
	}
	clock.turn(8*time.Hour + time.Minute)
	letters := func() []delivery.Message { return by(delivery.Email, sent.got(o.ID)) }
	testkit.Eventually(t, "each gets one", func() bool { return len(letters()) == 2 })
	o.settled(t, clock)
	titles := map[string]string{}
	for _, m := range letters() {
		titles[m.To] = m.Title
	}
	want := map[string]string{
		asha.Parents[0].UserID.String() + "@parents.test": "Today from " + o.Name,
		asha.Parents[1].UserID.String() + "@parents.test": "Habari za leo kutoka " + o.Name,
	}
	if !maps.Equal(titles, want) || len(letters()) != 2 {
		t.Errorf("%d e-mails, titles %v, want %v", len(letters()), titles, want)
	}
}
