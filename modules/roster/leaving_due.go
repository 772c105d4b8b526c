package roster

import (
	"fmt"
	"time"

	"gorm.io/gorm"

	"homeroom/api"
)

// LeaveDue gives students whose last day is over the status that was settled for them,
// and says how many. It may run any number of times a day.
func LeaveDue(db *gorm.DB, today api.Date, now time.Time) (int64, error) {
	done := db.Exec(`with due as (select id, status, leaving_status from student where leaving_status is not null
		and leaving_date < @today for update),
		gone as (update student s set status = due.leaving_status, leaving_status = null, version = s.version + 1, updated_at = @now from due
		where s.id = due.id)
		insert into audit_event (id, actor_role, action, entity, entity_id, before, after, occurred_at)
		select gen_random_uuid(), 'SYSTEM', 'update', 'student', id::text, jsonb_build_object('status', status), jsonb_build_object('status',
		leaving_status), @now from due`,
		map[string]any{"today": today, "now": now})
	if done.Error != nil {
		return 0, fmt.Errorf("letting students leave: %w", done.Error)
	}
	return done.RowsAffected, nil
}
