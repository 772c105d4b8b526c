package lifecycle

import (
	"context"
	"encoding/json"
	"fmt"
	"homeroom/tenancy"
	"homeroom/tenancy/internal/sqlstate"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Provisioner makes schools. A request is recorded with the steps it takes; Run
// then does the steps that are not done yet. Every step may be done twice, so a run
// that was killed anywhere is simply run again.
type Provisioner struct {
	// Enqueue, if set, puts the school on a queue in the transaction of its request,
	// so that no request is without a job.
	Enqueue func(ctx context.Context, tx pgx.Tx, school uuid.UUID) error
	// Stepped, if set, is called before a step begins and after it was recorded as done.
	Stepped func(school uuid.UUID, step string, done bool)

	cluster *tenancy.Cluster
	steps   []step
}

// Step is something a new school needs once it has its tables. It must leave the
// same behind when it is done twice. admin is what was asked for in NewSchool.Admin.
type Step struct {
	Name string
	Run  func(ctx context.Context, s *tenancy.School, admin json.RawMessage) error
}

// NewProvisioner makes schools in the cluster; the given steps are done in order,
// between the school's schema and its activation.
func NewProvisioner(c *tenancy.Cluster, steps ...Step) *Provisioner {
	p := &Provisioner{cluster: c}
	p.steps = []step{{"reserve", p.reserve}, {"schema", p.schema}}
	for _, s := range steps {
		p.steps = append(p.steps, step{s.Name, func(ctx context.Context, o *onboarding) error {
			return s.Run(ctx, o.school, o.admin)
		}})
	}
	p.steps = append(p.steps, step{"activate", p.activate})
	return p
}

// NewSchool is what is asked for.
type NewSchool struct {
	ID       uuid.UUID // made unless given
	Code     string
	Name     string
	TimeZone string
	Locale   string
	Currency string
	Node     string // where it shall live; empty: the least loaded node

	WeekendDays []int16 // nil: Saturday and Sunday
	Address     string
	Phone       string
	Email       string

	// Admin is handed to the steps, and forgotten when the school is active.
	Admin json.RawMessage
}

// Request records a school, PROVISIONING, with the steps to be done.
func (p *Provisioner) Request(ctx context.Context, n NewSchool, also ...tenancy.InTx) (*tenancy.School, error) {
	made, err := p.RequestAll(ctx, []NewSchool{n}, also...)
	if err != nil {
		return nil, err
	}
	return made[0], nil
}

// RequestAll records several schools, all of them or none.
func (p *Provisioner) RequestAll(ctx context.Context, schools []NewSchool, also ...tenancy.InTx) ([]*tenancy.School, error) {
	var made []*tenancy.School
	for i := range schools {
		if err := schools[i].complete(); err != nil {
			return nil, err
		}
		also = p.andEnqueue(schools[i].ID, also)
	}
	err := tenancy.Transact(ctx, p.cluster.PlatformPool(), also, func(tx pgx.Tx) error {
		for _, n := range schools {
			school, err := p.write(ctx, tx, n)
			if err != nil {
				return fmt.Errorf("requesting school %s: %w", n.Code, err)
			}
			made = append(made, school)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, n := range schools {
		p.cluster.NotifyChanged(n.ID)
	}
	return made, nil
}

// complete sets what was not said.
func (n *NewSchool) complete() error {
	if _, err := time.LoadLocation(n.TimeZone); err != nil || n.TimeZone == "" {
		return fmt.Errorf("requesting school %s: %q is not a time zone", n.Code, n.TimeZone)
	}
	if n.ID == uuid.Nil {
		n.ID = uuid.Must(uuid.NewV7())
	}
	if n.WeekendDays == nil {
		n.WeekendDays = []int16{0, 6}
	}
	if n.Admin == nil {
		n.Admin = json.RawMessage("{}")
	}
	return nil
}

func (p *Provisioner) write(ctx context.Context, tx pgx.Tx, n NewSchool) (*tenancy.School, error) {
	names := make([]string, len(p.steps))
	for i, s := range p.steps {
		names[i] = s.name
	}
	if n.Node != "" {
		if err := CheckActive(ctx, tx, n.Node); err != nil {
			return nil, err
		}
	}
	school, err := tenancy.ScanSchool(tx.QueryRow(ctx, `insert into platform.school
			(id, code, name, node, status, time_zone, locale, currency, weekend_days, address, phone, email)
		values ($1, $2, $3, nullif($4, ''), 'PROVISIONING', $5, $6, $7, $8, $9, $10, $11) returning `+tenancy.SchoolColumns,
		n.ID, n.Code, n.Name, n.Node, n.TimeZone, n.Locale, n.Currency, n.WeekendDays, n.Address, n.Phone, n.Email))
	if sqlstate.IsUnique(err, "school_code_key") {
		return nil, tenancy.ErrCodeTaken
	}
	if err != nil {
		return nil, err
	}
	batch := &pgx.Batch{}
	batch.Queue(`insert into platform.provisioning_request (school_id, admin) values ($1, $2)`, n.ID, n.Admin)
	batch.Queue(`insert into platform.provisioning_step (school_id, step, position)
		select $1, name, at from unnest($2::text[]) with ordinality as s (name, at)`, n.ID, names)
	return school, tx.SendBatch(ctx, batch).Close()
}

// Retry has a failed school's provisioning go on where it stopped.
func (p *Provisioner) Retry(ctx context.Context, id uuid.UUID, also ...tenancy.InTx) (*tenancy.School, error) {
	return p.cluster.SetStatus(ctx, id, tenancy.Provisioning, p.andEnqueue(id, also)...)
}

func (p *Provisioner) andEnqueue(school uuid.UUID, also []tenancy.InTx) []tenancy.InTx {
	if p.Enqueue == nil {
		return also
	}
	return append(also, func(ctx context.Context, tx pgx.Tx) error { return p.Enqueue(ctx, tx, school) })
}
