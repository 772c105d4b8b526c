package transport

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/events"
	"homeroom/notice"
	"homeroom/tenancy"
)

// BoardedFact is the fact that children are on a bus to school. It says Boarded.
const BoardedFact = "bus.boarded"

// Boarded is who boarded a bus to school on a day.
type Boarded struct {
	Date     api.Date    `json:"date"`
	Students []uuid.UUID `json:"students"`
}

// absentButAboard tells the office of a child who boarded in the morning and is not in
// class. It is asked after the mark, and aboardButAbsent after the tap: whichever came
// later finds the other, and both would tell the same.
func (m *Module) absentButAboard(ctx context.Context, h events.Heard) error {
	var day struct {
		Date   api.Date    `json:"date"`
		Absent []uuid.UUID `json:"absent"`
	}
	if err := h.Read(&day); err != nil || len(day.Absent) == 0 {
		return err
	}
	return m.tellMissing(ctx, h, day.Date, day.Absent)
}

// aboardButAbsent is for the tap that comes after the mark: a phone may have been out of
// reach while the class was marked.
func (m *Module) aboardButAbsent(ctx context.Context, h events.Heard) error {
	var day Boarded
	if err := h.Read(&day); err != nil || m.Register == nil {
		return err
	}
	db, err := events.DB(ctx)
	if err != nil {
		return err
	}
	absent, err := m.Register.Absent(db, day.Date, day.Students)
	if err != nil || len(absent) == 0 {
		return err
	}
	return m.tellMissing(ctx, h, day.Date, absent)
}

// selectOffice finds the employees who are alerted when something is wrong.
const selectOffice = `select u.id from app_user u join role r on r.id = u.role_id where r.type = 'SCHOOL_ADMIN' and u.status = 'ACTIVE'`

// tellMissing tells the office which of these absent students came by bus, once a day
// and child.
func (m *Module) tellMissing(ctx context.Context, h events.Heard, day api.Date, absent []uuid.UUID) error {
	return api.InSchool(ctx, m.Schools, h.SchoolID, func(db *gorm.DB, school *tenancy.School) error {
		return tellMissingAt(db, school, h, day, absent)
	})
}

func tellMissingAt(db *gorm.DB, school *tenancy.School, h events.Heard, day api.Date, absent []uuid.UUID) error {
	var missing []struct {
		TripStudent
		TripID    uuid.UUID
		BusNumber string
	}
	var office []struct{ ID uuid.UUID }
	err := tenancy.Pipeline(db,
		tenancy.Query{SQL: `select b.student_id, s.first_name, s.last_name, b.boarded_at, t.id as trip_id, v.bus_number
			from boarding b join trip t on t.id = b.trip_id join student s on s.id = b.student_id join bus v on v.id = t.bus_id
			where t.trip_date = $1 and t.trip_type = 'pickup' and b.student_id = any($2)
			and b.status in ('boarded', 'alighted')`, Args: []any{day, absent}, Scan: tenancy.Collect(&missing)},
		tenancy.Query{SQL: selectOffice, Scan: tenancy.Collect(&office)},
	)
	if err != nil {
		return fmt.Errorf("looking who came by bus: %w", err)
	}
	var notices []notice.Notice
	for _, s := range missing {
		for _, u := range office {
			notices = append(notices, notice.Notice{
				Type: notice.Transport, Key: fmt.Sprintf("absent-but-aboard:%s:%s:%s", day, s.StudentID, u.ID), RecordID: s.TripID, UserID: &u.ID,
				Day:    day,
				Urgent: true, Alarm: true,
				Text: notice.Text{Name: "transport.missing", Values: notice.Values{"child": s.name(), "bus": s.BusNumber}},
			})
		}
	}
	return notice.SendIn(db, school, h.OccurredAt, h.IsSilent(), notices...)
}
