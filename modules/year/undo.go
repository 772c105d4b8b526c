package year

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/tenancy"
)

// undoPromotion takes a promotion back, until the new year starts: after that the
// enrolments it made carry attendance and marks. Undoing it again changes nothing.
func undoPromotion(c api.Ctx, r byID) (Promotion, error) {
	if err := lockPromotions(c); err != nil {
		return Promotion{}, err
	}
	var row struct {
		FromYearID, ToYearID uuid.UUID
		FromEnd, ToStart     api.Date
		Summary              string
		UndoneAt             *time.Time
	}
	err := c.DB.Raw(`select p.from_year_id, p.to_year_id, f.end_date as from_end, t.start_date as to_start, p.summary::text as summary,
		p.undone_at
		from promotion p join academic_year f on f.id = p.from_year_id join academic_year t on t.id = p.to_year_id
		where p.id = ?`, r.ID).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return Promotion{}, api.NotFound("promotion")
	}
	if err != nil {
		return Promotion{}, fmt.Errorf("reading a promotion: %w", err)
	}
	var p Promotion
	if err := json.Unmarshal([]byte(row.Summary), &p); err != nil {
		return p, fmt.Errorf("reading a promotion: %w", err)
	}
	p.Undone = true
	if row.UndoneAt != nil {
		return p, nil
	}
	if !c.Today().Before(row.ToStart) {
		return Promotion{}, api.Conflict("The new year has begun: a promotion can be undone until then")
	}
	if err := takeBack(c, r.ID, row.FromYearID, row.ToYearID, row.FromEnd); err != nil {
		return p, err
	}
	c.Changed("undo promotion", "class", p.ClassID, map[string]any{"promotionId": r.ID}, nil)
	return p, nil
}

// takeBack deletes the enrolments that a promotion opened, and opens those again that it ended.
func takeBack(c api.Ctx, id, from, to uuid.UUID, end api.Date) error {
	err := tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `delete from enrolment where promotion_id = $1 and academic_year_id = $2`, Args: []any{id, to}},
		// Who was sent away by the promotion is back; who left for another reason meanwhile is not.
		tenancy.Query{SQL: `update student s set status = 'ACTIVE', leaving_date = null, leaving_status = null, version = s.version + 1,
			updated_at = $3, updated_by = $4
			from enrolment e where e.student_id = s.id and e.promotion_id = $1 and e.academic_year_id = $2 and e.outcome = 'LEFT'
				and coalesce(s.leaving_status, s.status) in ('WITHDRAWN', 'GRADUATED')
				and s.leaving_date = $5`, Args: []any{id, from, c.Now, c.User.ID, end.String()}},
		tenancy.Query{SQL: `update enrolment e set end_date = null, outcome = null, promotion_id = null, version = e.version + 1,
			updated_at = $3, updated_by = $4
			from student s where s.id = e.student_id and e.promotion_id = $1 and e.academic_year_id = $2 and e.end_date = $5
				and e.outcome in ('PROMOTED', 'RETAINED', 'LEFT') and s.status = 'ACTIVE'`, Args: []any{id, from, c.Now, c.User.ID, end.String()}},
		tenancy.Query{SQL: `update promotion set undone_at = $2, undone_by = $3 where id = $1`, Args: []any{id, c.Now, c.User.ID}})
	if err != nil {
		return fmt.Errorf("undoing a promotion: %w", err)
	}
	return nil
}
