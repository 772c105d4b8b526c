// Command homeroom is the whole service in one binary.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"homeroom/config"
)

// Exit codes besides 0: something is wrong and was said; or somebody pressed Ctrl-C
// before there was anything to stop.
const (
	exitFailed      = 1
	exitInterrupted = 130
)

// insist is how long after a first Ctrl-C a second one ends the program at once.
// Some callers send the first one twice.
const insist = 3 * time.Second

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, func() { time.AfterFunc(insist, stop) })
	err := root().ExecuteContext(ctx)
	switch {
	case err == nil:
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		fmt.Fprintln(os.Stderr, "homeroom: interrupted")
		os.Exit(exitInterrupted)
	default:
		fmt.Fprintln(os.Stderr, "homeroom:", err)
		os.Exit(exitFailed)
	}
}

func root() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "homeroom",
		Short: "The backend of a school-management platform",
		Long: `homeroom is the backend of a school-management platform: one service for many
schools, each in a Postgres schema of its own.

` + tryOut + `Run it:         homeroom serve      (reads its configuration from the environment)
After upgrades: homeroom migrate

Configuration (environment variable, default, meaning):

` + config.Table(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	cmd.Version = versionText() // for --version
	cmd.SetVersionTemplate("{{.Version}}")
	cmd.CompletionOptions.HiddenDefaultCmd = true
	cmd.AddCommand(tryOutCommands()...)
	cmd.AddCommand(serveCommand(), migrateCommand(), schoolCommand(), superadminCommand(), poolUsersCommand(), restoredCommand(),
		rotateSecretCommand(), nodeCommand(), openapiCommand(),
		healthCommand(), versionCommand(), hashWorkerCommand())
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
