package school

import (
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/api"
	"homeroom/tenancy"
)

// Stats are one school's numbers as they are now.
type Stats struct {
	SchoolID uuid.UUID `json:"schoolId"`
	Status   string    `json:"status" enum:"PROVISIONING,ACTIVE,SUSPENDED,ARCHIVED,FAILED"`
	Counts
	Use
	Traffic
	LastActivityAt *time.Time `json:"lastActivityAt" doc:"When somebody of the school last signed in, refreshed a token or called; null if nobody has yet"`
}

// Use is who is signed in.
type Use struct {
	Accounts int `json:"accounts" doc:"Who can sign in"`
	Sessions int `json:"sessions" doc:"Signed-in devices"`
}

// Traffic is what was answered in the last 24 hours.
type Traffic struct {
	Requests  int64   `json:"requests" doc:"In the last 24 hours"`
	Errors    int64   `json:"errors" doc:"Of those, answered with 5xx"`
	AverageMs float64 `json:"averageMs" doc:"How long an answer took"`
}

const (
	useOf = `select (select count(*) from account where school_id = $1 and not disabled and barred_at is null)::int,
		count(s.id) filter (where s.revoked_at is null and s.expires_at > $2)::int, max(s.last_used_at)
		from account a join session s on s.account_id = a.id where a.school_id = $1`
	// The hour it is now counts whole: the last 24 hours are 24 to 25.
	trafficOf = `select coalesce(sum(requests), 0)::bigint, coalesce(sum(errors), 0)::bigint,
		coalesce(sum(micros) / nullif(sum(requests), 0), 0)::float8 / 1000, max(at)
		from traffic_hour where school_id = $1 and at > $2::timestamptz - interval '25 hours'`
)

// stats asks the school once and the platform once.
func (m *Module) stats(c api.PlatformCtx, r byID) (Stats, error) {
	s, err := m.Cluster.FindSchool(c, r.ID)
	if err != nil {
		return Stats{}, err
	}
	out := Stats{SchoolID: s.ID, Status: string(s.Status)}
	var signedIn, called *time.Time
	err = tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: useOf, Args: []any{r.ID, c.Now}, Scan: one(&out.Accounts, &out.Sessions, &signedIn)},
		tenancy.Query{SQL: trafficOf, Args: []any{r.ID, c.Now}, Scan: one(&out.Requests, &out.Errors, &out.AverageMs, &called)})
	if err != nil {
		return out, err
	}
	out.LastActivityAt = later(signedIn, called)
	if s.SchemaVersion == 0 {
		return out, nil // it has no tables yet
	}
	db, err := m.Cluster.School(c, s, tenancy.ReadOnly)
	if err != nil {
		return out, err
	}
	out.Counts, err = count(db)
	return out, err
}

// one scans the only row of a query.
func one(into ...any) func(pgx.Rows) error {
	return func(r pgx.Rows) error {
		for r.Next() {
			if err := r.Scan(into...); err != nil {
				return err
			}
		}
		return r.Err()
	}
}

func later(a, b *time.Time) *time.Time {
	if a == nil || (b != nil && b.After(*a)) {
		return b
	}
	return a
}
