package transport

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/events"
	"homeroom/modules/roster"
	"homeroom/modules/transport/live"
	"homeroom/notice"
	"homeroom/tenancy"
)

type oneTap struct {
	TripID        uuid.UUID   `json:"tripId" validate:"required"`
	StudentID     uuid.UUID   `json:"studentId" validate:"required"`
	Status        string      `json:"status" validate:"required,oneof=boarded boaded alighted absent no_show"`
	ClientEventID string      `json:"clientEventId" validate:"max=100" doc:"Made by the phone: the same one counts once"`
	At            live.Moment `json:"at" doc:"By the phone's clock; now unless given"`
}

type manyTaps struct {
	TripID uuid.UUID  `json:"tripId" validate:"required"`
	Taps   []batchTap `json:"taps" validate:"min=1,max=500,dive"`
}

type batchTap struct {
	StudentID     uuid.UUID   `json:"studentId" validate:"required"`
	Status        string      `json:"status" validate:"required,oneof=boarded boaded alighted absent no_show"`
	ClientEventID string      `json:"clientEventId" validate:"required,max=100"`
	At            live.Moment `json:"at" validate:"required"`
}

// TapResult is what became of one tap of a batch.
type TapResult struct {
	ClientEventID string    `json:"clientEventId"`
	StudentID     uuid.UUID `json:"studentId"`
	Outcome       string    `json:"outcome" enum:"applied,known,refused" doc:"applied, known (it was sent before, or held already) or refused"`
	Status        string    `json:"status" enum:"waiting,boarded,alighted,absent,no_show,''" doc:"Where the rider stands now"`
	Message       string    `json:"message"`
	said          api.Phrase
}

// refuse says why the tap does not count.
func (r *TapResult) refuse(format string, args ...any) {
	r.Outcome, r.said = "refused", api.Say(format, args...)
	r.Message = r.said.String()
}

// Tapped is what became of a batch.
type Tapped struct {
	Results []TapResult `json:"results"`
	Applied int         `json:"applied"`
	Known   int         `json:"known"`
	Refused int         `json:"refused"`
}

func (m *Module) board(c api.Ctx, r oneTap) (Boarding, error) {
	if r.ClientEventID == "" {
		r.ClientEventID = api.NewID().String()
	}
	results, riders, err := tapAll(c, r.TripID, []tap{newTap(c, r.StudentID, r.Status, r.ClientEventID, r.At)})
	if err != nil {
		return Boarding{}, err
	}
	rider := riders[r.StudentID]
	switch {
	case rider == nil:
		return Boarding{}, roster.ErrNoStudent
	case results[0].Outcome == "refused":
		return Boarding{}, api.Conflict("%s", results[0].said)
	}
	return *rider, nil
}

func (m *Module) boardMany(c api.Ctx, r manyTaps) (Tapped, error) {
	taps := make([]tap, len(r.Taps))
	for i, t := range r.Taps {
		taps[i] = newTap(c, t.StudentID, t.Status, t.ClientEventID, t.At)
	}
	results, _, err := tapAll(c, r.TripID, taps)
	out := Tapped{Results: results}
	for _, t := range results {
		switch t.Outcome {
		case "applied":
			out.Applied++
		case "known":
			out.Known++
		default:
			out.Refused++
		}
	}
	return out, err
}

func newTap(c api.Ctx, student uuid.UUID, status, id string, at live.Moment) tap {
	if status == "boaded" { // as one of the apps spells it
		status = "boarded"
	}
	t := tap{ClientEventID: id, StudentID: student, Status: status, At: at.Time(), ReceivedAt: c.Now}
	if at == 0 || t.At.After(c.Now.Add(live.ClockAhead)) {
		t.At, t.ours = c.Now, true
	}
	return t
}

// tapAll lets taps count. Riders are held in one order, so that batches wait for each
// other and never for one another in a circle.
func tapAll(c api.Ctx, trip uuid.UUID, taps []tap) ([]TapResult, map[uuid.UUID]*Boarding, error) {
	t, err := findMine(c, trip, "for share of t")
	if err != nil {
		return nil, nil, err
	}
	if !t.open() {
		return nil, nil, api.Conflict("The trip is %s: nobody boards or alights", t.Status)
	}
	ids := make([]uuid.UUID, len(taps))
	for i, tp := range taps {
		ids[i] = tp.StudentID
		if tp.At.Before(t.StartedAt.Add(-live.BeforeStart)) { // the phone's clock is wrong
			taps[i].At, taps[i].ours = c.Now, true
		}
	}
	riders, known, err := holdRiders(c, t.ID, ids)
	if err != nil {
		return nil, nil, err
	}
	b := roll{c: c, trip: t, riders: riders, known: known}
	if b.owners, err = ownersOf(c, t.ID, taps); err != nil {
		return nil, nil, err
	}
	results := make([]TapResult, len(taps))
	for _, student := range b.order(taps) {
		b.apply(student, taps, results)
	}
	return results, riders, b.write()
}

const selectRiding = `select b.id, b.student_id, b.status, b.preset, b.reason, b.boarded_at, b.alighted_at, s.first_name, s.last_name
	from boarding b join student s on s.id = b.student_id where b.trip_id = $1 and b.student_id = any($2)
	order by b.student_id for update of b`

const selectTaps = `select client_event_id, student_id, status, at, received_at, undone_at from boarding_tap where trip_id = $1
	and student_id = any($2)`

func holdRiders(c api.Ctx, trip uuid.UUID, ids []uuid.UUID) (map[uuid.UUID]*Boarding, map[uuid.UUID][]tap, error) {
	var list []Boarding
	var taps []tap
	err := tenancy.Pipeline(c.DB, // the taps are read when the riders are held
		tenancy.Query{SQL: selectRiding, Args: []any{trip, ids}, Scan: tenancy.Collect(&list)},
		tenancy.Query{SQL: selectTaps, Args: []any{trip, ids}, Scan: tenancy.Collect(&taps)},
	)
	if err != nil {
		return nil, nil, fmt.Errorf("reading riders: %w", err)
	}
	riders, known := map[uuid.UUID]*Boarding{}, map[uuid.UUID][]tap{}
	for i := range list {
		riders[list[i].StudentID] = &list[i]
	}
	for _, t := range taps {
		known[t.StudentID] = append(known[t.StudentID], t)
	}
	return riders, known, nil
}

// ownersOf says about whom each client event is: the one it was first sent for.
func ownersOf(c api.Ctx, trip uuid.UUID, taps []tap) (map[string]uuid.UUID, error) {
	ids := make([]string, len(taps))
	for i, t := range taps {
		ids[i] = t.ClientEventID
	}
	var found []tap
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select client_event_id, student_id from boarding_tap where trip_id = $1
		and client_event_id = any($2)`,
		Args: []any{trip, ids}, Scan: tenancy.Collect(&found)})
	if err != nil {
		return nil, fmt.Errorf("looking for taps: %w", err)
	}
	owners := map[string]uuid.UUID{}
	for _, t := range append(found, taps...) {
		if _, taken := owners[t.ClientEventID]; !taken {
			owners[t.ClientEventID] = t.StudentID
		}
	}
	return owners, nil
}

// roll is the riders whose taps are being counted.
type roll struct {
	c       api.Ctx
	trip    Trip
	owners  map[string]uuid.UUID // about whom a client event is
	riders  map[uuid.UUID]*Boarding
	known   map[uuid.UUID][]tap
	fresh   []tap
	changed []*Boarding
	aboard  []uuid.UUID // who was not on the bus, or had not been, before
}

// order is the students of the taps, each once.
func (b *roll) order(taps []tap) []uuid.UUID {
	var out []uuid.UUID
	for _, t := range taps {
		if !slices.Contains(out, t.StudentID) {
			out = append(out, t.StudentID)
		}
	}
	return out
}

// apply counts the taps about one student, all at once.
func (b *roll) apply(student uuid.UUID, taps []tap, results []TapResult) {
	rider := b.riders[student]
	sent := map[string]bool{}
	var valid, fresh []tap
	var latest time.Time
	for _, t := range b.known[student] {
		sent[t.ClientEventID] = true
		if t.UndoneAt != nil {
			continue
		}
		valid = append(valid, t)
		if t.At.After(latest) {
			latest = t.At
		}
	}
	for i, t := range taps {
		if t.StudentID != student {
			continue
		}
		results[i] = TapResult{ClientEventID: t.ClientEventID, StudentID: student, Outcome: "known"}
		switch {
		case rider == nil:
			results[i].refuse("Student not found on this trip")
		case b.owners[t.ClientEventID] != student:
			results[i].refuse("This clientEventId was sent for another student")
		case !sent[t.ClientEventID]:
			sent[t.ClientEventID] = true
			results[i].Outcome = "fresh"
			if t.ours && !t.At.After(latest) { // without a time of its own, a tap comes after what is known
				t.At = latest.Add(time.Microsecond)
			}
			fresh = append(fresh, t)
		}
	}
	if rider == nil {
		return
	}
	was := *rider
	counted := rider.applyTaps(append(valid, fresh...))
	for _, t := range fresh {
		if counted[t.ClientEventID] {
			b.fresh = append(b.fresh, t)
		}
	}
	if was.Status != rider.Status || !sameMoment(was.BoardedAt, rider.BoardedAt) || !sameMoment(was.AlightedAt, rider.AlightedAt) {
		b.changed = append(b.changed, rider)
		b.c.Changed("update", "boarding", rider.ID, was, *rider)
	}
	if rank[rider.Status] >= rank["boarded"] && rank[was.Status] < rank["boarded"] {
		b.aboard = append(b.aboard, student)
	}
	for i, t := range taps {
		if t.StudentID != student {
			continue
		}
		results[i].Status = rider.Status
		if results[i].Outcome != "fresh" {
			continue
		}
		switch {
		case counted[t.ClientEventID]:
			results[i].Outcome = "applied"
			if rider.Status == t.Status && was.Status != t.Status {
				b.tell(rider, t)
			}
		case t.Status == rider.Status || (t.Status == "boarded" && rider.Status == "alighted" && rider.BoardedAt != nil):
			results[i].Outcome = "known"
		default:
			results[i].refuse("%s is %s and cannot become %s", roster.FullName(rider.FirstName, rider.LastName), rider.Status, t.Status)
		}
	}
}

// told are the states a rider's people hear of.
var told = map[string]bool{"boarded": true, "alighted": true, "no_show": true}

// isDetail reports whether people hear of a state only if they asked for every step: the bus is near, and the child has
// boarded to school or got off at home, are a trip's two messages.
func isDetail(trip Trip, status string) bool {
	return trip.TripType == "pickup" && status == "alighted" || trip.TripType == "dropoff" && status == "boarded"
}

// tell tells the rider's people and those who watch.
func (b *roll) tell(rider *Boarding, t tap) {
	name := roster.FullName(rider.FirstName, rider.LastName)
	if told[t.Status] {
		notice.Send(b.c, notice.Notice{
			Type: notice.Transport, Key: fmt.Sprintf("boarding:%s:%s:%s", b.trip.ID, rider.StudentID, t.ClientEventID), RecordID: b.trip.ID,
			StudentID: &rider.StudentID, Day: b.trip.TripDate, Urgent: true, Detail: isDetail(b.trip, t.Status),
			Text: notice.Text{Name: "transport." + t.Status,
				Values: notice.Values{"child": name, "time": t.At.In(b.c.School.Location()).Format("15:04")}},
		})
	}
	b.c.Tell(boardingNews(b.trip, *rider, t.At))
}

func boardingNews(t Trip, rider Boarding, at time.Time) events.Fact {
	return events.Fact{Kind: NewsFact, Data: News{BusID: t.BusID, Event: "boarding", StudentID: &rider.StudentID, OnTrip: &t.ID,
		Data: BoardingStatus{BusID: t.BusID, TripID: t.ID, StudentID: rider.StudentID, Status: rider.Status, At: at}}}
}

// write keeps the taps that counted and where their riders stand.
func (b *roll) write() error {
	if len(b.fresh) == 0 {
		return nil
	}
	if len(b.aboard) > 0 && b.trip.TripType == "pickup" {
		b.c.Tell(events.Fact{Kind: BoardedFact, Data: Boarded{Date: b.trip.TripDate, Students: b.aboard}})
	}
	type row struct {
		StudentID     uuid.UUID `json:"student_id"`
		ClientEventID string    `json:"client_event_id"`
		Status        string    `json:"status"`
		At            time.Time `json:"at"`
	}
	rows := make([]row, len(b.fresh))
	for i, t := range b.fresh {
		rows[i] = row{t.StudentID, t.ClientEventID, t.Status, t.At}
	}
	body, err := json.Marshal(rows)
	if err != nil {
		return fmt.Errorf("writing taps: %w", err)
	}
	err = tenancy.Pipeline(b.c.DB, tenancy.Query{SQL: `insert into boarding_tap (trip_id, student_id, client_event_id, status, at,
		received_at, tapped_by)
		select $2, student_id, client_event_id, status, at, $3, $4
		from jsonb_to_recordset($1::jsonb) as t (student_id uuid, client_event_id text, status text, at timestamptz)
		on conflict (trip_id, client_event_id) do nothing`, Args: []any{string(body), b.trip.ID, b.c.Now, b.c.User.ID}},
		writeRiders(b.c, b.changed))
	if err != nil {
		return fmt.Errorf("writing taps: %w", err)
	}
	return nil
}

// writeRiders keeps where riders stand.
func writeRiders(c api.Ctx, riders []*Boarding) tenancy.Query {
	ids, states, boarded, alighted := []uuid.UUID{}, []string{}, []*time.Time{}, []*time.Time{}
	for _, r := range riders {
		ids, states, boarded, alighted = append(ids, r.ID), append(states, r.Status), append(boarded, r.BoardedAt),
			append(alighted, r.AlightedAt)
	}
	return tenancy.Query{SQL: `update boarding b set status = x.status, boarded_at = x.boarded_at, alighted_at = x.alighted_at,
		updated_at = $5
		from unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::timestamptz[]) as x (id, status, boarded_at, alighted_at) where b.id = x.id`,
		Args: []any{ids, states, boarded, alighted, c.Now}}
}

func sameMoment(a, b *time.Time) bool {
	return (a == nil) == (b == nil) && (a == nil || a.Equal(*b))
}
