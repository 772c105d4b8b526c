package transport

import (
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/notice"
	"homeroom/tenancy"
)

// TripStudent is a rider of a trip.
type TripStudent struct {
	StudentID   uuid.UUID  `json:"studentId"`
	FirstName   string     `json:"firstName"`
	LastName    string     `json:"lastName"`
	StopID      uuid.UUID  `json:"stopId"`
	StopName    string     `json:"stopName"`
	Sequence    int        `json:"sequence"`
	PhotoFileID *uuid.UUID `json:"photoFileId" doc:"A driver reads it while the trip is theirs, at /driver/file"`
	Status      string     `json:"status" enum:"waiting,boarded,alighted,absent,no_show"`
	Reason      string     `json:"reason" doc:"Why they were put down as absent, if they were"`
	BoardedAt   *time.Time `json:"boardedAt"`
	AlightedAt  *time.Time `json:"alightedAt"`

	ClassID, DivisionID uuid.UUID `json:"-"` // of those expected
}

func (s TripStudent) name() string { return roster.FullName(s.FirstName, s.LastName) }

const selectBoardings = `select b.student_id, s.first_name, s.last_name, b.stop_id, p.name as stop_name, p.sequence, s.photo_file_id,
	b.status, b.reason, b.boarded_at, b.alighted_at
	from boarding b join student s on s.id = b.student_id join stop p on p.id = b.stop_id
	where b.trip_id = $1 order by p.sequence, s.first_name, s.last_name, s.id`

// selectExpected are those who ride the route on a day, before the trip has started;
// said is what a parent said.
const selectExpected = `select r.student_id, s.first_name, s.last_name, r.stop_id, p.name as stop_name, p.sequence, s.photo_file_id,
		case when n.id is null then 'waiting' else 'absent' end as status, case when n.id is null then '' else 'said not to ride' end as reason,
		coalesce(e.class_id, '00000000-0000-0000-0000-000000000000') as class_id,
		coalesce(e.division_id, '00000000-0000-0000-0000-000000000000') as division_id
	from ride r join student s on s.id = r.student_id join stop p on p.id = r.stop_id
	left join enrolment e on e.student_id = r.student_id and e.start_date <= $2 and (e.end_date is null or e.end_date >= $2)
	left join not_riding n on n.student_id = r.student_id and n.date = $2 and n.trip_type = $3
	where r.route_id = $1 and r.start_date <= $2 and (r.end_date is null or r.end_date >= $2) and s.deleted_at is null and s.status = 'ACTIVE'
	order by p.sequence, s.first_name, s.last_name, s.id`

// studentsOf are a trip's riders: those put down when it started, or those expected.
func (m *Module) studentsOf(c api.Ctx, t Trip) ([]TripStudent, error) {
	if t.StartedAt != nil {
		var list []TripStudent
		err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: selectBoardings, Args: []any{t.ID}, Scan: tenancy.Collect(&list)})
		if err != nil {
			return nil, fmt.Errorf("reading a trip's riders: %w", err)
		}
		return list, nil
	}
	return m.expected(c, t)
}

func (m *Module) expected(c api.Ctx, t Trip) ([]TripStudent, error) {
	var list []TripStudent
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: selectExpected, Args: []any{t.RouteID, t.TripDate, t.TripType},
		Scan: tenancy.Collect(&list)})
	if err != nil {
		return nil, fmt.Errorf("reading who is expected: %w", err)
	}
	if len(list) == 0 {
		return list, nil
	}
	if !t.RunsOnHolidays {
		off, err := m.DaysOff(c.DB, t.TripDate, t.TripDate)
		if err != nil {
			return nil, err
		}
		for i, s := range list {
			if s.Status == "waiting" && off(s.ClassID, s.DivisionID, t.TripDate) != "" && off(uuid.Nil, uuid.Nil, t.TripDate) == "" {
				list[i].Status, list[i].Reason = "absent", "day off"
			}
		}
	}
	if m.Absences == nil {
		return list, nil
	}
	ids := make([]uuid.UUID, len(list))
	for i, s := range list {
		ids[i] = s.StudentID
	}
	away, err := m.Absences.OnLeave(c, t.TripDate, ids)
	if err != nil {
		return nil, fmt.Errorf("asking who is on leave: %w", err)
	}
	for i, s := range list {
		if s.Status == "waiting" && slices.Contains(away, s.StudentID) {
			list[i].Status, list[i].Reason = "absent", "on leave"
		}
	}
	return list, nil
}

// enterRiders puts a starting trip's riders down and tells the guardians of those who
// are waited for.
func (m *Module) enterRiders(c api.Ctx, t Trip) error {
	list, err := m.expected(c, t)
	if err != nil {
		return err
	}
	columns := []string{"id", "trip_id", "student_id", "stop_id", "status", "preset", "reason", "updated_at"}
	err = tenancy.Copy(c.DB, "boarding", columns, len(list), func(i int) ([]any, error) {
		s := list[i]
		return []any{api.NewID(), t.ID, s.StudentID, s.StopID, s.Status, s.Status, s.Reason, c.Now}, nil
	})
	if err != nil {
		return fmt.Errorf("putting riders down: %w", err)
	}
	for _, s := range list {
		if s.Status == "waiting" {
			notice.Send(c, startedNotice(t, s))
		}
	}
	return nil
}

func startedNotice(t Trip, s TripStudent) notice.Notice {
	return notice.Notice{
		Type: notice.Transport, Key: fmt.Sprintf("trip-started:%s:%s", t.ID, s.StudentID), RecordID: t.ID, StudentID: &s.StudentID,
		Day: t.TripDate, Urgent: true, Detail: true,
		Text: notice.Text{Name: "transport.started", Values: notice.Values{"child": s.name(), "way": way(t), "stop": s.StopName}},
	}
}

// way is whither a trip goes, in words.
func way(t Trip) notice.Text { return notice.Text{Name: "way." + t.TripType} }

type ridersOf struct {
	TripID uuid.UUID `json:"tripId" validate:"required"`
}

// TripStudents are a trip's riders and what they add up to.
type TripStudents struct {
	TripID   uuid.UUID      `json:"tripId"`
	Status   string         `json:"status" enum:"scheduled,in_progress,paused,completed,cancelled"`
	Students []TripStudent  `json:"students"`
	Total    int            `json:"total"`
	Counts   map[string]int `json:"counts" doc:"How many are in each state"`
}

func newTripStudents(t Trip, list []TripStudent) TripStudents {
	out := TripStudents{TripID: t.ID, Status: t.Status, Students: list, Total: len(list),
		Counts: map[string]int{"waiting": 0, "boarded": 0, "alighted": 0, "absent": 0, "no_show": 0}}
	for _, s := range list {
		out.Counts[s.Status]++
	}
	return out
}

func (m *Module) driversRiders(c api.Ctx, r ridersOf) (TripStudents, error) {
	t, err := findMine(c, r.TripID, "")
	if err != nil {
		return TripStudents{}, err
	}
	list, err := m.studentsOf(c, t)
	return newTripStudents(t, list), err
}

// tripStudents are the riders of a trip; a parent sees their own children alone.
func (m *Module) tripStudents(c api.Ctx, r onTrip) (TripStudents, error) {
	t, err := seeTrip(c, r.TripID)
	if err != nil {
		return TripStudents{}, err
	}
	list, err := m.studentsOf(c, t)
	if err != nil || c.User.Role != api.Parent {
		return newTripStudents(t, list), err
	}
	var mine []uuid.UUID
	if err := roster.Linked(c.DB, c.User.ID).Scan(&mine).Error; err != nil {
		return TripStudents{}, fmt.Errorf("reading a parent's children: %w", err)
	}
	own := []TripStudent{}
	for _, s := range list {
		for _, id := range mine {
			if s.StudentID == id {
				own = append(own, s)
			}
		}
	}
	return newTripStudents(t, own), nil
}
