package platform

import (
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/api"
	"homeroom/tenancy"
)

// Overview is the platform at a glance.
type Overview struct {
	Schools       int           `json:"schools"`
	ByStatus      []StatusCount `json:"byStatus"`
	Students      int           `json:"students" doc:"At all schools, as last counted"`
	Employees     int           `json:"employees"`
	Guardians     int           `json:"guardians"`
	FileBytes     int64         `json:"fileBytes"`
	DatabaseBytes int64         `json:"databaseBytes"`
	CountedAt     *time.Time    `json:"countedAt" doc:"When a school was last counted; schools nobody used since are not counted again"`
	Sessions      int           `json:"sessions" doc:"Signed-in devices"`

	From        time.Time       `json:"from" doc:"Requests are counted from here on"`
	Requests    int64           `json:"requests"`
	Errors      int64           `json:"errors" doc:"Answered with 5xx"`
	AverageMs   float64         `json:"averageMs"`
	Series      []Moment        `json:"series" doc:"Steps of equal length from the first to now, those without requests too"`
	StepMinutes int             `json:"stepMinutes"`
	Slowest     []SchoolTraffic `json:"slowest" doc:"Schools by the time an answer took them on average, of those with enough requests to say"`
	Busiest     []SchoolTraffic `json:"busiest" doc:"Schools by their requests"`
}

// StatusCount is how many schools are in a state.
type StatusCount struct {
	Status string `json:"status" enum:"PROVISIONING,ACTIVE,SUSPENDED,ARCHIVED,FAILED" example:"ACTIVE"`
	Count  int    `json:"count"`
}

// Moment is one point of a chart.
type Moment struct {
	At        time.Time `json:"at"`
	Requests  int64     `json:"requests"`
	Errors    int64     `json:"errors"`
	AverageMs float64   `json:"averageMs"`
}

// SchoolTraffic is one school's traffic.
type SchoolTraffic struct {
	SchoolID  uuid.UUID `json:"schoolId"`
	Code      string    `json:"code"`
	Name      string    `json:"name"`
	Requests  int64     `json:"requests"`
	Errors    int64     `json:"errors"`
	AverageMs float64   `json:"averageMs"`
}

type overviewRequest struct {
	Hours int `json:"hours" validate:"omitempty,min=1,max=48" doc:"How far back requests are counted; 24 unless given"`
}

// enough is how many requests a school's average must be of to mean something.
const enough = 20

const (
	statusCounts = `select status, count(*)::int as count from school group by status order by status`
	totals       = `select coalesce(sum(students), 0)::int, coalesce(sum(employees), 0)::int, coalesce(sum(guardians), 0)::int,
		coalesce(sum(file_bytes), 0)::bigint,
		coalesce(sum(database_bytes), 0)::bigint, max(counted_at), (select count(*) from session where revoked_at is null
		and expires_at > $1)::int
		from school_count c join school s on s.id = c.school_id and s.status <> 'ARCHIVED'`
	series = `select step as at, coalesce(sum(m.requests), 0)::bigint as requests, coalesce(sum(m.errors), 0)::bigint as errors,
			coalesce(sum(m.micros) / nullif(sum(m.requests), 0), 0)::float8 / 1000 as average_ms
		from generate_series($1::timestamptz, $2::timestamptz, $3::interval) step
		left join traffic_minute m on m.at >= step and m.at < step + $3::interval group by step order by step`
	bySchool = `select t.school_id, s.code, s.name, t.requests, t.errors, t.average_ms from (
			select school_id, sum(requests)::bigint as requests, sum(errors)::bigint as errors,
			(sum(micros) / sum(requests))::float8 / 1000 as average_ms
			from traffic_hour where at >= date_trunc('hour', $1::timestamptz) group by school_id having sum(requests) >= $2) t
		join school s on s.id = t.school_id order by `
	slowest = bySchool + `t.average_ms desc, t.school_id limit 10`
	busiest = bySchool + `t.requests desc, t.school_id limit 10`
)

// overview asks the platform once, and no school.
func overview(c api.PlatformCtx, r overviewRequest) (Overview, error) {
	if r.Hours == 0 {
		r.Hours = 24
	}
	// Some sixty points, on whole steps.
	step := max(time.Duration(r.Hours)*time.Minute, time.Minute)
	until := c.Now.Truncate(step)
	out := Overview{From: until.Add(-time.Duration(r.Hours) * time.Hour).Add(step), StepMinutes: int(step / time.Minute),
		ByStatus: []StatusCount{}, Slowest: []SchoolTraffic{}, Busiest: []SchoolTraffic{}}
	err := tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: statusCounts, Scan: tenancy.Collect(&out.ByStatus)},
		tenancy.Query{SQL: totals, Args: []any{c.Now}, Scan: func(rows pgx.Rows) error {
			_, err := pgx.ForEachRow(rows, []any{&out.Students, &out.Employees, &out.Guardians, &out.FileBytes, &out.DatabaseBytes, &out.CountedAt,
				&out.Sessions}, func() error { return nil })
			return err
		}},
		tenancy.Query{SQL: series, Args: []any{out.From, until, step}, Scan: tenancy.Collect(&out.Series)},
		tenancy.Query{SQL: slowest, Args: []any{out.From, enough}, Scan: tenancy.Collect(&out.Slowest)},
		tenancy.Query{SQL: busiest, Args: []any{out.From, 1}, Scan: tenancy.Collect(&out.Busiest)})
	if err != nil {
		return out, fmt.Errorf("reading the overview: %w", err)
	}
	var ms float64
	for _, s := range out.ByStatus {
		out.Schools += s.Count
	}
	for _, m := range out.Series {
		out.Requests, out.Errors = out.Requests+m.Requests, out.Errors+m.Errors
		ms += m.AverageMs * float64(m.Requests)
	}
	if out.Requests > 0 {
		out.AverageMs = ms / float64(out.Requests)
	}
	return out, nil
}
