//go:build load

package load

import (
	"context"
	"crypto/md5"
	"encoding/json"
	"fmt"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"homeroom/api"
	"homeroom/auth/tokens"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/tenancy"
	"homeroom/tenancy/lifecycle"
)

// What every school has: divisions with their teacher, students with a parent each, and a
// bus on its way that some of them ride.
const (
	divisionsEach = 4
	studentsEach  = 30 // in a division
	ridersEach    = 30
	timeZone      = "Asia/Kolkata"
	markableDays  = 8 // today and the seven before
	pin           = "4826"
)

// schoolSQL fills the school of number %[1]d. Ids follow from it, so that the load knows
// them without asking: people's must differ from those of every other school.
const schoolSQL = `
insert into academic_year (id, name, start_date, end_date, active)
values (md5('%[1]d year')::uuid, 'now', current_date - 100, current_date + 100, true);
insert into class (id, name, level) select md5('%[1]d class ' || d)::uuid, 'Class ' || d, d from generate_series(1, %[2]d) d;
insert into division (id, class_id, name) select md5('%[1]d division ' || d)::uuid, md5('%[1]d class ' || d)::uuid, 'A'
from generate_series(1, %[2]d) d;

insert into app_user (id, role_id, first_name, phone)
select md5('%[1]d teacher ' || d)::uuid, r.id, 'Ravi', '+9196' || lpad((%[1]d * 1000 + d)::text, 8, '0')
from role r, generate_series(1, %[2]d) d where r.type = 'TEACHER' and r.system;
insert into employee (id, user_id, employee_code, first_name, phone, employee_type)
select u.id, u.id, 'T' || u.phone, 'Ravi', u.phone, 'TEACHER' from app_user u join role r on r.id = u.role_id where r.type = 'TEACHER';
insert into teacher_assignment (id, user_id, academic_year_id, class_id, division_id)
	select gen_random_uuid(), md5('%[1]d teacher ' || d)::uuid, md5('%[1]d year')::uuid, md5('%[1]d class ' || d)::uuid,
	md5('%[1]d division ' || d)::uuid from generate_series(1, %[2]d) d;

insert into student (id, admission_number, first_name, last_name, class_id, admission_date)
	select md5('%[1]d student ' || d || ' ' || s)::uuid, d || '-' || s, 'Child' || s, 'Rao', md5('%[1]d class ' || d)::uuid, current_date - 90
	from generate_series(1, %[2]d) d, generate_series(1, %[3]d) s;
insert into enrolment (id, student_id, academic_year_id, class_id, division_id, roll_number, start_date)
	select gen_random_uuid(), md5('%[1]d student ' || d || ' ' || s)::uuid, md5('%[1]d year')::uuid, md5('%[1]d class ' || d)::uuid,
	md5('%[1]d division ' || d)::uuid, s, current_date - 90 from generate_series(1, %[2]d) d, generate_series(1, %[3]d) s;
insert into app_user (id, role_id, first_name, phone, pin_hash)
	select md5('%[1]d parent ' || d || ' ' || s)::uuid, r.id, 'Meera', '+9197' || lpad((%[1]d * 1000 + d * 100 + s)::text, 8, '0'), '%[6]s'
	from role r, generate_series(1, %[2]d) d, generate_series(1, %[3]d) s where r.type = 'PARENT' and r.system;
insert into guardian (id, user_id, first_name, phone) select u.id, u.id, 'Meera', u.phone from app_user u join role r on r.id = u.role_id
where r.type = 'PARENT';
insert into student_guardian (id, student_id, guardian_id, relation, is_primary)
	select gen_random_uuid(), md5('%[1]d student ' || d || ' ' || s)::uuid, md5('%[1]d parent ' || d || ' ' || s)::uuid, 'MOTHER', true
	from generate_series(1, %[2]d) d, generate_series(1, %[3]d) s;

insert into app_user (id, role_id, first_name, phone) select md5('%[1]d driver')::uuid, r.id, 'Bala', '+9195' || lpad('%[1]d', 8, '0')
from role r where r.type = 'DRIVER' and r.system;
insert into employee (id, user_id, employee_code, first_name, phone, employee_type) select u.id, u.id, 'D1', 'Bala', u.phone, 'DRIVER'
from app_user u where u.id = md5('%[1]d driver')::uuid;
insert into bus (id, bus_number, driver_id) values (md5('%[1]d bus')::uuid, '1', md5('%[1]d driver')::uuid);
insert into route (id, name, bus_id, direction) values (md5('%[1]d route')::uuid, 'Hill Road', md5('%[1]d bus')::uuid, 'pickup');
insert into stop (id, route_id, name, sequence, lat, lng)
select md5('%[1]d stop ' || n)::uuid, md5('%[1]d route')::uuid, 'Stop ' || n, n, 12.9 + n * 0.02, 77.5 from generate_series(1, 10) n;
insert into ride (id, student_id, route_id, stop_id, direction, start_date)
	select gen_random_uuid(), md5('%[1]d student 1 ' || s)::uuid, md5('%[1]d route')::uuid, md5('%[1]d stop ' || 2 + s %% 8)::uuid, 'pickup',
	current_date - 90 from generate_series(1, %[4]d) s;
insert into trip (id, route_id, bus_id, driver_id, trip_type, trip_date, scheduled_start_at, status, started_at)
	values (md5('%[1]d trip')::uuid, md5('%[1]d route')::uuid, md5('%[1]d bus')::uuid, md5('%[1]d driver')::uuid, 'pickup', '%[5]s',
	now() - interval '2 minutes', 'in_progress', now() - interval '2 minutes');
insert into boarding (id, trip_id, student_id, stop_id, status, preset, updated_at)
	select gen_random_uuid(), md5('%[1]d trip')::uuid, r.student_id, r.stop_id, 'waiting', 'waiting', now() from ride r;
update school_setting set policy_version = policy_version + 1;
analyze app_user, student, enrolment, guardian, student_guardian, teacher_assignment, ride, boarding`

// vacuumSQL does at once what autovacuum would do in the middle of a measurement.
const vacuumSQL = `vacuum analyze pg_catalog.pg_class, pg_catalog.pg_attribute, pg_catalog.pg_index, pg_catalog.pg_constraint, pg_catalog.pg_depend,
	pg_catalog.pg_shdepend, pg_catalog.pg_trigger, pg_catalog.pg_type, pg_catalog.pg_namespace, pg_catalog.pg_authid, pg_catalog.pg_auth_members, platform.account, platform.session`

// directorySQL enters everybody as their school knows them: an entry that differs is
// mended by whichever instance sees it, and its session ended.
const directorySQL = `
insert into platform.account (id, school_id, user_id, role_type, phone)
	select id, $1::uuid, id, 'PARENT', '+9197' || lpad(($2::int * 1000 + d * 100 + s)::text, 8, '0')
	from generate_series(1, $3::int) d, generate_series(1, $4::int) s,
	lateral (select md5($2::int || ' parent ' || d || ' ' || s)::uuid) as made(id)
	union all select id, $1::uuid, id, 'TEACHER', '+9196' || lpad(($2::int * 1000 + d)::text, 8, '0')
	from generate_series(1, $3::int) d, lateral (select md5($2::int || ' teacher ' || d)::uuid) as made(id)
	union all select id, $1::uuid, id, 'DRIVER', '+9195' || lpad($2::int::text, 8, '0')
	from (select md5($2::int || ' driver')::uuid) as made(id)`

const sessionSQL = `insert into platform.session (id, account_id, token_hash, expires_at) select id, id, '', $2 from platform.account
	where school_id = $1 and role_type in ('PARENT', 'TEACHER', 'DRIVER')`

// idOf is the id that schoolSQL gives.
func idOf(format string, args ...any) uuid.UUID {
	return uuid.UUID(md5.Sum(fmt.Appendf(nil, format, args...)))
}

// town is the schools of a run.
type town struct {
	service *service.Service
	schools int
}

// newTown makes schools as the product does and fills them, a few at a time.
func newTown(t *testing.T, c config.Config, schools int) *town {
	t.Helper()
	ctx := context.Background()
	s, err := service.New(ctx, c, service.Options{NoFirstYear: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	if err := s.Prepare(ctx); err != nil {
		t.Fatal(err)
	}
	s.Provisioner.Enqueue = nil // we do it, no instance
	hashed, err := s.Auth.HashPIN(ctx, pin)
	if err != nil {
		t.Fatal(err)
	}
	w := &town{service: s, schools: schools}
	var group errgroup.Group
	group.SetLimit(4)
	var done atomic.Int32
	began := time.Now()
	for n := 1; n <= schools; n++ {
		group.Go(func() error {
			if err := w.add(ctx, n, hashed); err != nil {
				return fmt.Errorf("making school %d: %w", n, err)
			}
			if d := done.Add(1); d%50 == 0 {
				t.Logf("%d schools made", d)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	if err := w.exec(ctx, vacuumSQL); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d schools with %d students each, in %s", schools, divisionsEach*studentsEach, time.Since(began).Round(time.Second))
	return w
}

func (w *town) add(ctx context.Context, n int, hashed string) error {
	s := w.service
	id := idOf("%d school", n)
	_, err := s.Provisioner.Request(ctx, lifecycle.NewSchool{
		ID: id, Code: fmt.Sprintf("load-%d", n), Name: fmt.Sprintf("School %d", n), TimeZone: timeZone, Locale: "en-IN", Currency: "INR",
		WeekendDays: []int16{}, Admin: json.RawMessage("{}"),
	})
	if err == nil {
		err = s.Provisioner.Run(ctx, id)
	}
	if err != nil {
		return err
	}
	school, err := s.Cluster.FindSchool(ctx, id)
	if err != nil {
		return err
	}
	sql := fmt.Sprintf(schoolSQL, n, divisionsEach, studentsEach, ridersEach, today(), hashed)
	if err := w.exec(ctx, "set search_path = "+tenancy.Ident(school.Schema)+", extensions;"+sql+"; set search_path = ''"); err != nil {
		return err
	}
	pool := s.Cluster.PlatformPool()
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, directorySQL, id, n, divisionsEach, studentsEach); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, sessionSQL, id, time.Now().Add(tokens.RefreshLife))
		return err
	})
}

// exec runs SQL as the owner of the schools' server.
func (w *town) exec(ctx context.Context, sql string) error {
	node, err := w.service.Cluster.Node(ctx, tenancy.MainNode)
	if err != nil {
		return err
	}
	conn, err := node.Admin().Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	return conn.Conn().PgConn().Exec(ctx, sql).Close()
}

// today is the schools' day.
func today() api.Date {
	place, err := time.LoadLocation(timeZone)
	if err != nil {
		panic(err)
	}
	return api.DateOf(time.Now().In(place))
}

type parentUser struct {
	Token   string `json:"token"`
	Student string `json:"student"`
	Bus     string `json:"bus"`
}

type teacherUser struct {
	Token    string   `json:"token"`
	Division string   `json:"division"`
	Students []string `json:"students"`
}

type driverUser struct {
	Token string `json:"token"`
}

// crowd is whom the load speaks for. Access tokens live a quarter of an hour, so every
// part of a run has fresh ones.
type crowd struct {
	Parents  []parentUser  `json:"parents"`
	Teachers []teacherUser `json:"teachers"`
	Drivers  []driverUser  `json:"drivers"`
	Phones   []string      `json:"phones"`
	Days     []string      `json:"days"`
}

// signIn writes everybody's tokens to a file. People of one school do not come one after
// the other: every call meets another school than the one before.
func (w *town) signIn(t *testing.T, path string) {
	t.Helper()
	var c crowd
	token := func(n int, role api.RoleType, id uuid.UUID) string {
		text, err := w.service.Tokens.SignAccess(tokens.Access{UserID: id, SessionID: id, SchoolID: idOf("%d school", n), Role: role})
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	for s := 1; s <= ridersEach; s++ {
		for n := 1; n <= w.schools; n++ {
			c.Parents = append(c.Parents, parentUser{token(n, api.Parent, idOf("%d parent 1 %d", n, s)), idOf("%d student 1 %d", n, s).String(),
				idOf("%d bus", n).String()})
			c.Phones = append(c.Phones, fmt.Sprintf("+9197%08d", n*1000+200+s))
		}
	}
	for d := 1; d <= divisionsEach; d++ {
		for n := 1; n <= w.schools; n++ {
			teacher := teacherUser{Token: token(n, api.Teacher, idOf("%d teacher %d", n, d)), Division: idOf("%d division %d", n, d).String()}
			for s := 1; s <= studentsEach; s++ {
				teacher.Students = append(teacher.Students, idOf("%d student %d %d", n, d, s).String())
			}
			c.Teachers = append(c.Teachers, teacher)
		}
	}
	for n := 1; n <= w.schools; n++ {
		c.Drivers = append(c.Drivers, driverUser{token(n, api.Driver, idOf("%d driver", n))})
	}
	for back := range markableDays {
		c.Days = append(c.Days, today().AddDays(-back).String())
	}
	text, err := json.Marshal(c)
	if err == nil {
		err = os.WriteFile(path, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
