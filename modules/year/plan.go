package year

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
)

// planRequest says how a school goes into the next year.
type planRequest struct {
	ID uuid.UUID `path:"id" doc:"The next year's"`
	api.YearChoices
	DryRun   bool   `json:"dryRun" doc:"Say what would happen, and do nothing"`
	PlanHash string `json:"planHash" validate:"max=64" doc:"Of the dry run, which a plan needs: refused with 409 if something it goes by is another now"`
}

// Plan is the turn of the year: what will happen on the first day of the next one, or happened.
type Plan struct {
	State       string            `json:"state" enum:"NONE,DRY_RUN,READY,DONE" doc:"NONE: there is no plan. READY: it is carried out by itself on the first day. DONE: it was"`
	FromYear    *api.YearSpan     `json:"fromYear" doc:"The active year; none if there is no plan and this is it"`
	ToYear      api.YearSpan      `json:"toYear"`
	PlanHash    string            `json:"planHash"`
	Choices     api.YearChoices   `json:"choices"`
	Parts       []api.CarriedOver `json:"parts" doc:"Of a plan that is READY as its dry run saw them; on the day they are worked out again"`
	ConfirmedAt *time.Time        `json:"confirmedAt"`
	DoneAt      *time.Time        `json:"doneAt"`
	InUse       string            `json:"inUse" doc:"Why it cannot be undone any more; empty: it can"`
}

// planRecord is a plan's row.
type planRecord struct {
	ToYearID   uuid.UUID `gorm:"primaryKey"`
	FromYearID uuid.UUID
	State      string
	PlanHash   string
	Choices    api.YearChoices            `gorm:"serializer:json"`
	Parts      []api.CarriedOver          `gorm:"serializer:json"`
	Made       map[string]json.RawMessage `gorm:"serializer:json"`
	CreatedBy  *uuid.UUID
	CreatedAt  time.Time
	DoneAt     *time.Time
}

// TableName is the record's table.
func (planRecord) TableName() string { return "year_plan" }

var (
	errPlanChanged = api.Conflict("Something the plan goes by is not what the dry run saw: look at a new dry run first")
	errPlanDone    = api.Conflict("The plan was carried out already: undo it before making another")
	errPlanInUse   = api.Conflict("Attendance of the new year is marked: the turn of the year cannot be undone any more")
	errYearActive  = api.Conflict("This academic year is the active one already")
)

// allParts are the parts in the order in which they are carried out: students first, since others go by where they sit.
func (m *Module) allParts() []api.NextYear {
	own := api.NextYear{Part: api.StudentsPart, Permission: "student", Carry: carryStudents, Undo: undoStudents}
	return append([]api.NextYear{own}, m.Parts...)
}

// makePlan says what the turn of the year does, and keeps it for the first day. The dry run carries everything out and takes
// it back, so that it cannot see anything else than the day itself will. A year that has begun is turned to at once.
func (m *Module) makePlan(c api.Ctx, r planRequest) (Plan, error) {
	for _, p := range m.allParts() {
		if p.Permission != "" && !r.Leaves(p.Part) {
			if err := c.Permit(p.Permission, api.Write); err != nil {
				return Plan{}, err
			}
		}
	}
	if err := lockPromotions(c); err != nil {
		return Plan{}, err
	}
	t, err := readYears(c, r)
	if err != nil {
		return Plan{}, err
	}
	kept, err := findPlan(c, r.ID)
	if err != nil {
		return Plan{}, err
	}
	if kept != nil && kept.State == "DONE" {
		return Plan{}, errPlanDone
	}
	parts, err := m.tryOut(c, t)
	if err != nil {
		return Plan{}, err
	}
	out := Plan{State: "DRY_RUN", FromYear: &t.From, ToYear: t.To, Choices: t.Choices, Parts: parts}
	if out.PlanHash, err = hashPlan(t, parts); err != nil {
		return Plan{}, err
	}
	if r.DryRun {
		c.Unchanged()
		return out, nil
	}
	if r.PlanHash == "" {
		return Plan{}, api.InvalidField("planHash", "Look at a dry run first, and send its planHash")
	}
	if r.PlanHash != out.PlanHash {
		return Plan{}, errPlanChanged
	}
	record := planRecord{ToYearID: t.To.ID, FromYearID: t.From.ID, State: "READY", PlanHash: out.PlanHash, Choices: t.Choices, Parts: parts,
		Made: map[string]json.RawMessage{}, CreatedBy: &c.User.ID, CreatedAt: c.Now}
	if err := c.DB.Save(&record).Error; err != nil {
		return Plan{}, fmt.Errorf("keeping a plan: %w", err)
	}
	c.Changed("plan", "academic year", t.To.ID, nil, map[string]any{"fromYearId": t.From.ID, "choices": t.Choices})
	if !c.Today().Before(t.To.StartDate) {
		if err := m.carryOut(c, &record, t); err != nil {
			return Plan{}, err
		}
	}
	return record.view(t), nil
}

// readYears reads the years of a plan that is asked for.
func readYears(c api.Ctx, r planRequest) (api.YearTurn, error) {
	to, err := api.Find[roster.AcademicYear](c, "academic year", c.DB, r.ID)
	if err != nil {
		return api.YearTurn{}, err
	}
	if to.Active {
		return api.YearTurn{}, errYearActive
	}
	from, err := roster.ActiveYear(c)
	if err != nil {
		return api.YearTurn{}, err
	}
	if !from.EndDate.Before(to.StartDate) {
		return api.YearTurn{}, api.InvalidField("id", "%s begins before %s ends", to.Name, from.Name)
	}
	t := api.YearTurn{From: spanOf(from), To: spanOf(to), Choices: usualChoices(r.YearChoices)}
	for i, id := range t.Choices.Left {
		if slices.Contains(t.Choices.Retained, id) {
			return t, api.InvalidField(fmt.Sprintf("left[%d]", i), "is named in another list too")
		}
	}
	return t, nil
}

func spanOf(y roster.AcademicYear) api.YearSpan {
	return api.YearSpan{ID: y.ID, Name: y.Name, StartDate: y.StartDate, EndDate: y.EndDate}
}

// tryOut carries all parts out and takes them back.
func (m *Module) tryOut(c api.Ctx, t api.YearTurn) ([]api.CarriedOver, error) {
	if err := c.DB.SavePoint("year_plan").Error; err != nil {
		return nil, fmt.Errorf("trying a plan: %w", err)
	}
	parts, _, err := m.carryAll(c, t)
	if err != nil {
		return nil, err
	}
	if err := c.DB.RollbackTo("year_plan").Error; err != nil {
		return nil, fmt.Errorf("trying a plan: %w", err)
	}
	return parts, nil
}

// carryAll carries all parts out. made is, by part, what undoing it needs.
func (m *Module) carryAll(c api.Ctx, t api.YearTurn) (parts []api.CarriedOver, made map[string]json.RawMessage, err error) {
	parts, made = []api.CarriedOver{}, map[string]json.RawMessage{}
	for _, p := range m.allParts() {
		if p.Carry == nil || t.Choices.Leaves(p.Part) {
			continue
		}
		done, err := p.Carry(c, t)
		if err != nil {
			return nil, nil, fmt.Errorf("carrying over %s: %w", p.Part, err)
		}
		parts = append(parts, done.Lists(p.Part))
		if made[p.Part], err = json.Marshal(done.Made); err != nil {
			return nil, nil, err
		}
	}
	return parts, made, nil
}

// hashPlan is one hash over what a plan does and what that was decided on.
func hashPlan(t api.YearTurn, parts []api.CarriedOver) (string, error) {
	seen := make([][]string, len(parts))
	for i, p := range parts {
		seen[i] = p.Seen
	}
	text, err := json.Marshal([]any{t, parts, seen})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// carryOut does what a plan says, on the data as it is now, and makes its year the active one.
func (m *Module) carryOut(c api.Ctx, p *planRecord, t api.YearTurn) error {
	if p.CreatedBy != nil {
		c.User.ID = *p.CreatedBy // who decided it
	}
	var err error
	if p.Parts, p.Made, err = m.carryAll(c, t); err != nil {
		return err
	}
	p.State, p.DoneAt = "DONE", &c.Now
	if err := c.DB.Save(p).Error; err != nil {
		return fmt.Errorf("keeping a plan: %w", err)
	}
	if _, err := activateYear(c, byID{ID: t.To.ID}); err != nil {
		return err
	}
	counts := map[string]int{}
	for _, part := range p.Parts {
		counts[part.Part] = part.Records
	}
	c.Changed("turn", "academic year", t.To.ID, nil, map[string]any{"fromYearId": t.From.ID, "carriedOver": counts})
	return nil
}

// findPlan is the plan of a year; nil if there is none.
func findPlan(c api.Ctx, year uuid.UUID) (*planRecord, error) {
	var found []planRecord
	if err := c.DB.Where("to_year_id = ?", year).Find(&found).Error; err != nil {
		return nil, fmt.Errorf("reading a plan: %w", err)
	}
	if len(found) == 0 {
		return nil, nil
	}
	return &found[0], nil
}

// turnOf reads the years of a plan that is kept.
func (p *planRecord) turnOf(c api.Ctx) (api.YearTurn, error) {
	t := api.YearTurn{Choices: p.Choices}
	for id, into := range map[uuid.UUID]*api.YearSpan{p.FromYearID: &t.From, p.ToYearID: &t.To} {
		y, err := api.Find[roster.AcademicYear](c, "academic year", c.DB, id)
		if err != nil {
			return t, err
		}
		*into = spanOf(y)
	}
	return t, nil
}

func (p *planRecord) view(t api.YearTurn) Plan {
	return Plan{State: p.State, FromYear: &t.From, ToYear: t.To, PlanHash: p.PlanHash, Choices: p.Choices, Parts: p.Parts,
		ConfirmedAt: &p.CreatedAt, DoneAt: p.DoneAt}
}

func (m *Module) getPlan(c api.Ctx, r byID) (Plan, error) {
	p, err := findPlan(c, r.ID)
	if err != nil {
		return Plan{}, err
	}
	if p == nil {
		return noPlan(c, r.ID)
	}
	t, err := p.turnOf(c)
	if err != nil {
		return Plan{}, err
	}
	out := p.view(t)
	if p.State == "DONE" {
		out.InUse, err = m.inUse(c, t, p)
	}
	return out, err
}

// noPlan is a year without a plan, with what a plan would choose if nothing is said.
func noPlan(c api.Ctx, id uuid.UUID) (Plan, error) {
	to, err := api.Find[roster.AcademicYear](c, "academic year", c.DB, id)
	if err != nil {
		return Plan{}, err
	}
	out := Plan{State: "NONE", ToYear: spanOf(to), Choices: usualChoices(api.YearChoices{}), Parts: []api.CarriedOver{}}
	var active []roster.AcademicYear
	if err := c.DB.Where("active and id <> ?", id).Find(&active).Error; err != nil {
		return out, fmt.Errorf("reading the active year: %w", err)
	}
	if len(active) > 0 {
		span := spanOf(active[0])
		out.FromYear = &span
	}
	return out, nil
}

// usualChoices fills in what was not chosen.
func usualChoices(c api.YearChoices) api.YearChoices {
	if c.RollNumbers == "" {
		c.RollNumbers = "BY_NAME"
	}
	for _, list := range []*[]uuid.UUID{&c.Retained, &c.Left} {
		if *list == nil {
			*list = []uuid.UUID{}
		}
	}
	if c.LeaveOut == nil {
		c.LeaveOut = []string{}
	}
	if c.DivisionMap == nil {
		c.DivisionMap = map[uuid.UUID]uuid.UUID{}
	}
	return c
}

// inUse is the first thing that happened in the new year.
func (m *Module) inUse(c api.Ctx, t api.YearTurn, p *planRecord) (string, error) {
	for _, part := range m.allParts() {
		if part.InUse == nil {
			continue
		}
		if why, err := part.InUse(c, t, p.Made[part.Part]); err != nil || why != "" {
			return why, err
		}
	}
	return "", nil
}

// undoPlan takes a plan back: before the first day it is forgotten; afterwards, until the first mark or payment of the new
// year, everything it did is undone and the old year is the active one.
func (m *Module) undoPlan(c api.Ctx, r byID) error {
	if err := lockPromotions(c); err != nil {
		return err
	}
	p, err := findPlan(c, r.ID)
	if err != nil {
		return err
	}
	if p == nil {
		return api.NotFound("plan")
	}
	t, err := p.turnOf(c)
	if err != nil {
		return err
	}
	if p.State == "DONE" {
		why, err := m.inUse(c, t, p)
		if err != nil {
			return err
		}
		if why != "" {
			return api.Conflict("%s: the turn of the year cannot be undone any more", why)
		}
		if _, err := activateYear(c, byID{ID: t.From.ID}); err != nil {
			return err
		}
		parts := m.allParts()
		for _, part := range slices.Backward(parts) {
			if made, did := p.Made[part.Part]; did && part.Undo != nil {
				if err := part.Undo(c, t, made); err != nil {
					return fmt.Errorf("undoing %s: %w", part.Part, err)
				}
			}
		}
	}
	if err := c.DB.Exec(`delete from year_plan where to_year_id = ?`, r.ID).Error; err != nil {
		return fmt.Errorf("forgetting a plan: %w", err)
	}
	c.Changed("undo plan", "academic year", t.To.ID, map[string]any{"state": p.State}, nil)
	return nil
}
