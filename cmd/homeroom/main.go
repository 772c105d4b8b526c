// Command homeroom is the whole service in one binary.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"homeroom/config"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := root().ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "homeroom:", err)
		os.Exit(1)
	}
}

func root() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "homeroom",
		Short: "The backend of a school-management platform",
		Long: `homeroom is the backend of a school-management platform: one service for many
schools, each in a Postgres schema of its own.

Try it:         homeroom local
Run it:         homeroom serve      (reads its configuration from the environment)
After upgrades: homeroom migrate

Configuration (environment variable, default, meaning):

` + config.Table(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	cmd.CompletionOptions.HiddenDefaultCmd = true
	cmd.AddCommand(localCommand(), serveCommand(), migrateCommand(), schoolCommand(), superadminCommand(), openapiCommand())
	return cmd
}

func environ() map[string]string {
	out := map[string]string{}
	for _, entry := range os.Environ() {
		name, value, _ := strings.Cut(entry, "=")
		out[name] = value
	}
	return out
}
