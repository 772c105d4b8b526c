package main

import (
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"homeroom/cmd/service"
	"homeroom/tenancy"
	"homeroom/tenancy/lifecycle"
)

func nodeCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "node", Short: "Strike database nodes off, or have their standbys read from"}
	cmd.AddCommand(nodeStandbyCommand(), &cobra.Command{
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
			id, err := nodeID(cmd, s, args[0])
			if err != nil {
				return err
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

func nodeStandbyCommand() *cobra.Command {
	off := false
	cmd := &cobra.Command{
		Use:   "standby NAME [ADDRESS]",
		Short: "Have lists and reports answered by a standby of a node, or end that",
		Long: `Have lists, boards and reports of a node's schools answered by a server that follows the node's
(streaming replication), or with --off by the node again. The address is that of one server, or of a
PgBouncer in front of it where the node has one; it needs no user: the standby has the node's own logins.
Callers see their own changes and the office's at once, those of others as soon as the standby has them
(HOMEROOM_STANDBY_LAG at the most). A standby that is away or further behind is not asked.

The server is looked at first. Instances know within seconds; none has to be restarted.
Needs DATABASE_URL and HOMEROOM_SECRET as the service has them.`,
		Example: "  homeroom node standby main postgres://db2.internal:5432/homeroom\n  homeroom node standby main --off",
		Args:    cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if off == (len(args) == 2) {
				return errors.New("name the standby's address, or say --off")
			}
			s, err := operator(cmd)
			if err != nil {
				return err
			}
			defer s.Close()
			id, err := nodeID(cmd, s, args[0])
			if err != nil {
				return err
			}
			address := ""
			if !off {
				address = args[1]
			}
			if err := lifecycle.SetStandby(cmd.Context(), s.Cluster, args[0], address, bookedAs("set standby", "node", id)); err != nil {
				return err
			}
			if off {
				fmt.Fprintln(cmd.OutOrStdout(), "Every read is answered by the node itself.")
			} else {
				fmt.Fprintln(cmd.OutOrStdout(),
					"The standby answers lists and reports from now on; the console's page of nodes shows whether it is in use.")
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&off, "off", false, "every read is answered by the node itself")
	return cmd
}

// nodeID finds a node by its name.
func nodeID(cmd *cobra.Command, s *service.Service, name string) (id uuid.UUID, err error) {
	err = s.Cluster.PlatformPool().QueryRow(cmd.Context(), `select id from platform.node where name = $1`, name).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return id, fmt.Errorf("no node is called %q", name)
	}
	if err != nil {
		return id, notSetUp(err)
	}
	return id, nil
}
