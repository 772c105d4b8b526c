package main

import (
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"homeroom/tenancy"
	"homeroom/tenancy/lifecycle"
)

func nodeCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "node", Short: "Strike database nodes off"}
	cmd.AddCommand(&cobra.Command{
		Use:   "remove NAME",
		Short: "Strike off a database node that is empty or gone",
		Long: `Strike off a database node that no school lives on: nothing asks for it any more, and alerts
of its absence end. Drain it first, and confirm the moves. Its server may be gone. Finished
moves from and to it are forgotten; what is left on it (the template, spare schemas) stays.

Needs DATABASE_URL and HOMEROOM_SECRET as the service has them.`,
		Example: "  homeroom node remove north",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := operator(cmd)
			if err != nil {
				return err
			}
			defer s.Close()
			var id uuid.UUID
			err = s.Cluster.PlatformPool().QueryRow(cmd.Context(), `select id from platform.node where name = $1`, args[0]).Scan(&id)
			if errors.Is(err, pgx.ErrNoRows) {
				return fmt.Errorf("no node is called %q", args[0])
			}
			if err != nil {
				return notSetUp(err)
			}
			err = lifecycle.RemoveNode(cmd.Context(), s.Cluster, args[0], bookedAs("remove", "node", id))
			if errors.Is(err, lifecycle.ErrMainNode) {
				return fmt.Errorf("node %s cannot be struck off: no instance starts without it", tenancy.MainNode)
			}
			if err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), "Struck off. Instances forget its connections when they are next restarted.")
			return nil
		},
	})
	return cmd
}
