package delivery

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Reachable are the users of a school whom a push can reach: they are signed in on a device, if there is a push provider, or
// on a browser that shows notices.
func (s *Sender) Reachable(ctx context.Context, school uuid.UUID) ([]uuid.UUID, error) {
	rows, err := s.Platform.Query(ctx, `select distinct user_id from (
			select user_id, session_id from platform.device_token where school_id = $1 and $3
			union all select user_id, session_id from platform.web_subscription where school_id = $1 and $4) d
		join platform.session s on s.id = d.session_id where s.revoked_at is null and s.expires_at > $2`,
		school, s.Clock(), s.Drivers[Push] != nil, s.Browsers != nil)
	if err != nil {
		return nil, fmt.Errorf("looking who can be reached: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
}
