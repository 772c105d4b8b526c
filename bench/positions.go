package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"
	"strings"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"homeroom/api"
	"homeroom/auth/tokens"
	"homeroom/realtime/ioclient"
	"homeroom/tenancy"
)

const (
	positionsTarget = 0.5
	positionsSent   = 40_000
	drivingBuses    = 40
	// positionsBatch is how many the service writes at once when it is busy.
	positionsBatch = 500
	// positionsAhead is how many a phone sends before it waits for an answer.
	positionsAhead = 250
)

// busesSQL makes so many buses on their way, with a driver each.
const busesSQL = `
insert into app_user (id, role_id, first_name) select md5('u' || n)::uuid, r.id, 'Driver' from role r, generate_series(1, %[1]d) n
where r.type = 'DRIVER' and r.system;
insert into employee (id, user_id, employee_code, first_name, phone, employee_type)
select md5('e' || n)::uuid, md5('u' || n)::uuid, 'D' || n, 'Driver', '', 'DRIVER' from generate_series(1, %[1]d) n;
insert into bus (id, bus_number, driver_id) select md5('b' || n)::uuid, n::text, md5('e' || n)::uuid from generate_series(1, %[1]d) n;
insert into route (id, name, bus_id, direction) select md5('r' || n)::uuid, 'Route ' || n, md5('b' || n)::uuid, 'pickup'
from generate_series(1, %[1]d) n;
insert into stop (id, route_id, name, sequence, lat, lng)
select gen_random_uuid(), md5('r' || n)::uuid, 'Stop ' || s, s, 12.9 + s * 0.02, 77.5
from generate_series(1, %[1]d) n, generate_series(1, 10) s;
insert into trip (id, route_id, bus_id, driver_id, trip_type, trip_date, scheduled_start_at, status, started_at)
	select md5('t' || n)::uuid, md5('r' || n)::uuid, md5('b' || n)::uuid, md5('e' || n)::uuid, 'pickup', current_date,
	now() - interval '2 hours', 'in_progress', now() - interval '2 hours' from generate_series(1, %[1]d) n`

// newDepot is a school whose buses are on their way.
func (b *bench) newDepot(ctx context.Context) (*office, error) {
	o, err := b.newOffice(ctx)
	if err != nil {
		return nil, err
	}
	return o, o.exec(ctx, "set search_path = "+tenancy.Ident(schemaName(o.number))+";"+fmt.Sprintf(busesSQL,
		drivingBuses)+"; set search_path = ''")
}

// drivers signs every driver in.
func (o *office) drivers(ctx context.Context) ([]string, error) {
	signed := make([]string, drivingBuses)
	for n := range signed {
		user, session := md5ID(fmt.Sprint("u", n+1)), uuid.NewSHA1(schoolID(o.number), fmt.Append(nil, "driver", n))
		if err := o.enterDriver(ctx, user, session); err != nil {
			return nil, err
		}
		var err error
		signed[n], err = o.service.Tokens.SignAccess(tokens.Access{UserID: user, SessionID: session, SchoolID: schoolID(o.number),
			Role: api.Driver})
		if err != nil {
			return nil, err
		}
	}
	return signed, nil
}

// enterDriver gives a driver an account and a session. Rounds share their users' ids,
// which belong to the newest round's school.
func (o *office) enterDriver(ctx context.Context, user, session uuid.UUID) error {
	pool := o.service.Cluster.PlatformPool()
	if _, err := pool.Exec(ctx, `delete from platform.session where account_id in (select id from platform.account where user_id = $1)`,
		user); err != nil {
		return err
	}
	if _, err := pool.Exec(ctx, `delete from platform.account where user_id = $1`, user); err != nil {
		return err
	}
	_, err := pool.Exec(ctx, `with a as (insert into platform.account (id, school_id, user_id, role_type) values ($1, $2, $3, 'DRIVER')
		returning id)
		insert into platform.session (id, account_id, token_hash, expires_at) select $4, id, '', $5 from a`,
		uuid.New(), schoolID(o.number), user, session, time.Now().Add(tokens.RefreshLife))
	return err
}

// serve puts the service of this process on a port.
func (o *office) serve() (string, func(), error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{Handler: o.service.Kernel.Handler()}
	go func() { _ = server.Serve(listener) }()
	return "http://" + listener.Addr().String(), func() { _ = server.Close() }, nil
}

// measurePositions has drivers report over the live channel, until every position is
// acknowledged and so in the trail, and has psql copy the same rows in the same batches.
func measurePositions(ctx context.Context, b *bench) error {
	n := positionsSent
	if b.quick {
		n = 10_000
	}
	var ours, limit []time.Duration
	for range b.rounds {
		o, err := b.newDepot(ctx)
		if err != nil {
			return err
		}
		stop, err := b.profiled("positions")
		if err != nil {
			return err
		}
		took, err := o.report(ctx, n)
		stop()
		if err != nil {
			return err
		}
		ours = append(ours, took)
		if o, err = b.newDepot(ctx); err != nil {
			return err
		}
		if took, err = o.psqlPositions(ctx, n); err != nil {
			return err
		}
		limit = append(limit, took)
	}
	b.report.add(line{
		what: fmt.Sprintf("%d positions over Socket.IO, acknowledged when in the trail: psql, COPY in batches of %d", n, positionsBatch),
		ours: millis(median(ours)), limit: millis(median(limit)), ratio: median(limit).Seconds() / median(ours).Seconds(),
		target: atLeast(positionsTarget),
	})
	return nil
}

// profiled writes a CPU profile of this process until it is called back, if profiles are
// asked for.
func (b *bench) profiled(name string) (stop func(), err error) {
	if b.profile == "" {
		return func() {}, nil
	}
	out, err := os.Create(filepath.Join(b.profile, name+".prof"))
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(out); err != nil {
		return nil, err
	}
	return func() {
		pprof.StopCPUProfile()
		_ = out.Close()
	}, nil
}

func (o *office) report(ctx context.Context, n int) (time.Duration, error) {
	tokens, err := o.drivers(ctx)
	if err != nil {
		return 0, err
	}
	url, stop, err := o.serve()
	if err != nil {
		return 0, err
	}
	defer stop()
	hub, cancel := context.WithCancel(ctx)
	defer cancel()
	go o.service.Hub.Run(hub)
	sockets := make([]*ioclient.Client, drivingBuses)
	for i, token := range tokens {
		if sockets[i], err = ioclient.Dial(ctx, url, token); err != nil {
			return 0, err
		}
		defer sockets[i].Close()
	}
	// What the phones say is put into words before the clock runs.
	said := make([]json.RawMessage, n/drivingBuses)
	from := time.Now().Add(-time.Hour)
	for i := range said {
		said[i] = fmt.Appendf(nil, `{"lat":%f,"lng":77.5,"speed":8.5,"heading":12,"timestamp":%d}`, 12.92+float64(i)/1e5,
			from.Add(time.Duration(i)*time.Second).UnixMilli())
	}
	began := time.Now()
	var group errgroup.Group
	for _, socket := range sockets {
		group.Go(func() error { return drive(socket, said) })
	}
	err = group.Wait()
	return time.Since(began), err
}

// drive sends positions and waits for every answer.
func drive(socket *ioclient.Client, said []json.RawMessage) error {
	var waiting []<-chan json.RawMessage
	awaitAnswers := func(keep int) error {
		for ; len(waiting) > keep; waiting = waiting[1:] {
			select {
			case raw := <-waiting[0]:
				if string(raw) != `{"ok":true}` {
					return fmt.Errorf("a position was not taken: %s", raw)
				}
			case <-socket.Closed:
				return socket.Err()
			}
		}
		return nil
	}
	for _, position := range said {
		answer, err := socket.Ask("update-location", position)
		if err != nil {
			return err
		}
		waiting = append(waiting, answer)
		if err := awaitAnswers(positionsAhead); err != nil {
			return err
		}
	}
	return awaitAnswers(0)
}

// psqlPositions is the limit: the same rows, copied by one psql.
func (o *office) psqlPositions(ctx context.Context, n int) (time.Duration, error) {
	dir, err := os.MkdirTemp("", "bench-positions-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	var script strings.Builder
	script.WriteString("set search_path = " + tenancy.Ident(schemaName(o.number)) + ";\n")
	from := time.Now().Add(-time.Hour)
	for first := 0; first < n; first += positionsBatch {
		var rows strings.Builder
		for i := first; i < min(n, first+positionsBatch); i++ {
			bus, step := i%drivingBuses+1, i/drivingBuses
			at := from.Add(time.Duration(step) * time.Second).UTC().Format(time.RFC3339Nano)
			fmt.Fprintf(&rows, "%s,%s,%f,77.5,8.5,12,%s\n", md5ID(fmt.Sprint("t", bus)), at, 12.92+float64(step)/1e5, at)
		}
		path := filepath.Join(dir, fmt.Sprintf("%d.csv", first))
		if err := os.WriteFile(path, []byte(rows.String()), 0o600); err != nil {
			return 0, err
		}
		fmt.Fprintf(&script, "\\copy location (trip_id, at, lat, lng, speed, heading, received_at) from '%s' with (format csv)\n", path)
	}
	cmd := exec.CommandContext(ctx, program("psql"), "-X", "-q", "-v", "ON_ERROR_STOP=1", o.url)
	cmd.Stdin = strings.NewReader(script.String())
	began := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("psql: %w\n%s", err, out)
	}
	return time.Since(began), nil
}
