package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"homeroom/cmd/service"
	"homeroom/config"
)

func serveCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "serve",
		Short: "Serve in production: everything comes from the environment",
		Long: `Serve the API and the console.

It refuses to start on anything that is only good for a laptop: a missing database,
default or short secrets, local-only switches. Each refusal names the variable and
the cure. Needed: DATABASE_URL, REDIS_URL, HOMEROOM_SECRET, HOMEROOM_JWT_KEYS and
HOMEROOM_PUBLIC_URL; "homeroom help" lists all variables.

The platform's schema is migrated at start; schools are migrated by "homeroom
migrate", by a job in the background, or when they are first asked for. A database
that is newer than this binary stops the start.

/healthz, /readyz and /metrics are on HOMEROOM_OPS_ADDR. On SIGTERM it takes no new
work, finishes what is under way (10 s at most) and puts jobs back.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := config.Load(config.Production, environ())
			if err != nil {
				return fmt.Errorf("the configuration is not fit to serve:\n%w", err)
			}
			s, err := service.New(cmd.Context(), c, options(c))
			if err != nil {
				return err
			}
			defer s.Close()
			if err := s.Prepare(cmd.Context()); err != nil {
				return err
			}
			return s.Run(cmd.Context(), func(address string) { s.Log.Info("serving", "address", address) })
		},
	}
}
