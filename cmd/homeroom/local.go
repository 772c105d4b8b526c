//go:build lean

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"homeroom/cmd/demo"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/localstack"
	"homeroom/tenancy/lifecycle"
)

func localCommand() *cobra.Command {
	empty := false
	cmd := &cobra.Command{
		Use:   "local",
		Short: "Run everything on this machine, with demo data",
		Long: `Start a private Postgres and Redis (data in HOMEROOM_DATA, kept between runs), serve
on http://127.0.0.1:3001, and fill two demo schools, the first time in some seconds, while it
serves; later with what has happened since. With --empty there are none. Ctrl-C stops everything it
started. With DATABASE_URL or REDIS_URL set it uses those servers instead; PORT and
HOMEROOM_LOCAL_PASSWORD are honoured too.

For trying it out and developing against it: passwords are public, messages are held
at /dev/outbox instead of being sent, and it listens on loopback only. Needs Postgres 15
or newer on this machine, and redis-server if there is one (else an imitation that
forgets everything at the end).`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := config.Load(config.Local, environ())
			if err != nil {
				return fmt.Errorf("the configuration does not fit:\n%w", err)
			}
			return runLocal(cmd.Context(), c, cmd.OutOrStdout(), empty)
		},
	}
	cmd.Flags().BoolVar(&empty, "empty", false, "make no demo schools; those that are there stay")
	return cmd
}

func runLocal(ctx context.Context, c config.Config, out io.Writer, empty bool) (err error) {
	var mu sync.Mutex // the demo speaks while the program does
	say := func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(out, format+"\n", args...)
	}
	if err := portIsFree(c); err != nil {
		return err // now, and not when everything else has been started
	}
	stack, err := startStack(ctx, &c, say)
	if err != nil {
		return err
	}
	if stack != nil {
		defer func() {
			say("Stopping the private servers…")
			err = errors.Join(err, stack.Stop())
		}()
	}
	c.Spares = min(c.Spares, 1) // each costs as much as a school
	page := &demo.StartPage{}
	o := options(c)
	o.Start = page
	var complete atomic.Bool // the demo; a spare waits for it
	o.SparesWait = func() bool { return !empty && !complete.Load() }
	s, err := service.New(ctx, c, o)
	if err != nil {
		return err
	}
	defer s.Close()
	say("Preparing the database (the first time takes some seconds)…")
	if err := s.Prepare(ctx); err != nil {
		return err
	}
	if empty {
		if err := demo.AddSuperAdmin(ctx, s); err != nil {
			return err
		}
		page.Show(demo.SuperAdmin(s))
		return s.Run(ctx, func(address string) { welcome(say, address, demo.SuperAdmin(s), false) })
	}
	d, err := demo.Open(ctx, s)
	if err != nil {
		return fmt.Errorf("making the demo schools: %w", err)
	}
	page.Show(d.Accounts())
	d.Complete = func(ctx context.Context) {
		complete.Store(true)
		if _, err := lifecycle.KeepSpares(ctx, s.Cluster); err != nil && ctx.Err() == nil {
			s.Log.Warn("no spare schema was made; it is tried again later", "error", err)
		}
	}
	// The demo goes on beside the service, and ends before what it stands on is closed.
	var beside sync.WaitGroup
	defer beside.Wait()
	return s.Run(ctx, func(address string) {
		welcome(say, address, d.Accounts(), true)
		beside.Go(func() { d.Live(ctx, say) })
	})
}

// portIsFree tries the port for a moment: what used it may be just stopping.
func portIsFree(c config.Config) error {
	for until := time.Now().Add(2 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		l, err := net.Listen("tcp", net.JoinHostPort(c.Bind, fmt.Sprint(c.Port)))
		if err == nil {
			return l.Close()
		}
		if time.Now().After(until) {
			return fmt.Errorf("%w: set PORT to another port, or stop what uses it", err)
		}
	}
}

// startStack starts the servers the configuration does not name, and names them.
func startStack(ctx context.Context, c *config.Config, say func(string, ...any)) (*localstack.Stack, error) {
	o := localstack.Options{Dir: c.DataDir, Durable: true, AllowMiniredis: true, Log: say}
	if c.DatabaseURL == "" {
		o.Postgres = []string{"main"}
	}
	o.Redis = c.RedisURL == ""
	if o.Postgres == nil && !o.Redis {
		return nil, nil
	}
	stack, err := localstack.Start(ctx, o)
	if errors.Is(err, localstack.ErrInUse) {
		return nil, fmt.Errorf("%w: stop the other homeroom, or set HOMEROOM_DATA to another folder", err)
	}
	if err != nil {
		return nil, err
	}
	if o.Postgres != nil {
		c.DatabaseURL = stack.PostgresURL("main")
	}
	if o.Redis {
		c.RedisURL = stack.RedisURL()
	}
	return stack, nil
}

func welcome(say func(string, ...any), address string, accounts []demo.Account, schools bool) {
	say("")
	say("Homeroom is running.  (%s)", time.Now().Format(time.Kitchen))
	say("")
	say("  Start here  %s/             (who can sign in, and what to try)", address)
	say("  Console     %s/console/", address)
	say("  App         %s/app/", address)
	say("  API docs    %s/api-docs", address)
	say("  Messages    %s/dev/outbox     (what would have been sent)", address)
	say("")
	for _, a := range accounts {
		by := fmt.Sprintf("%-28s password %s", a.Email, a.Password)
		if a.Phone != "" {
			by = fmt.Sprintf("%-28s PIN %s", a.Phone, a.PIN)
		}
		if a.Shut != "" {
			by = fmt.Sprintf("%-28s cannot sign in: %s", a.Email+a.Phone, a.Shut)
		}
		say("    %-14s %s", a.Role, by)
	}
	say("")
	if schools {
		say("  A second bus to watch: homeroom demo-drive --url %s", address)
		say("")
	}
	say("Ctrl-C stops everything. Requests are logged below.")
}
