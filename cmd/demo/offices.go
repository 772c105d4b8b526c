package demo

import (
	"context"
	"sync"

	"gorm.io/gorm"

	"homeroom/tenancy"
)

// offices are those at one school, as many as are at work at once: one that is done is used again. What they know of the school's
// people is read once.
type offices struct {
	open  func() (*builder, error)
	known func() (*people, error)

	mu   sync.Mutex
	idle []*builder
}

func (d *Demo) offices(ctx context.Context, p *plan, school *tenancy.School, db *gorm.DB) *offices {
	o := &offices{}
	o.open = func() (*builder, error) { return d.build(p, school, db) }
	o.known = sync.OnceValues(func() (there *people, err error) {
		err = o.use(false, func(b *builder) error {
			there = b.people
			return b.readPeople(ctx)
		})
		return there, err
	})
	return o
}

// use has an office do something, knowing the school's people or not.
func (o *offices) use(knowing bool, do func(*builder) error) error {
	there := &people{}
	if knowing {
		var err error
		if there, err = o.known(); err != nil {
			return err
		}
	}
	b, err := o.take()
	if err != nil {
		return err
	}
	defer o.release(b)
	b.people = there
	b.clock.set(b.latest)
	return do(b)
}

func (o *offices) take() (*builder, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if last := len(o.idle) - 1; last >= 0 {
		b := o.idle[last]
		o.idle = o.idle[:last]
		return b, nil
	}
	return o.open()
}

func (o *offices) release(b *builder) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.idle = append(o.idle, b)
}

func (d *Demo) build(p *plan, school *tenancy.School, db *gorm.DB) (*builder, error) {
	o, err := newOffice(d.service, school, &d.calls)
	b := d.outside(p, school, db)
	b.office = o
	return b, err
}

// outside is a builder that calls no endpoints.
func (d *Demo) outside(p *plan, school *tenancy.School, db *gorm.DB) *builder {
	return &builder{office: &office{school: school}, people: &people{}, demo: d, plan: p, db: db, today: d.today(school), latest: d.now()}
}
