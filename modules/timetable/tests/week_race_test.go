package timetable_test

import (
	"strings"
	"sync"
	"testing"

	"homeroom/modules/roster"
	"homeroom/modules/timetable"
	"homeroom/testkit"
)

func TestWeek_OneTeacherTwiceAtOnce_OneWins(t *testing.T) {
	t.Parallel()
	r := newStaffroom(t)
	e := r.employ(t, "Meera")
	overlapping := r.period(t, "Double", "09:30", "10:15")
	for round := range 5 {
		for _, d := range []roster.Division{r.a, r.b} {
			testkit.Put[timetable.DivisionWeek](t, r.admin, weekPath(d), week())
		}
		periods := []timetable.Period{r.first, r.first}
		if round%2 == 1 {
			periods[1] = overlapping
		}
		answers := make([]testkit.Answer, 2)
		var group sync.WaitGroup
		for i, d := range []roster.Division{r.a, r.b} {
			group.Go(func() {
				answers[i], _ = r.admin.TryCall("PUT", weekPath(d), week(lesson(1, periods[i], r.maths, e.ID, "")))
			})
		}
		group.Wait()
		lost := answers[0]
		if lost.Status == 200 {
			lost = answers[1]
		}
		if answers[0].Status+answers[1].Status != 200+409 {
			t.Fatalf("%d %s / %d %s", answers[0].Status, answers[0].Body, answers[1].Status, answers[1].Body)
		}
		if f := lost.Failure(t); !strings.Contains(f.Message, "Class 5 A") || !strings.Contains(f.Message, "Class 5 B") {
			t.Errorf("message %q", f.Message)
		}
	}
}

func TestWeek_SetManyTimesAtOnce_IsNeverMixed(t *testing.T) {
	t.Parallel()
	r := newStaffroom(t)
	e := r.employ(t, "Meera")
	var group sync.WaitGroup
	for i := range 12 {
		group.Go(func() {
			d, subject := r.a, r.maths
			if i%2 == 1 {
				d, subject = r.b, r.art
			}
			a, err := r.admin.TryCall("PUT", weekPath(d),
				week(lesson(1+i%3, r.first, subject, e.ID, "Lab"), lesson(1+i%3, r.second, subject, e.ID, "Lab")))
			if err != nil || (a.Status != 200 && a.Status != 409) {
				t.Errorf("%v %d %s", err, a.Status, a.Body)
			}
		})
	}
	group.Wait()
	for _, d := range []roster.Division{r.a, r.b} {
		if n := r.Count(t, "timetable_slot", "division_id = ?", d.ID); n != 0 && n != 2 {
			t.Errorf("%d lessons: weeks were mixed", n)
		}
	}
}
