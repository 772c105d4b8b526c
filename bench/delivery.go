package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/delivery"
	"homeroom/notice"
	"homeroom/tenancy"
)

const (
	toldGuardians = 5_000
	tellingTarget = 0.6
	// tellingSchools are those the changes are spread over.
	tellingSchools = 10
)

// tellers is the service with everything that runs beside requests, and a provider
// that notes when it was called for which record.
type tellers struct {
	*service.Service
	stop func()

	mu     sync.Mutex
	called map[uuid.UUID]time.Time
}

// Send notes the moment.
func (t *tellers) Send(_ context.Context, m delivery.Message) (string, error) {
	now := time.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	if m.RecordID != nil {
		t.called[*m.RecordID] = now
	}
	return "noted", nil
}

type tellRequest struct {
	RecordID  uuid.UUID `json:"recordId"`
	StudentID uuid.UUID `json:"studentId"`
}

// startTellers runs an instance on the fleet's database.
func startTellers(ctx context.Context, f *fleet) (*tellers, error) {
	t := &tellers{called: map[uuid.UUID]time.Time{}}
	served, err := service.New(ctx, f.config, service.Options{
		Log: nowhere(), Migrations: schoolMigrations(f.added), Namespace: "bench" + uuid.NewString()[:8],
		Drivers: map[delivery.Channel]delivery.Driver{delivery.Push: t},
		ExtraRows: api.Rows(api.Post("/school-admin/report/bench-tell", "report", "Changes something and tells a student's guardians",
			func(c api.Ctx, r tellRequest) (api.Nothing, error) {
				notice.Send(c, notice.Notice{Type: notice.Transport, Key: r.RecordID.String(), RecordID: r.RecordID, StudentID: &r.StudentID,
					Title: "Bus", Body: "The bus has left."})
				return api.Nothing{}, nil
			})),
	})
	if err != nil {
		return nil, err
	}
	t.Service = served
	background, cancel := context.WithCancel(ctx)
	done, err := served.Background(background)
	if err != nil {
		cancel()
		return nil, err
	}
	t.stop = func() {
		_ = served.Jobs.Stop(ctx)
		cancel()
		done.Wait()
		served.Close()
	}
	return t, nil
}

// post calls the service in this process.
func (t *tellers) post(token, path, body string) (string, error) {
	r, err := http.NewRequest("POST", path, bytes.NewReader([]byte(body)))
	if err != nil {
		return "", err
	}
	r.RemoteAddr = "127.0.0.1:1"
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	w := &blotter{header: http.Header{}}
	t.Kernel.Handler().ServeHTTP(w, r)
	if w.status >= 300 {
		return "", fmt.Errorf("POST %s: answered %d %s", path, w.status, w.body)
	}
	return string(w.body), nil
}

// measureDelivery: how long after a change is committed its provider is called, and
// what it takes to write five thousand lines of the log.
func measureDelivery(ctx context.Context, b *bench) error {
	f, err := b.schools(ctx, 1)
	if err != nil {
		return err
	}
	t, err := startTellers(ctx, f)
	if err != nil {
		return err
	}
	defer t.stop()
	if err := b.measureLatency(ctx, t); err != nil {
		return err
	}
	return b.measureAnnouncement(ctx, t)
}

// familySQL is one child and a parent, at a school that sends at any hour; it must have its parents' role.
const familySQL = `
update school_setting set quiet_from = null, quiet_to = null;
insert into app_user (id, role_id, first_name, phone) select md5('parent')::uuid, id, 'Parent', '+919812300001' from role
where type = 'PARENT' and system;
insert into guardian (id, user_id, first_name, phone) values (md5('guardian')::uuid, md5('parent')::uuid, 'Parent', '+919812300001');
insert into student (id, admission_number, first_name, admission_date) values (md5('student')::uuid, 'bench', 'Child', current_date);
insert into student_guardian (id, student_id, guardian_id, relation)
values (gen_random_uuid(), md5('student')::uuid, md5('guardian')::uuid, 'MOTHER')`

func (b *bench) measureLatency(ctx context.Context, t *tellers) error {
	var tokens []string
	for range tellingSchools {
		o, err := b.newOffice(ctx)
		if err != nil {
			return err
		}
		if err := o.exec(ctx, "set search_path = "+tenancy.Ident(schemaName(o.number))+", extensions;"+
			familySQL+"; set search_path = ''"); err != nil {
			return err
		}
		tokens = append(tokens, o.token)
	}
	for _, token := range tokens { // every school is known before the clock runs
		if _, err := t.change(token, api.NewID()); err != nil {
			return err
		}
	}
	for _, rate := range []int{50, 200} {
		waits, err := t.changes(tokens, rate, time.Duration(max(b.seconds, 3))*time.Second)
		if err != nil {
			return err
		}
		b.report.add(line{
			what: fmt.Sprintf("commit to provider, %d changes/s, %d schools: p50, p99", rate, tellingSchools),
			ours: millis(waits[len(waits)/2]), limit: millis(waits[len(waits)*99/100]), ratio: 0,
		})
	}
	return nil
}

func (t *tellers) change(token string, record uuid.UUID) (time.Time, error) {
	_, err := t.post(token, "/school-admin/report/bench-tell",
		fmt.Sprintf(`{"data":{"recordId":%q,"studentId":%q}}`, record, md5ID("student")))
	return time.Now(), err
}

// changes makes so many changes a second, each on its own, and returns how long after
// its commit each was delivered, in order of length.
func (t *tellers) changes(tokens []string, rate int, during time.Duration) ([]time.Duration, error) {
	var all sync.WaitGroup
	var mu sync.Mutex
	committed := map[uuid.UUID]time.Time{}
	var failed []error
	tick := time.NewTicker(time.Second / time.Duration(rate))
	defer tick.Stop()
	for i := range int(during.Seconds()) * rate {
		<-tick.C
		all.Go(func() {
			record := api.NewID()
			at, err := t.change(tokens[i%len(tokens)], record)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				failed = append(failed, err)
				return
			}
			committed[record] = at
		})
	}
	all.Wait()
	if err := errors.Join(failed...); err != nil {
		return nil, err
	}
	var waits []time.Duration
	for deadline := time.Now().Add(30 * time.Second); len(waits) < len(committed); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			return nil, fmt.Errorf("only %d of %d changes were told", len(waits), len(committed))
		}
		waits = waits[:0]
		t.mu.Lock()
		for record, at := range committed {
			if called, ok := t.called[record]; ok {
				waits = append(waits, max(0, called.Sub(at)))
			}
		}
		t.mu.Unlock()
	}
	slices.Sort(waits)
	return waits, nil
}

// logSQL is what an announcement's log takes at the least.
const logSQL = `insert into notification (id, user_id, dedupe_key, type, title, body, record_id, created_at)
	select gen_random_uuid(), u.user_id, 'announcement/bench', 'ANNOUNCEMENT', 'Sports day', 'Bring water.', md5('bench')::uuid, now()
	from (select distinct g.user_id from student_guardian sg join guardian g on g.id = sg.guardian_id join student s on s.id = sg.student_id
	where sg.can_view_data and s.status = 'ACTIVE') u`

// measureAnnouncement publishes to five thousand guardians, from the call to the last
// line of the log, and writes the same lines by one statement elsewhere.
func (b *bench) measureAnnouncement(ctx context.Context, t *tellers) error {
	guardians := toldGuardians
	if b.quick {
		guardians = 500
	}
	file := studentFile(guardians * 3 / 2)
	var ours, limit []time.Duration
	for range b.rounds {
		for _, by := range []struct {
			into *[]time.Duration
			run  func(*office) error
		}{{&ours, func(o *office) error { return t.announce(ctx, o, guardians) }}, {&limit, func(o *office) error {
			return o.exec(ctx, "set search_path = "+tenancy.Ident(schemaName(o.number))+", extensions;"+logSQL+"; set search_path = ''")
		}}} {
			o, err := b.newOffice(ctx)
			if err != nil {
				return err
			}
			if _, err := o.psqlImport(ctx, file); err != nil {
				return err
			}
			schema := tenancy.Ident(schemaName(o.number))
			if err := o.exec(ctx,
				"analyze "+schema+".guardian, "+schema+".student, "+schema+".student_guardian, "+schema+".app_user, "+
					schema+".enrolment"); err != nil {
				return err
			}
			began := time.Now()
			if err := by.run(o); err != nil {
				return err
			}
			*by.into = append(*by.into, time.Since(began))
		}
	}
	b.report.add(line{
		what: fmt.Sprintf("announcement to %d guardians: one INSERT … SELECT", guardians), ours: millis(median(ours)),
		limit: millis(median(limit)),
		ratio: median(limit).Seconds() / median(ours).Seconds(), target: atLeast(tellingTarget),
	})
	return nil
}

func (t *tellers) announce(ctx context.Context, o *office, guardians int) error {
	if _, err := t.post(o.token, "/school-admin/announcement/create",
		fmt.Sprintf(`{"data":{"title":"Sports day","body":"Bring water.","publishAt":%q}}`,
			time.Now().Add(-time.Second).Format(time.RFC3339))); err != nil {
		return err
	}
	schema := tenancy.Ident(schemaName(o.number))
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		var n int
		// One transaction writes them all: where told_at is, they are.
		if err := t.Cluster.PlatformPool().QueryRow(ctx, `select count(*) from `+
			schema+`.announcement where told_at is not null`).Scan(&n); err != nil {
			return err
		}
		if n == 1 {
			return nil
		}
	}
	return fmt.Errorf("the announcement to %d guardians was not told", guardians)
}
