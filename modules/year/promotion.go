package year

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/events"
)

// What becomes of a student at the turn of the year.
const (
	promoted  = "PROMOTED"
	retained  = "RETAINED"
	leaves    = "LEFT"
	graduates = "GRADUATED"
	leftOut   = "LEFT_OUT"
)

// promoteRequest takes a class into the next year.
type promoteRequest struct {
	FromYearID  *uuid.UUID              `json:"fromYearId" doc:"The active year unless given"`
	ToYearID    uuid.UUID               `json:"toYearId" validate:"required"`
	ClassID     uuid.UUID               `json:"classId" validate:"required"`
	DivisionMap map[uuid.UUID]uuid.UUID `json:"divisionMap" validate:"max=200" doc:"From a division of the class to one of the next; divisions of the same name unless given"`
	Students    []uuid.UUID             `json:"students" validate:"max=5000" doc:"Students who go up. With it, a student who is named nowhere waits for another promotion; without it, all go up who are not retained or left"`
	Retained    []uuid.UUID             `json:"retained" validate:"max=5000" doc:"Students who stay in the class"`
	Left        []uuid.UUID             `json:"left" validate:"max=5000" doc:"Students who do not come back"`
	DryRun      bool                    `json:"dryRun" doc:"Say who would go where, and do nothing"`
}

// Promotion is who goes where.
type Promotion struct {
	ID         *uuid.UUID      `json:"id" doc:"To undo it by; none for a dry run"`
	DryRun     bool            `json:"dryRun"`
	FromYearID uuid.UUID       `json:"fromYearId"`
	ToYearID   uuid.UUID       `json:"toYearId"`
	ClassID    uuid.UUID       `json:"classId"`
	Promoted   int             `json:"promoted"`
	Retained   int             `json:"retained"`
	Left       int             `json:"left"`
	Graduated  int             `json:"graduated"`
	LeftOut    int             `json:"leftOut"`
	Undone     bool            `json:"undone"`
	Students   []PromotionStep `json:"students"`
}

// PromotionStep is what becomes of one student.
type PromotionStep struct {
	StudentID       uuid.UUID  `json:"studentId"`
	AdmissionNumber string     `json:"admissionNumber"`
	Name            string     `json:"name"`
	Outcome         string     `json:"outcome" enum:"PROMOTED,RETAINED,LEFT,GRADUATED,LEFT_OUT"`
	FromDivisionID  uuid.UUID  `json:"fromDivisionId"`
	ToClassID       *uuid.UUID `json:"toClassId"`
	ToDivisionID    *uuid.UUID `json:"toDivisionId"`
	To              string     `json:"to" doc:"Class and division in words"`
	Why             string     `json:"why" doc:"Why a student is left out"`
	enrolment       uuid.UUID
}

// promote closes a class's enrolments at the end of the old year and opens new ones at
// the beginning of the next. Those who ask at once queue: the second finds nobody left
// and gets the first one's answer, as does a request that is sent again.
func promote(c api.Ctx, r promoteRequest) (Promotion, error) {
	if err := lockPromotions(c); err != nil {
		return Promotion{}, err
	}
	t, err := readTurn(c, r)
	if err != nil {
		return Promotion{}, err
	}
	candidates, err := t.candidates(c)
	if err != nil {
		return Promotion{}, err
	}
	if r.coversAll(candidates) {
		done, err := t.lastDone(c, r)
		if err != nil || done != nil {
			return deref(done), err
		}
	}
	if candidates, err = t.decideAll(r, candidates); err != nil {
		return Promotion{}, err
	}
	p := t.count(candidates)
	if p.DryRun = r.DryRun; r.DryRun || p.Promoted+p.Retained+p.Left+p.Graduated == 0 {
		return p, nil
	}
	id := api.NewID()
	p.ID = &id
	if err := t.write(c, p); err != nil {
		return p, err
	}
	c.Changed("promote", "class", r.ClassID, nil, map[string]any{"promotionId": id, "fromYearId": p.FromYearID, "toYearId": p.ToYearID,
		"promoted": p.Promoted, "retained": p.Retained, "left": p.Left, "graduated": p.Graduated, "leftOut": p.LeftOut})
	c.Tell(events.Fact{Kind: "students.promoted", Data: map[string]any{"promotionId": id}})
	return p, nil
}

// lockPromotions makes promotions of a school, and their undoing, queue.
func lockPromotions(c api.Ctx) error {
	if err := c.DB.Exec(`select pg_advisory_xact_lock(hashtextextended(current_schema() || ' promotion', 0))`).Error; err != nil {
		return fmt.Errorf("waiting for other promotions: %w", err)
	}
	return nil
}

// coversAll reports whether what is asked for may have been done before: nobody is left to
// be promoted, or nobody of those who were chosen.
func (r promoteRequest) coversAll(candidates []PromotionStep) bool {
	if r.Students == nil {
		return len(candidates) == 0
	}
	chosen := r.named()
	return len(chosen) > 0 && !slices.ContainsFunc(candidates, func(s PromotionStep) bool { return chosen[s.StudentID] })
}

// named are all students the request speaks of.
func (r promoteRequest) named() map[uuid.UUID]bool {
	named := map[uuid.UUID]bool{}
	for _, id := range slices.Concat(r.Students, r.Retained, r.Left) {
		named[id] = true
	}
	return named
}

// lastDone is the answer of the class's last promotion between these years, or of the last
// one of the students who were chosen, if there is one.
func (t *turn) lastDone(c api.Ctx, r promoteRequest) (*Promotion, error) {
	var found []string
	err := c.DB.Raw(`select summary::text from promotion where class_id = ? and from_year_id = ? and to_year_id = ? and undone_at is null
		order by created_at desc`,
		t.class.ID, t.from.ID, t.to.ID).Scan(&found).Error
	if err != nil {
		return nil, fmt.Errorf("looking for an earlier promotion: %w", err)
	}
	chosen := r.named()
	for _, text := range found {
		var p Promotion
		if err := json.Unmarshal([]byte(text), &p); err != nil {
			return nil, fmt.Errorf("reading a promotion: %w", err)
		}
		same := len(p.Students) == len(chosen) && !slices.ContainsFunc(p.Students, func(s PromotionStep) bool { return !chosen[s.StudentID] })
		if r.Students == nil || same {
			return &p, nil
		}
	}
	return nil, nil
}

// write does what p says, in as many statements however many students there are.
func (t *turn) write(c api.Ctx, p Promotion) error {
	summary, err := json.Marshal(p)
	if err != nil {
		return err
	}
	err = c.DB.Exec(`insert into promotion (id, from_year_id, to_year_id, class_id, summary, created_by, created_at)
		values (?, ?, ?, ?, ?::jsonb, ?, ?)`,
		*p.ID, t.from.ID, t.to.ID, t.class.ID, string(summary), c.User.ID, c.Now).Error
	if err != nil {
		return fmt.Errorf("writing a promotion: %w", err)
	}
	var closed, opened, students, divisions, gone []uuid.UUID
	var outcomes, states []string
	for _, s := range p.Students {
		if s.Outcome == leftOut {
			continue
		}
		outcome := s.Outcome
		if s.ToDivisionID != nil {
			opened, students, divisions = append(opened, api.NewID()), append(students, s.StudentID), append(divisions, *s.ToDivisionID)
		} else {
			state := "WITHDRAWN"
			if outcome == graduates {
				outcome, state = leaves, "GRADUATED"
			}
			gone, states = append(gone, s.StudentID), append(states, state)
		}
		closed, outcomes = append(closed, s.enrolment), append(outcomes, outcome)
	}
	return t.writeRecords(c, *p.ID, closed, outcomes, opened, students, divisions, gone, states)
}
