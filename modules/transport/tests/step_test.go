package transport_test

import (
	"slices"
	"testing"
	"time"

	"homeroom/modules/notification"
	"homeroom/testkit"
)

func TestTrip_Pushes_AreTwoUnlessEveryStepIsAskedFor(t *testing.T) {
	t.Parallel()
	all := []string{"Off the bus", "On the bus", "The bus has started", "The bus is near"}
	for direction, two := range map[string][]string{
		"pickup":  {"On the bus", "The bus is near"},
		"dropoff": {"Off the bus", "The bus is near"},
	} {
		t.Run(direction, func(t *testing.T) {
			t.Parallel()
			d := newDepot(t, 0)
			d.route = d.newRoute(t, "Lake Road", direction, d.bus.ID)
			plain, curious := d.admit(t, "Asha"), d.admit(t, "Bala")
			entries := []any{}
			for _, c := range []child{plain, curious} { // both at the first stop
				entries = append(entries, map[string]any{"studentId": c.id, "stopId": d.route.Stops[0].ID})
			}
			testkit.Put[struct{}](t, d.admin, "/school-admin/transport/route/"+d.route.ID.String()+"/students", map[string]any{"students": entries})
			now := testkit.Put[notification.PreferencesNow](t, curious.parent, "/parent/notification/preferences",
				map[string]any{"preferences": []any{map[string]any{"type": "TRANSPORT", "push": true, "details": true}}})
			for _, p := range now.Preferences {
				if p.Details != (p.Type == "TRANSPORT") {
					t.Errorf("%s: details %v", p.Type, p.Details)
				}
			}
			trip := d.start(t)
			near := func() {
				d.send(t, trip, at(-0.1, time.Second))
				testkit.Eventually(t, "the bus is near", func() bool { return d.told(t, plain.parent, "The bus is near") == 1 })
			}
			if direction == "pickup" {
				near()
			}
			for _, c := range []child{plain, curious} {
				d.board(t, trip, c, "boarded")
			}
			if direction == "dropoff" {
				near()
			}
			for _, c := range []child{plain, curious} {
				d.board(t, trip, c, "alighted")
			}
			testkit.Eventually(t, "all of it is queued", func() bool { return d.Count(t, "outbox", "kind = 'notices.due'") == 0 })
			for _, of := range []struct {
				who  child
				want []string
			}{{plain, two}, {curious, all}} {
				if n := d.told(t, of.who.parent, "%"); n != len(all) {
					t.Errorf("%s: the log has %d lines, want %d", of.who.name, n, len(all))
				}
				var got []string
				if err := d.DB(t).Raw(`select title from delivery where channel = 'PUSH' and user_id = ? and title <> 'School bus'`,
					of.who.parent.UserID).Scan(&got).Error; err != nil {
					t.Fatal(err)
				}
				if slices.Sort(got); !slices.Equal(got, of.want) {
					t.Errorf("%s: pushed %q, want %q", of.who.name, got, of.want)
				}
			}
		})
	}
}

func TestNear_PositionsCameLate_FamiliesHearOfItOnce(t *testing.T) {
	t.Parallel()
	for name, points := range map[string]func() []map[string]any{
		"the last one is minutes old": func() []map[string]any { return []map[string]any{at(-0.1, 4*time.Minute)} },
		"a late one, then one of now": func() []map[string]any { return []map[string]any{at(-0.15, 4*time.Minute), at(-0.1, time.Second)} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDepot(t, 1)
			trip := d.start(t)
			if got := d.send(t, trip, points()...); len(got.Refused) != 0 {
				t.Fatalf("refused %+v", got)
			}
			testkit.Eventually(t, "the family hears that the bus is near", func() bool { return d.told(t, d.children[0].parent, "The bus is near") == 1 })
			d.send(t, trip, at(-0.08, 0))
			testkit.Eventually(t, "the bus is shown", func() bool { l := d.live(t).Location; return l != nil && l.Lat == baseLat-0.08*step })
			if n := d.told(t, d.children[0].parent, "The bus is near"); n != 1 {
				t.Errorf("they heard it %d times", n)
			}
		})
	}
}
