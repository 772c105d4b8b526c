package tenancy

import (
	"context"
	"fmt"
)

// outdated says of the platform's tables which rows are of no use any more. What could
// still tell an operator why somebody was signed out stays for a month.
var outdated = []struct{ table, where string }{
	{"idempotency", `created_at < now() - interval '24 hours'`},
	{"session", `expires_at < now() - interval '30 days'`},
	{"password_link", `expires_at < now() - interval '30 days'`},
	{"traffic_minute", `at < now() - interval '3 days'`},
	{"traffic_hour", `at < now() - interval '35 days'`},
	{"migration_run", `finished_at < now() - interval '1 year'`},
}

// clearAtOnce is how many rows go in one transaction: none is locked for long.
const clearAtOnce = 5000

// ClearAway removes what is outdated from the platform's tables, a piece at a time. It
// may run at any time and be cut off anywhere.
func (c *Cluster) ClearAway(ctx context.Context) error {
	for _, o := range outdated {
		for {
			tag, err := c.platform.Exec(ctx, `delete from platform.`+o.table+` where ctid = any(array(
				select ctid from platform.`+o.table+` where `+o.where+` limit $1))`, clearAtOnce)
			if err != nil {
				return fmt.Errorf("clearing old rows of %s: %w", o.table, err)
			}
			if tag.RowsAffected() < clearAtOnce {
				break
			}
		}
	}
	return nil
}
