package event

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/tenancy"
)

// SignUps is who comes to an event.
type SignUps struct {
	Event    Event           `json:"event"`
	Students []SignedStudent `json:"students" doc:"In the order they were signed up"`
	Total    int             `json:"total"`
}

// SignedStudent is one of them.
type SignedStudent struct {
	StudentID       uuid.UUID `json:"studentId"`
	AdmissionNumber string    `json:"admissionNumber"`
	FirstName       string    `json:"firstName"`
	LastName        string    `json:"lastName"`
	ClassName       string    `json:"className"`
	DivisionName    string    `json:"divisionName"`
	SignedUpAt      time.Time `json:"signedUpAt"`
}

func listSignUps(c api.Ctx, r byID) (SignUps, error) {
	e, err := readEvent(c, r.ID)
	if err != nil {
		return SignUps{}, err
	}
	out := SignUps{Event: e, Total: e.SignedUp}
	err = tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select s.id as student_id, s.admission_number, s.first_name, s.last_name,
		coalesce(k.name, '') as class_name, coalesce(d.name, '') as division_name, u.created_at as signed_up_at
		from event_sign_up u join event e on e.id = u.event_id join student s on s.id = u.student_id
		left join enrolment n on n.student_id = s.id and n.start_date <= e.event_date and (n.end_date is null or n.end_date >= e.event_date)
		left join class k on k.id = n.class_id left join division d on d.id = n.division_id
		where u.event_id = $1 order by u.created_at, u.id`, Args: []any{r.ID}, Scan: tenancy.Collect(&out.Students)})
	if err != nil {
		return out, fmt.Errorf("reading sign-ups: %w", err)
	}
	return out, nil
}
