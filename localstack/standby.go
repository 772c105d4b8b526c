//go:build unix

package localstack

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"
)

// Follow runs a server as the synchronous standby of another: what that one acknowledges, this one has. A name that is
// not there yet is a new server; a server that is there loses its data first, and keeps its port.
func (s *Stack) Follow(ctx context.Context, name, primary string) error {
	of, err := s.victim(primary)
	if err != nil {
		return err
	}
	p, ok := s.postgres[name]
	if !ok {
		p = newPostgres(s, name, of.programs)
		s.postgres[name] = p
	}
	if err := p.stop(); err != nil {
		return err
	}
	if err := p.copyFrom(of, name); err != nil {
		return fmt.Errorf("localstack: copying %s: %w", of.title, err)
	}
	if err := p.launch(ctx, ok); err != nil {
		return err
	}
	_, err = of.query(ctx, of.url("postgres"), fmt.Sprintf("ALTER SYSTEM SET synchronous_standby_names = '%q'", name))
	if err == nil {
		_, err = of.query(ctx, of.url("postgres"), "SELECT pg_reload_conf()")
	}
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, hung)
	defer cancel()
	var state string
	return poll(ctx, 20*time.Millisecond, func() (bool, error) {
		state, err = of.query(ctx, of.url("postgres"), "SELECT sync_state FROM pg_stat_replication WHERE application_name = '"+name+"'")
		return state == "sync", err
	}, func() error { return fmt.Errorf("localstack: %s follows as %q", p.title, state) })
}

// copyFrom makes the server's data a copy of another's, which it will follow.
func (p *postgres) copyFrom(of *postgres, name string) error {
	if err := errors.Join(os.MkdirAll(p.folder, p.account.outerMode()), os.RemoveAll(p.path("data"))); err != nil {
		return err
	}
	p.password = of.password // the copy has it
	next := p.path("data.new")
	err := errors.Join(p.account.write(p.path("password"), p.password+"\n"), os.RemoveAll(next), p.account.own(next))
	if err != nil {
		return err
	}
	if err := of.copyTo(next, name, "--write-recovery-conf", "--no-sync"); err != nil {
		return err
	}
	return os.Rename(next, p.path("data"))
}

// Promote makes a standby a server that takes writes.
func (s *Stack) Promote(ctx context.Context, name string) error {
	p, err := s.victim(name)
	if err != nil {
		return err
	}
	done, err := p.query(ctx, p.url("postgres"), "SELECT pg_promote()")
	if err == nil && done != "t" {
		err = fmt.Errorf("localstack: %s was not promoted", p.title)
	}
	return err
}

// EitherURL is the address of a database on whichever of the servers takes writes.
func (s *Stack) EitherURL(database string, names ...string) string {
	var hosts []string
	for _, name := range names {
		hosts = append(hosts, address(s.postgres[name].port))
	}
	u := url.URL{Scheme: "postgres", User: url.UserPassword("homeroom", s.postgres[names[0]].password), Host: strings.Join(hosts, ","),
		Path: database, RawQuery: "sslmode=disable&target_session_attrs=read-write"}
	return u.String()
}
