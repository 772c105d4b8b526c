package setting

import (
	"time"

	"homeroom/api"
)

// Evaluation is the mode in which teachers read only, and when it holds.
type Evaluation struct {
	EvaluationMode       bool       `json:"evaluationMode" doc:"While true, teachers can read only, exams and results excepted"`
	EvaluationModeReason string     `json:"evaluationModeReason" validate:"max=500" doc:"Shown to teachers whose writes are refused"`
	EvaluationModeFrom   *time.Time `json:"evaluationModeFrom" doc:"When it begins; at once unless given"`
	EvaluationModeUntil  *time.Time `json:"evaluationModeUntil" doc:"When it ends by itself; when it is turned off unless given"`
}

// evaluates reports whether the mode holds at a moment.
func (e Evaluation) evaluates(now time.Time) bool {
	return e.EvaluationMode && (e.EvaluationModeFrom == nil || !now.Before(*e.EvaluationModeFrom)) &&
		(e.EvaluationModeUntil == nil || now.Before(*e.EvaluationModeUntil))
}

// lapse turns a mode off whose time is over: it ended by itself, so that is what it is.
func (e *Evaluation) lapse(now time.Time) {
	if e.EvaluationModeUntil != nil && !now.Before(*e.EvaluationModeUntil) {
		*e = Evaluation{}
	}
}

// normalize wants a window that is still to end. Turning the mode off forgets window and reason; a reason is of the time it
// was given for.
func (e *Evaluation) normalize(c api.Ctx, was Evaluation, named func(field string) bool) (bad []api.Detail) {
	if !e.EvaluationMode {
		if was.EvaluationMode && !named("evaluationModeReason") {
			e.EvaluationModeReason = ""
		}
		for field, at := range map[string]*time.Time{"evaluationModeFrom": e.EvaluationModeFrom, "evaluationModeUntil": e.EvaluationModeUntil} {
			if named(field) && at != nil {
				bad = append(bad, api.Detail{Field: field, Message: field + " goes with evaluationMode, which is off"})
			}
		}
		e.EvaluationModeFrom, e.EvaluationModeUntil = nil, nil
		return bad
	}
	switch until := e.EvaluationModeUntil; {
	case until == nil:
	case !until.After(c.Now):
		bad = append(bad, api.Detail{Field: "evaluationModeUntil", Message: "evaluationModeUntil is over"})
	case e.EvaluationModeFrom != nil && !until.After(*e.EvaluationModeFrom):
		bad = append(bad, api.Detail{Field: "evaluationModeUntil", Message: "evaluationModeUntil must be after evaluationModeFrom"})
	}
	return bad
}

// same reports whether both hold at the same times, for the same reason.
func (e Evaluation) same(o Evaluation) bool {
	return e.EvaluationMode == o.EvaluationMode && e.EvaluationModeReason == o.EvaluationModeReason &&
		sameTime(e.EvaluationModeFrom, o.EvaluationModeFrom) &&
		sameTime(e.EvaluationModeUntil, o.EvaluationModeUntil)
}

func sameTime(a, b *time.Time) bool { return a == b || a != nil && b != nil && a.Equal(*b) }
