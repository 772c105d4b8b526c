package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"homeroom/cmd/service"
	"homeroom/tenancy"
	"homeroom/tenancy/lifecycle"
)

func schoolAdopt() *cobra.Command {
	var a lifecycle.Adoption
	var node, id string
	var suspended bool
	cmd := &cobra.Command{
		Use:   "adopt ID|SCHEMA",
		Short: "Take in a school whose tables are on a node and that the platform does not know",
		Long: `Take in a school that was made after the moment the platform's server was restored to: its
tables are on their node, and the platform does not know it any more. "homeroom migrate
--check-all" names such orphans.

The school keeps its id, rows and files. Its code was in the platform's record only, so it
has to be given; name, time zone, locale, currency, address and logo are what the school
says of itself in its settings, and the flags where it has never said anything. Its people
can sign in again; second factors (authenticator apps, passkeys) they have to add again.

A schema without a label, made by an earlier release, is named by the schema, and gets the
id given with --id: the school's own, if files are kept for it.

Needs DATABASE_URL and HOMEROOM_SECRET as the service has them, and HOMEROOM_NODE_URL if
the service has that.`,
		Example: `  homeroom school adopt 0190c3f2-… --code green-valley`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !codeForm.MatchString(a.Code) {
				return fmt.Errorf("--code %q: use 2 to 31 letters, digits or dashes", a.Code)
			}
			if !isTimeZone(a.TimeZone) {
				return fmt.Errorf("--time-zone %q: use a time zone like Asia/Kolkata", a.TimeZone)
			}
			if !currencyForm.MatchString(a.Currency) {
				return fmt.Errorf("--currency %q: use an ISO 4217 code like INR", a.Currency)
			}
			own := uuid.Must(uuid.NewV7())
			if id != "" {
				var err error
				if own, err = uuid.Parse(id); err != nil {
					return fmt.Errorf("--id %q is not an id", id)
				}
			}
			a.Status, a.WeekendDays = tenancy.Active, []int16{0, 6}
			if suspended {
				a.Status = tenancy.Suspended
			}
			if a.Name == "" {
				a.Name = a.Code
			}
			s, err := operator(cmd)
			if err != nil {
				return err
			}
			defer s.Close()
			if err := s.Prepare(cmd.Context()); err != nil {
				return err
			}
			return adoptSchool(cmd.Context(), s, a, args[0], node, own, cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&a.Code, "code", "", "the code it had, or another")
	cmd.Flags().StringVar(&a.Name, "name", "", "its name, if its settings have none; the code unless given")
	cmd.Flags().StringVar(&a.TimeZone, "time-zone", "UTC", "its time zone, if its settings have none")
	cmd.Flags().StringVar(&a.Currency, "currency", "USD", "ISO 4217 code, if its settings have none")
	cmd.Flags().StringVar(&a.Locale, "locale", "en", "how dates and numbers are written, if its settings do not say")
	cmd.Flags().StringVar(&node, "node", "", "the node it is on, if several have it")
	cmd.Flags().StringVar(&id, "id", "", "the id of a school whose schema has no label")
	cmd.Flags().BoolVar(&suspended, "suspended", false, "leave it shut, for \"homeroom school activate\"")
	return cmd
}

func adoptSchool(ctx context.Context, s *service.Service, a lifecycle.Adoption, which, node string, own uuid.UUID, out io.Writer) error {
	found, err := lifecycle.FindOrphan(ctx, s.Cluster, which, node)
	switch {
	case errors.Is(err, lifecycle.ErrTwoNodes):
		return errors.New("more than one node has it: name the one with --node")
	case errors.Is(err, lifecycle.ErrNoOrphan):
		return fmt.Errorf("no node has %s as a school that the platform does not know; see: homeroom migrate --check-all", which)
	case err != nil:
		return err
	}
	a.Node, a.Schema, a.ID = found.Node, found.Schema, found.ID
	if a.ID == uuid.Nil {
		a.ID = own
	}
	made, err := s.Adopt(ctx, a, booked("adopt", a.ID))
	switch {
	case errors.Is(err, tenancy.ErrCodeTaken):
		return fmt.Errorf("another school has the code %s: give one with --code", a.Code)
	case err != nil:
		return err
	}
	fmt.Fprintf(out, "%d people can sign in\n", made.People.Accounts)
	fmt.Fprintln(out, "School", made.School.Code, "is ready:", made.School.ID)
	_ = s.Announce(ctx, made.School.ID) // nobody remembers it yet
	return nil
}
