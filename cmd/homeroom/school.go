package main

import (
	"context"
	"encoding/json"
	"fmt"
	"text/tabwriter"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"homeroom/cmd/service"
	"homeroom/tenancy"
)

func schoolCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "school",
		Short: "Make, list, suspend, activate and archive schools",
		Long:  "Work on schools from the command line, beside the running service.\nNeeds DATABASE_URL and HOMEROOM_SECRET as the service has them.",
	}
	cmd.AddCommand(schoolCreate(), schoolList(),
		schoolMove("suspend", "Shut a school: nobody signs in, its data stays", func(s *service.Service) move { return s.Cluster.Suspend }),
		schoolMove("activate", "Open a suspended school again", func(s *service.Service) move { return s.Cluster.Activate }),
		schoolMove("archive", "Shut a suspended school for good", func(s *service.Service) move { return s.Cluster.Archive }))
	return cmd
}

func schoolCreate() *cobra.Command {
	var n tenancy.NewSchool
	cmd := &cobra.Command{
		Use:     "create CODE NAME",
		Short:   "Make a school and wait until it is ready",
		Example: "  homeroom school create green-valley \"Green Valley\" --time-zone Asia/Kolkata --currency INR",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := operator(cmd)
			if err != nil {
				return err
			}
			defer s.Close()
			if err := s.Prepare(cmd.Context()); err != nil {
				return err
			}
			n.Code, n.Name, n.Admin = args[0], args[1], json.RawMessage("{}")
			made, err := s.Provisioner.Request(cmd.Context(), n)
			if err != nil {
				return err
			}
			s.Provisioner.Stepped = func(_ uuid.UUID, step string, done bool) {
				if done {
					fmt.Fprintln(cmd.OutOrStdout(), "  done:", step)
				}
			}
			if err := s.Provisioner.Run(cmd.Context(), made.ID); err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), "School", n.Code, "is ready:", made.ID)
			return nil
		},
	}
	cmd.Flags().StringVar(&n.TimeZone, "time-zone", "UTC", "the school's time zone")
	cmd.Flags().StringVar(&n.Currency, "currency", "USD", "ISO 4217 code")
	cmd.Flags().StringVar(&n.Locale, "locale", "en", "how dates and numbers are written")
	cmd.Flags().StringVar(&n.Node, "node", "", "database node; the least loaded one unless named")
	return cmd
}

func schoolList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the schools with their state, node and version",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := operator(cmd)
			if err != nil {
				return err
			}
			defer s.Close()
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "ID\tCODE\tSTATUS\tNODE\tVERSION\tNAME")
			err = s.Cluster.EachSchool(cmd.Context(), func(school *tenancy.School) error {
				_, err := fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%s\n", school.ID, school.Code, school.Status, school.Node, school.SchemaVersion, school.Name)
				return err
			})
			if err != nil {
				return err
			}
			return w.Flush()
		},
	}
}

type move func(context.Context, uuid.UUID, ...tenancy.Also) (*tenancy.School, error)

func schoolMove(verb, short string, of func(*service.Service) move) *cobra.Command {
	return &cobra.Command{
		Use:   verb + " ID",
		Short: short,
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := uuid.Parse(args[0])
			if err != nil {
				return fmt.Errorf("%q is not a school's id; see: homeroom school list", args[0])
			}
			s, err := operator(cmd)
			if err != nil {
				return err
			}
			defer s.Close()
			school, err := of(s)(cmd.Context(), id)
			if err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), school.Code, "is", school.Status)
			return nil
		},
	}
}
