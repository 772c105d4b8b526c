package rbac

import (
	"errors"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
)

type explainRequest struct {
	UserID     uuid.UUID  `json:"userId" validate:"required"`
	Module     string     `json:"module" validate:"required,max=40" example:"attendance"`
	Action     string     `json:"action" validate:"required,oneof=read write delete"`
	DivisionID *uuid.UUID `json:"divisionId"`
	SubjectID  *uuid.UUID `json:"subjectId" doc:"With a division: a subject there"`
}

type explanation struct {
	Allowed bool   `json:"allowed"`
	Role    string `json:"role" doc:"The role the user holds"`
	Why     string `json:"why"`
}

// explain returns the service's own decision, with the reason.
func (r *RBAC) explain(c api.Ctx, q explainRequest) (explanation, error) {
	var u struct {
		RoleID uuid.UUID
		Name   string
		Type   api.RoleType
		Status string
	}
	err := c.DB.Raw(`select u.role_id, r.name, r.type, u.status from app_user u join role r on r.id = u.role_id where u.id = ?`,
		q.UserID).Take(&u).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return explanation{}, api.NotFound("user")
	}
	if err != nil {
		return explanation{}, err
	}
	out := explanation{Role: u.Name}
	if u.Status != "ACTIVE" {
		out.Why = "The user is disabled and cannot sign in"
		return out, nil
	}
	p, err := r.callPolicy(c, c.School)
	if err != nil {
		return explanation{}, err
	}
	if !p.modules[q.Module] {
		return explanation{}, api.InvalidField("module", "module does not exist")
	}
	ask := api.Question{Module: q.Module, Action: api.Action(q.Action)}
	if q.DivisionID != nil && u.Type == api.Teacher {
		ask.Target.DivisionID = *q.DivisionID
		if q.SubjectID != nil {
			ask.Target.SubjectID = *q.SubjectID
		}
	}
	d, err := r.Decide(c, c.School, api.User{ID: q.UserID, Role: u.Type, RoleID: u.RoleID}, ask)
	if err != nil {
		return out, err
	}
	out.Allowed, out.Why = d.Allowed, d.Why.String()
	known := r.Catalogue.Find(q.Module)
	closed := ask.Action != api.Read && (known < 0 || !r.Catalogue[known].OpenInEvaluationMode)
	switch {
	case d.Allowed && d.Evaluation && closed:
		out.Allowed, out.Why = false, d.EvaluationRefusal().String()
	case d.Allowed && ask.Target != (api.Target{}):
		out.Why = "The role has the permission, and the user is assigned there"
	case d.Allowed:
		out.Why = "The role has the permission"
	}
	return out, nil
}
