package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"homeroom/tenancy"
)

func poolUsersCommand() *cobra.Command {
	var node string
	cmd := &cobra.Command{
		Use:   "pool-users",
		Short: "Print the users a PgBouncer in front of a database node has to know",
		Long: `Print the login roles of a node's connection pools and their passwords, as PgBouncer's
auth_file wants them. The passwords follow from HOMEROOM_SECRET: after a change of
that, or of HOMEROOM_SHARDS, the file has to be written again.

Needs DATABASE_URL, HOMEROOM_SECRET, HOMEROOM_SHARDS and HOMEROOM_NODE_URL as the
service has them.`,
		Example: "  (umask 077; homeroom pool-users > /etc/pgbouncer/userlist.txt)",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := operator(cmd)
			if err != nil {
				return err
			}
			defer s.Close()
			n, err := s.Cluster.NodeUnchecked(cmd.Context(), node)
			if err != nil {
				return notSetUp(err)
			}
			for _, l := range n.Logins() {
				fmt.Fprintf(cmd.OutOrStdout(), "%q %q\n", l.Name, l.Password)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&node, "node", tenancy.MainNode, "the database node")
	return cmd
}
