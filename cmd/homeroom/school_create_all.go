package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"homeroom/cmd/service"
	"homeroom/modules/school"
	"homeroom/tenancy"
	"homeroom/tenancy/lifecycle"
)

func schoolCreateAll() *cobra.Command {
	var dryRun bool
	var atOnce int
	cmd := &cobra.Command{
		Use:   "create-all FILE",
		Short: "Make all schools of a CSV file, and wait until they are ready",
		Long: `Make all schools of a CSV file, and wait until they are ready. Either all are asked for
or, if something is wrong with one, none. If it is interrupted or one fails, the running
service goes on with it.

Columns: name, code, timeZone, currency; and locale, node, adminFirstName, adminLastName,
adminEmail, adminPhone. Administrators are invited to set a password.

Needs DATABASE_URL and HOMEROOM_SECRET as the service has them.`,
		Example: `  homeroom school create-all schools.csv --dry-run`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			file, err := os.Open(args[0])
			if err != nil {
				return err
			}
			defer func() { _ = file.Close() }()
			schools, err := school.ReadFile(file)
			if err != nil {
				return err
			}
			if err := checkSchools(schools); err != nil || dryRun {
				if err == nil {
					fmt.Fprintf(cmd.OutOrStdout(), "%d schools can be made, as far as the file tells\n", len(schools))
				}
				return err
			}
			s, err := operator(cmd)
			if err != nil {
				return err
			}
			defer s.Close()
			if slices.ContainsFunc(schools, func(l school.Listed) bool { return l.Email != "" }) {
				if err := s.Auth.CanInvite(); err != nil {
					return fmt.Errorf("their administrators cannot be invited (set HOMEROOM_SMTP_URL, or leave adminEmail empty): %w", err)
				}
			}
			if err := s.Prepare(cmd.Context()); err != nil {
				return err
			}
			return createSchools(cmd.Context(), s, schools, atOnce, cmd.OutOrStdout())
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "only look at the file")
	cmd.Flags().IntVar(&atOnce, "at-once", 4, "how many are made at the same time")
	return cmd
}

// checkSchools says all that is wrong with a file, by row as a spreadsheet numbers them.
func checkSchools(schools []school.Listed) error {
	var wrong []error
	seen := map[string]int{}
	for _, l := range schools {
		row := l.Row
		if err := checkSchool(l.School, newAdmin{email: l.Email}); err != nil {
			wrong = append(wrong, fmt.Errorf("row %d: %w", row, err))
		}
		code := strings.ToLower(l.School.Code)
		if first, twice := seen[code]; twice {
			wrong = append(wrong, fmt.Errorf("row %d: the code %s stands in row %d too", row, l.School.Code, first))
		}
		seen[code] = row
	}
	return errors.Join(wrong...)
}

func createSchools(ctx context.Context, s *service.Service, listed []school.Listed, atOnce int, out io.Writer) error {
	var schools []lifecycle.NewSchool
	var records []tenancy.InTx
	for _, l := range listed {
		n := l.School
		n.ID = uuid.Must(uuid.NewV7())
		if l.Email != "" {
			admin, err := s.Auth.SealAdmin(ctx, l.FirstName, l.LastName, l.Email, l.Phone, "")
			if err != nil {
				return err
			}
			n.Admin = admin
		}
		schools, records = append(schools, n), append(records, booked("create", n.ID))
	}
	if _, err := s.Provisioner.RequestAll(ctx, schools, records...); errors.Is(err, tenancy.ErrCodeTaken) {
		return fmt.Errorf("none was made: another school has one of the codes: %w", err)
	} else if err != nil {
		return err
	}
	var ready atomic.Int64
	var all errgroup.Group
	all.SetLimit(max(1, atOnce))
	for _, n := range schools {
		all.Go(func() error {
			if err := s.Provisioner.Run(ctx, n.ID); err != nil {
				return fmt.Errorf("school %s: %w; the running service goes on with it", n.Code, err)
			}
			if done := ready.Add(1); done%100 == 0 || int(done) == len(schools) {
				fmt.Fprintf(out, "%d of %d schools are ready\n", done, len(schools))
			}
			return nil
		})
	}
	return all.Wait()
}
