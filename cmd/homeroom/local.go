//go:build lean

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/spf13/cobra"

	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/localstack"
)

func localCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "local",
		Short: "Run everything on this machine, with demo data",
		Long: `Start a private Postgres and Redis (data in HOMEROOM_DATA, kept between runs), make
the demo school, and serve on http://127.0.0.1:3001. Ctrl-C stops everything it
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
			return runLocal(cmd.Context(), c, cmd.OutOrStdout())
		},
	}
}

func runLocal(ctx context.Context, c config.Config, out io.Writer) (err error) {
	say := func(format string, args ...any) { fmt.Fprintf(out, format+"\n", args...) }
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
	s, err := service.New(ctx, c, options(c))
	if err != nil {
		return err
	}
	defer s.Close()
	say("Preparing the database (the first time takes some seconds)…")
	if err := s.Prepare(ctx); err != nil {
		return err
	}
	say("Looking after the demo school…")
	demo, err := s.Demo(ctx)
	if err != nil {
		return fmt.Errorf("making the demo data: %w", err)
	}
	return s.Run(ctx, func(address string) { welcome(say, address, demo) })
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

func welcome(say func(string, ...any), address string, demo service.DemoSignIns) {
	say("")
	say("Homeroom is running.  (%s)", time.Now().Format(time.Kitchen))
	say("")
	say("  Console     %s/console/", address)
	say("  App         %s/app/", address)
	say("  API docs    %s/api-docs", address)
	say("  Messages    %s/dev/outbox     (what would have been sent)", address)
	say("")
	say("  Sign in with POST %s/auth/login", address)
	for _, d := range demo.Accounts {
		if d.Shut != "" {
			say("    %-14s %-28s cannot sign in: %s", d.Role, d.Email, d.Shut)
			continue
		}
		say("    %-14s %-28s password %s", d.Role, d.Email, d.Password)
	}
	say("")
	say("  A bus to watch: homeroom demo-drive --url %s", address)
	say("")
	say("Ctrl-C stops everything. Requests are logged below.")
}
