package year

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
)

// duePlan is the year whose first day is here and whose plan waits for it.
const duePlan = `select p.to_year_id from year_plan p join academic_year y on y.id = p.to_year_id
	where p.state = 'READY' and y.start_date <= ? order by y.start_date limit 1`

// turnDue carries out a plan whose first day has come: at any hour, so that the registers are open in the morning. It is one
// transaction; one that was interrupted left nothing and is begun again in the next run.
func (m *Module) turnDue(ctx context.Context, at api.SchoolWork) error {
	var due []uuid.UUID
	if err := at.DB.Raw(duePlan, at.Today()).Scan(&due).Error; err != nil {
		return fmt.Errorf("looking for a plan that is due: %w", err)
	}
	if len(due) == 0 {
		return nil
	}
	return at.Do(ctx, "turn of the year", func(c api.Ctx) error {
		if err := lockPromotions(c); err != nil {
			return err
		}
		p, err := findPlan(c, due[0])
		if err != nil || p == nil || p.State != "READY" {
			return err // somebody else did it, or took it back
		}
		t, err := p.turnOf(c)
		if err != nil || c.Today().Before(t.To.StartDate) {
			return err
		}
		return m.carryOut(c, p, t)
	})
}
