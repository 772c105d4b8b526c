package transport

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/notice"
	"homeroom/tenancy"
)

// rideEndedAfter is how long the family of a rider who was taken off a route is not told of it: an office moves a rider by
// taking them off one route and putting them on another, and the family hears of the other alone.
const rideEndedAfter = 5 * time.Minute

// rideEnded is the beginning of the keys of these notices. The direction, the route, the stop and the moment follow.
const rideEnded = "transport.ride-ended"

// riderNews is what changes for the riders of a route from a day on: who rides no longer, and who does.
type riderNews struct {
	route        Route
	from         api.Date
	gone, joined []riderEntry

	before map[uuid.UUID]uuid.UUID // by student: the stop of the ride that was ended a moment ago, or by this change
	names  map[uuid.UUID]string    // of students
	stops  map[uuid.UUID]namedStop
	bus    string
}

type namedStop struct {
	ID          uuid.UUID
	Name, Route string
	At          string // as 07:10; empty: not said
}

// tell tells the families of riders what they ride, or that they do not any more, and the driver of a trip that begins soon who
// is to be expected.
func (n riderNews) tell(c api.Ctx) error {
	if len(n.gone)+len(n.joined) == 0 {
		return nil
	}
	if err := n.withdrawEnded(c); err != nil {
		return err
	}
	if err := n.read(c); err != nil {
		return err
	}
	begins, err := nextTrip(c, `route_id = $2 and trip_date >= '`+n.from.String()+`'`, n.route.ID)
	if err != nil {
		return err
	}
	if begins.IsZero() && c.Today().Before(n.from) {
		begins = n.from.In(c.School.Location())
	}
	rides := map[uuid.UUID]bool{}
	for _, r := range n.joined {
		rides[r.StudentID] = true
		if n.before[r.StudentID] == r.StopID {
			continue
		}
		n.send(c, r, begins)
	}
	var off []riderEntry
	for _, r := range n.gone {
		if !rides[r.StudentID] {
			off = append(off, r)
			n.sendEnded(c, r, begins)
		}
	}
	return n.tellDrivers(c, off)
}

// withdrawEnded takes back what the families of those who ride again, the same way, were to hear in a moment.
func (n *riderNews) withdrawEnded(c api.Ctx) error {
	n.before = map[uuid.UUID]uuid.UUID{}
	for _, r := range n.gone {
		n.before[r.StudentID] = r.StopID
	}
	var students []uuid.UUID
	for _, r := range n.joined {
		students = append(students, r.StudentID)
	}
	var keys []string
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select key from notice where told_at is null and student_id = any($1) and key like $2`,
		Args: []any{students, rideEnded + ":" + n.route.Direction + ":%"}, Scan: tenancy.Values(&keys)})
	if err != nil {
		return fmt.Errorf("looking for riders who were taken off a route: %w", err)
	}
	if len(keys) == 0 {
		return nil
	}
	withdrawn, err := notice.Withdraw(c.DB, keys...)
	if err != nil {
		return err
	}
	for _, key := range withdrawn {
		change, student, _ := strings.Cut(key, "/")
		id, err := uuid.Parse(student)
		if err != nil {
			return fmt.Errorf("reading the key %q: %w", key, err)
		}
		if n.before[id], err = uuid.Parse(strings.Split(change, ":")[3]); err != nil {
			return fmt.Errorf("reading the key %q: %w", key, err)
		}
	}
	return nil
}

// read names the students, the stops and the bus.
func (n *riderNews) read(c api.Ctx) error {
	stops := slices.Collect(maps.Values(n.before))
	var students []uuid.UUID
	for _, r := range slices.Concat(n.gone, n.joined) {
		students, stops = append(students, r.StudentID), append(stops, r.StopID)
	}
	var people []struct {
		ID                  uuid.UUID
		FirstName, LastName string
	}
	var places []namedStop
	var buses []string
	err := tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `select id, first_name, last_name from student where id = any($1)`, Args: []any{students},
			Scan: tenancy.Collect(&people)},
		tenancy.Query{SQL: `select p.id, p.name, r.name as route, coalesce(to_char(p.planned_time, 'HH24:MI'), '') as at
			from stop p join route r on r.id = p.route_id where p.id = any($1)`, Args: []any{stops}, Scan: tenancy.Collect(&places)},
		tenancy.Query{SQL: `select bus_number from bus where id = $1`, Args: []any{n.route.BusID}, Scan: tenancy.Values(&buses)})
	if err != nil {
		return fmt.Errorf("naming riders: %w", err)
	}
	n.names, n.stops = map[uuid.UUID]string{}, map[uuid.UUID]namedStop{}
	for _, p := range people {
		n.names[p.ID] = roster.FullName(p.FirstName, p.LastName)
	}
	for _, p := range places {
		n.stops[p.ID] = p
	}
	n.bus = strings.Join(buses, "")
	return nil
}

// notice is what one rider's family hears.
func (n riderNews) notice(c api.Ctx, r riderEntry, text, key string, begins time.Time, values notice.Values) notice.Notice {
	values["route"], values["way"] = n.route.Name, notice.Text{Name: "way." + n.route.Direction}
	values["days"] = notice.Text{Name: "days.onwards"}
	if c.Today().Before(n.from) {
		values["days"] = notice.Text{Name: "days.from", Values: notice.Values{"date": n.from}}
	}
	return notice.ToEach([]notice.Concerned{{StudentID: &r.StudentID, Name: n.names[r.StudentID]}}, notice.Notice{
		Type: notice.Transport, Key: fmt.Sprintf("%s:%s:%s:%s:%d", key, n.route.Direction, n.route.ID, r.StopID, c.Now.UnixNano()),
		RecordID: n.route.ID, Begins: begins, Text: notice.Text{Name: text, Values: values},
	})[0]
}

func (n riderNews) send(c api.Ctx, r riderEntry, begins time.Time) {
	text, stop := "transport.ride-given", n.stops[r.StopID]
	values := notice.Values{"bus": n.bus, "stop": stop.Name, "time": ""}
	if stop.At != "" {
		values["time"] = notice.Text{Name: "transport.stop-time", Values: notice.Values{"to": stop.At}}
	}
	if id, rode := n.before[r.StudentID]; rode {
		text, values["before"] = "transport.ride-moved", n.stops[id].Route+", "+n.stops[id].Name
	}
	notice.Send(c, n.notice(c, r, text, text, begins, values))
}

func (n riderNews) sendEnded(c api.Ctx, r riderEntry, begins time.Time) {
	ended := n.notice(c, r, "transport.ride-ended", rideEnded, begins, notice.Values{})
	ended.DueAt = c.Now.Add(rideEndedAfter)
	notice.Send(c, ended)
}

// tellDrivers tells who drives the route's next trip, if it begins soon or is under way, whom to expect.
func (n riderNews) tellDrivers(c api.Ctx, off []riderEntry) error {
	var trips []struct {
		ID, UserID       uuid.UUID
		TripDate         api.Date
		ScheduledStartAt time.Time
	}
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select distinct on (e.user_id) t.id, e.user_id, t.trip_date, t.scheduled_start_at
		from trip t join employee e on e.id = ` + driverOf + `
		where t.route_id = $1 and t.trip_date >= greatest($2::date, $3::date) and e.user_id is not null
			and t.status in ('scheduled', 'in_progress', 'paused') order by e.user_id, t.scheduled_start_at`,
		Args: []any{n.route.ID, n.from, c.Today()}, Scan: tenancy.Collect(&trips)})
	if err != nil {
		return fmt.Errorf("looking for a route's drivers: %w", err)
	}
	var joined, moved []riderEntry
	for _, r := range n.joined {
		if before, rode := n.before[r.StudentID]; !rode || n.stops[before].Route != n.route.Name {
			joined = append(joined, r)
		} else if before != r.StopID {
			moved = append(moved, r)
		}
	}
	values := notice.Values{"route": n.route.Name, "way": notice.Text{Name: "way." + n.route.Direction}}
	for name, list := range map[string][]riderEntry{"new": joined, "gone": off, "moved": moved} {
		values[name] = ""
		if len(list) > 0 {
			values[name] = notice.Text{Name: "transport.riders-" + name, Values: notice.Values{"list": n.list(list)}}
		}
	}
	if len(joined)+len(off)+len(moved) == 0 {
		return nil
	}
	for _, t := range trips {
		if !notice.IsSoon(c.Now, t.ScheduledStartAt) {
			continue
		}
		own := maps.Clone(values)
		own["date"] = notice.On(t.TripDate)
		notice.Send(c, notice.ToEach([]notice.Concerned{{UserID: &t.UserID}}, notice.Notice{
			Type: notice.Transport, Key: fmt.Sprintf("transport.driver-riders:%s:%d", n.route.ID, c.Now.UnixNano()), RecordID: t.ID,
			Day: t.TripDate, Begins: t.ScheduledStartAt, Text: notice.Text{Name: "transport.driver-riders", Values: own},
		})...)
	}
	return nil
}

// list is riders with their stops, as Asha Rao (Temple).
func (n riderNews) list(riders []riderEntry) string {
	words := make([]string, len(riders))
	for i, r := range riders {
		words[i] = n.names[r.StudentID] + " (" + n.stops[r.StopID].Name + ")"
	}
	return strings.Join(words, ", ")
}
