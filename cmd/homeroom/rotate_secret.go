package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"homeroom/auth"
	"homeroom/config"
	"homeroom/delivery"
	"homeroom/tenancy"
	"homeroom/tenancy/lifecycle"
)

func rotateSecretCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "rotate-secret",
		Short: "Replace HOMEROOM_SECRET by HOMEROOM_NEW_SECRET",
		Long: `Replace the installation's secret. The shards' logins get new passwords on every node, and
the secrets of authenticator apps and the key of web push are encrypted anew. From then on the old secret is refused.

Instances that run with the old one serve on with the connections they have, for half an
hour at the most, and are not ready any more: restart them with the new one, one after
another, at once. With a PgBouncer, write its users first ("homeroom pool-users" with
HOMEROOM_SECRET set to the new one) and reload it right after this command.

One-time codes under way are void, PINs have to be set again, and archives sealed before
need HOMEROOM_ARCHIVE_KEY or --unsigned: docs/operations/keys.md.

Needs DATABASE_URL and HOMEROOM_SECRET as the service has them, HOMEROOM_NEW_SECRET, and
HOMEROOM_NODE_URL if the service has that.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			next := os.Getenv("HOMEROOM_NEW_SECRET")
			if len(next) < config.MinSecretLength {
				return fmt.Errorf("HOMEROOM_NEW_SECRET has %d characters: give at least %d, random ones", len(next), config.MinSecretLength)
			}
			if next == os.Getenv("HOMEROOM_SECRET") {
				return errors.New("HOMEROOM_NEW_SECRET is the same as HOMEROOM_SECRET")
			}
			s, err := operator(cmd)
			if err != nil {
				return err
			}
			defer s.Close()
			ctx := cmd.Context()
			if err := s.Prepare(ctx); err != nil {
				return err
			}
			options := s.Cluster.Options()
			err = s.Cluster.ReplaceSecret(ctx, []byte(next), auth.ResealFactors(options.Secret, []byte(next)),
				auth.ResealProviders(options.Secret, []byte(next)),
				delivery.ResealKey(options.Secret, []byte(next)), delivery.ResealHooks(options.Secret, []byte(next)),
				bookedAs("rotate secret", "installation", uuid.Nil))
			if err != nil {
				return err
			}
			options.Secret = []byte(next)
			renewed, err := tenancy.Open(ctx, options)
			if err != nil {
				return err
			}
			defer renewed.Close()
			err = lifecycle.Setup(ctx, renewed)
			var away *lifecycle.NodesError
			if err != nil && !errors.As(err, &away) {
				return fmt.Errorf("the new secret is recorded, but main has the old passwords: start an instance with the new secret: %w", err)
			}
			if away != nil {
				fmt.Fprintln(cmd.ErrOrStderr(), "These nodes get their passwords when an instance next starts:", away)
			}
			fmt.Fprintln(cmd.OutOrStdout(), "Replaced. Restart the instances with the new secret, one after another, at once.")
			return nil
		},
	}
}
