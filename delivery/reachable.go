package delivery

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Reachable are the users of a school whom a push can reach, and those among them who have a browser that shows notices. The
// others are signed in on a device, and there is a push provider.
func (s *Sender) Reachable(ctx context.Context, school uuid.UUID) (all, onBrowsers []uuid.UUID, err error) {
	rows, err := s.Platform.Query(ctx, `select user_id, bool_or(browser) as browser from (
			select user_id, session_id, false as browser from platform.device_token where school_id = $1 and $3
			union all select user_id, session_id, true from platform.web_subscription where school_id = $1 and $4) d
		join platform.session s on s.id = d.session_id where s.revoked_at is null and s.expires_at > $2 group by user_id`,
		school, s.Clock(), s.Drivers[Push] != nil, s.Browsers != nil)
	if err != nil {
		return nil, nil, fmt.Errorf("looking who can be reached: %w", err)
	}
	all, onBrowsers = []uuid.UUID{}, []uuid.UUID{}
	var user uuid.UUID
	var browser bool
	_, err = pgx.ForEachRow(rows, []any{&user, &browser}, func() error {
		if all = append(all, user); browser {
			onBrowsers = append(onBrowsers, user)
		}
		return nil
	})
	return all, onBrowsers, err
}
