package lifecycle

import (
	"context"
	"fmt"
	"homeroom/tenancy"
)

// outdated are the rows of the platform's tables that are of no use any more. What could
// still show an operator why a user was signed out stays for a month.
var outdated = []struct{ table, where string }{
	{"idempotency", `created_at < now() - interval '24 hours'`},
	{"session", `expires_at < now() - interval '30 days'`},
	{"password_link", `expires_at < now() - interval '30 days'`},
	{"traffic_minute", `at < now() - interval '3 days'`},
	{"traffic_hour", `at < now() - interval '35 days'`},
	{"migration_run", `finished_at < now() - interval '1 year'`},
}

// deleteAtOnce is how many rows go in one transaction: none is locked for long.
const deleteAtOnce = 5000

// DeleteOutdated deletes what is outdated from the platform's tables, a batch at a time. It
// may run at any time and be cut off anywhere.
func DeleteOutdated(ctx context.Context, c *tenancy.Cluster) error {
	for _, o := range outdated {
		for {
			tag, err := c.PlatformPool().Exec(ctx, `delete from platform.`+o.table+` where ctid = any(array(
				select ctid from platform.`+o.table+` where `+o.where+` limit $1))`, deleteAtOnce)
			if err != nil {
				return fmt.Errorf("clearing old rows of %s: %w", o.table, err)
			}
			if tag.RowsAffected() < deleteAtOnce {
				break
			}
		}
	}
	return nil
}
