package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/rbac"
	"homeroom/tenancy"
)

// policies is how many rules each school has for this.
const policies = 200

// morePolicies brings the 108 that a school is born with to 201.
const morePolicies = `
insert into role (id, name, type) select md5(name)::uuid, name, 'TEACHER'
from unnest(array['Bench one', 'Bench two']) name on conflict do nothing;
insert into permission (id, role_id, module_id, can_read, can_write, can_delete)
select gen_random_uuid(), r.id, m.id, true, true, true from role r, (select id, row_number() over (order by name) as n from module) m
where r.name = 'Bench one' or (r.name = 'Bench two' and m.n <= 9) on conflict do nothing`

// overhead is the service in this process, asked without a network in between.
type overhead struct {
	*bench
	service *service.Service
	trips   *trips
	tokens  []string
	schools []*tenancy.School
}

// measureOverhead finds the processor time of what every request goes through before
// its handler: token, session, limit in Redis, permission by Casbin.
func measureOverhead(ctx context.Context, b *bench) error {
	n := b.settings.schools[len(b.settings.schools)-1]
	f, err := b.schools(ctx, n)
	if err != nil {
		return err
	}
	o := &overhead{bench: b, trips: &trips{}}
	o.service, err = service.New(ctx, f.config, service.Options{
		Log: nowhere(), Migrations: schoolMigrations(f.added), ExtraRows: studentRows(), Dial: o.trips.dial,
	})
	if err != nil {
		return err
	}
	defer o.service.Close()
	if err := o.prepare(ctx, f, n); err != nil {
		return err
	}
	if err := o.countTrips(); err != nil {
		return err
	}
	return o.compare(ctx)
}

func (o *overhead) prepare(ctx context.Context, f *fleet, n int) error {
	tokens, err := f.signIn(ctx, upTo(n)...)
	if err != nil {
		return err
	}
	for i := 1; i <= n; i++ {
		if err := f.exec(ctx, "set search_path = "+tenancy.Ident(schemaName(i))+";"+morePolicies+"; set search_path = ''"); err != nil {
			return err
		}
		s, err := o.service.Registry.School(ctx, schoolID(i))
		if err != nil {
			return err
		}
		o.tokens, o.schools = append(o.tokens, tokens[i]), append(o.schools, s)
	}
	return nil
}

// get calls the API as the administrator of the i-th school.
func (o *overhead) get(i int, path string) error {
	r, err := http.NewRequest("GET", path, nil)
	if err != nil {
		return err
	}
	r.RemoteAddr = "127.0.0.1:1"
	r.Header.Set("Authorization", "Bearer "+o.tokens[i%len(o.tokens)])
	w := &blotter{header: http.Header{}}
	o.service.Kernel.Handler().ServeHTTP(w, r)
	if w.status != http.StatusOK {
		return fmt.Errorf("GET %s: answered %d %s", path, w.status, w.body)
	}
	return nil
}

func (o *overhead) compare(ctx context.Context) error {
	n := 20_000
	if o.quick {
		n = 2_000
	}
	bare := gin.New()
	bare.GET("/nothing", func(g *gin.Context) { g.JSON(200, map[string]any{"data": struct{}{}, "message": "OK"}) })
	request, err := http.NewRequest("GET", "/nothing", nil)
	if err != nil {
		return err
	}
	var whole, ginAlone, token, redis, remembered, asked []time.Duration
	for range o.rounds {
		// Everything is known before it is measured, and stays known for seconds.
		for i := range o.tokens {
			if err := o.get(i, idlePath); err != nil {
				return err
			}
		}
		for _, m := range []struct {
			into *[]time.Duration
			n    int
			f    func(i int) error
		}{
			{&whole, n, func(i int) error { return o.get(i, idlePath) }},
			{&ginAlone, n, func(int) error { bare.ServeHTTP(&blotter{header: http.Header{}}, request); return nil }},
			{&token, n, func(i int) error { _, err := o.service.Tokens.ReadAccess(o.tokens[i%len(o.tokens)]); return err }},
			{&redis, n, func(i int) error { return o.service.Redis.Incr(ctx, "bench:"+o.schools[i%len(o.schools)].Code).Err() }},
			{&remembered, n * 10, func(i int) error { return o.remembered(ctx, i) }},
			{&asked, len(o.schools), func(i int) error { return o.firstDecision(ctx, i) }},
		} {
			each, err := processorTime(m.n, m.f)
			if err != nil {
				return err
			}
			*m.into = append(*m.into, each)
		}
	}
	parts := median(ginAlone) + median(token) + median(redis)
	o.report.add(line{
		what: fmt.Sprintf("a request up to its handler, %d × %d policies: Gin, token and one Redis call by themselves", len(o.schools),
			policies),
		ours: micros(median(whole)), limit: micros(parts), ratio: parts.Seconds() / median(whole).Seconds(),
	})
	o.report.note(fmt.Sprintf("Processor time of the parts: Gin %s, token %s, Redis call %s.", micros(median(ginAlone)),
		micros(median(token)), micros(median(redis))))
	o.report.note(fmt.Sprintf("A permission: %d ns when it was asked before, %s when Casbin decides it.", median(remembered).Nanoseconds(),
		micros(median(asked))))
	return nil
}

// remembered asks what the warm-up has asked already.
func (o *overhead) remembered(ctx context.Context, i int) error {
	s := o.schools[i%len(o.schools)]
	d, err := o.service.RBAC.Decide(ctx, s, api.User{RoleID: rbac.RoleID(s.ID, api.SchoolAdmin)}, readStudents)
	if err == nil && !d.Allowed {
		err = fmt.Errorf("school %s: an administrator may not read students", s.Code)
	}
	return err
}

// firstDecision asks as a role that nobody has asked as before.
func (o *overhead) firstDecision(ctx context.Context, i int) error {
	_, err := o.service.RBAC.Decide(ctx, o.schools[i%len(o.schools)], api.User{RoleID: uuid.New()}, readStudents)
	return err
}

var readStudents = api.Question{Module: "student", Action: api.Read}

// processorTime is what one of n calls costs this process.
func processorTime(n int, f func(i int) error) (time.Duration, error) {
	before := ownCPU()
	for i := range n {
		if err := f(i); err != nil {
			return 0, err
		}
	}
	return (ownCPU() - before) / time.Duration(n), nil
}

// blotter takes an answer that nobody reads.
type blotter struct {
	header http.Header
	status int
	body   []byte
}

func (b *blotter) Header() http.Header { return b.header }

func (b *blotter) WriteHeader(status int) { b.status = status }

func (b *blotter) Write(p []byte) (int, error) {
	if b.status == 0 {
		b.status = http.StatusOK
	}
	if b.status != http.StatusOK {
		b.body = append(b.body, p...)
	}
	return len(p), nil
}
