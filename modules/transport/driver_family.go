package transport

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/tenancy"
)

// RiderContacts is whom the driver may call for one rider.
type RiderContacts struct {
	StudentID uuid.UUID                `json:"studentId"`
	Guardians []roster.GuardianContact `json:"guardians" doc:"Those who may see the child's data, the primary one first"`
}

// TripContacts are the guardians of a trip's riders.
type TripContacts struct {
	Riders []RiderContacts `json:"riders" doc:"Those who are waited for, aboard or did not show up; nobody who is absent"`
}

// selectContacts leaves out who is absent: their families are not to be called.
const selectContacts = `select sg.student_id, trim(g.first_name || ' ' || g.last_name) as name, sg.relation, g.phone
	from boarding b join student_guardian sg on sg.student_id = b.student_id join guardian g on g.id = sg.guardian_id
	where b.trip_id = $1 and b.status <> 'absent' and sg.can_view_data and g.phone <> ''
	order by sg.student_id, sg.is_primary desc, sg.created_at, g.id`

func errNotUnderWay(status string) *api.Error {
	return api.Conflict("The trip is %s: families are called from one that is under way", status)
}

// tripContacts are for the driver of a trip, from its start to its end and no longer.
func tripContacts(c api.Ctx, r byID) (TripContacts, error) {
	out := TripContacts{Riders: []RiderContacts{}}
	t, err := findMine(c, r.ID, "")
	if err != nil {
		return out, err
	}
	if !t.open() {
		return out, errNotUnderWay(t.Status)
	}
	var found []roster.GuardianContact
	err = tenancy.Pipeline(c.DB, tenancy.Query{SQL: selectContacts, Args: []any{t.ID}, Scan: tenancy.Collect(&found)})
	if err != nil {
		return out, fmt.Errorf("reading the guardians of a trip's riders: %w", err)
	}
	for _, g := range found {
		if n := len(out.Riders); n == 0 || out.Riders[n-1].StudentID != g.StudentID {
			out.Riders = append(out.Riders, RiderContacts{StudentID: g.StudentID})
		}
		last := &out.Riders[len(out.Riders)-1]
		last.Guardians = append(last.Guardians, g)
	}
	return out, nil
}

// MayReadPhoto says whether a file is the photo of a rider of a trip that the calling driver has today, or has under way.
func MayReadPhoto(c api.Ctx, file uuid.UUID) (bool, error) {
	if c.User.Role != api.Driver {
		return false, nil
	}
	var may bool
	err := c.DB.Raw(`select exists (select from student s join trip t on t.trip_date = @today or t.status in ('in_progress', 'paused')
		where s.photo_file_id = @file and s.deleted_at is null and `+tripSights[api.Driver]+`
		and (exists (select from boarding b where b.trip_id = t.id and b.student_id = s.id)
			or exists (select from ride y where y.route_id = t.route_id and y.student_id = s.id and y.start_date <= t.trip_date
				and (y.end_date is null or y.end_date >= t.trip_date))))`,
		map[string]any{"file": file, "today": c.Today(), "user": c.User.ID}).Scan(&may).Error
	if err != nil {
		return false, fmt.Errorf("looking for a rider by photo: %w", err)
	}
	return may, nil
}
