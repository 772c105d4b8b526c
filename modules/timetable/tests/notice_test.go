package timetable_test

import (
	"fmt"
	"strings"
	"testing"

	"homeroom/modules/roster"
	"homeroom/modules/timetable"
	"homeroom/testkit"
)

// told are the titles and texts that somebody was told, the oldest first.
func (r *staffroom) told(t *testing.T, e roster.EmployeeDetail) (out []string) {
	t.Helper()
	err := r.DB(t).Raw(`select n.title || ': ' || n.body from notification n where n.user_id = ? and n.type = 'TIMETABLE' order by n.created_at, n.id`,
		e.UserID).Scan(&out).Error
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestSubstitute_IsToldOnceOfTheLessonAndThatItIsTakenBack(t *testing.T) {
	t.Parallel()
	r := newStaffroom(t)
	day := comingMonday()
	meera, nila, omar := r.employ(t, "Meera"), r.employ(t, "Nila"), r.employ(t, "Omar")
	a := testkit.Put[timetable.DivisionWeek](t, r.admin, weekPath(r.a), week(lesson(1, r.first, r.maths, meera.ID, "")))
	assign := func(e roster.EmployeeDetail, note string) {
		t.Helper()
		testkit.Put[timetable.Cover](t, r.admin, coverPath, map[string]any{"date": day, "substitutions": []any{
			map[string]any{"slotId": a.Slots[0].ID, "substituteTeacherId": e.ID, "note": note}}})
	}
	where := "Mathematics for Class 5 A on " + day + ", Period 1 (09:00–09:45)"
	given, taken := "Substitution: You take "+where+". Page 12", "Substitution cancelled: You no longer take "+where+"."
	assign(nila, "Page 12")
	assign(nila, "Page 12")
	if got := r.told(t, nila); fmt.Sprint(got) != "["+given+"]" {
		t.Errorf("Nila was told %q, want once %q", got, given)
	}
	assign(omar, "")
	if got := r.told(t, nila); len(got) != 2 || got[1] != taken {
		t.Errorf("Nila was told %q, want last %q", got, taken)
	}
	if got := r.told(t, omar); len(got) != 1 || !strings.HasPrefix(got[0], "Substitution: ") {
		t.Errorf("Omar was told %q, want the lesson", got)
	}
	testkit.Put[timetable.DivisionWeek](t, r.admin, weekPath(r.a), week())
	if got := r.told(t, omar); len(got) != 2 || got[1] != taken {
		t.Errorf("Omar was told %q after the lesson was removed, want last %q", got, taken)
	}
	if got := r.told(t, meera); fmt.Sprint(got) != "[Timetable changed: The timetable of Meera has changed.]" {
		t.Errorf("Meera was told %q, want once that her timetable has changed", got)
	}
	if n := r.Count(t, "notification", "type = 'TIMETABLE' and user_id not in (?, ?, ?)", nila.UserID, omar.UserID, meera.UserID); n != 0 {
		t.Errorf("%d others were told", n)
	}
}

func TestSubstitute_RemovedOrPast_IsToldWhatIsStillToCome(t *testing.T) {
	t.Parallel()
	r := newStaffroom(t)
	meera, nila := r.employ(t, "Meera"), r.employ(t, "Nila")
	a := testkit.Put[timetable.DivisionWeek](t, r.admin, weekPath(r.a), week(lesson(1, r.first, r.maths, meera.ID, "")))
	const path = "/school-admin/timetable/substitution"
	testkit.Post[timetable.Substitution](t, r.admin, path, substitution(a.Slots[0], "2026-06-01", nila.ID))
	if got := r.told(t, nila); len(got) != 0 {
		t.Errorf("Nila was told %q of a day that is past", got)
	}
	s := testkit.Post[timetable.Substitution](t, r.admin, path, substitution(a.Slots[0], comingMonday(), nila.ID))
	if d := r.admin.Call(t, "DELETE", path+"/"+s.ID.String(), nil); d.Status != 204 {
		t.Fatalf("removing it: %d %s", d.Status, d.Body)
	}
	if got := r.told(t, nila); len(got) != 2 || !strings.HasPrefix(got[1], "Substitution cancelled: ") {
		t.Errorf("Nila was told %q, want the lesson and that it is taken back", got)
	}
}
