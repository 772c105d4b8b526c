package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/spf13/cobra"

	"homeroom/cmd/service"
	"homeroom/tenancy"
	"homeroom/tenancy/lifecycle"
)

func schoolCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "school",
		Short: "Make, list, suspend, activate, archive, move, export, import and adopt schools",
		Long: `Work on schools from the command line, beside the running service.

Needs DATABASE_URL and HOMEROOM_SECRET as the service has them. With REDIS_URL as well,
running instances hear of a change at once; without it, within 20 seconds.`,
	}
	cmd.AddCommand(schoolCreate(), schoolList(), schoolMoveTo(), schoolConfirmMove(),
		schoolStatus("suspend", "Shut a school: nobody signs in, its data stays", tenancy.Suspended),
		schoolStatus("activate", "Open a suspended school again", tenancy.Active),
		schoolStatus("archive", "Shut a suspended school for good", tenancy.Archived),
		schoolExport(), schoolImport(), schoolVerify(), schoolAdopt(), schoolCreateAll())
	return cmd
}

type newAdmin struct{ email, firstName, lastName string }

func schoolCreate() *cobra.Command {
	var n lifecycle.NewSchool
	var admin newAdmin
	cmd := &cobra.Command{
		Use:   "create CODE NAME",
		Short: "Make a school and wait until it is ready",
		Long: `Make a school and wait until it is ready. If it is interrupted or fails, the running
service goes on with it.

With --admin-email the school gets its first administrator, whose password is asked for
twice on a terminal; without a terminal it is read from standard input, one line.

Needs DATABASE_URL and HOMEROOM_SECRET as the service has them.`,
		Example: `  homeroom school create green-valley "Green Valley" --time-zone Asia/Kolkata --currency INR \
    --admin-email asha@green-valley.example --admin-first-name Asha --admin-last-name Rao`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			n.Code, n.Name = args[0], strings.TrimSpace(args[1])
			if err := checkSchool(n, admin); err != nil {
				return err
			}
			s, err := operator(cmd)
			if err != nil {
				return err
			}
			defer s.Close()
			if err := s.Prepare(cmd.Context()); err != nil {
				return err
			}
			if n.Admin, err = admin.seal(cmd, s); err != nil {
				return err
			}
			return createSchool(cmd.Context(), s, n, cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&n.TimeZone, "time-zone", "UTC", "the school's time zone")
	cmd.Flags().StringVar(&n.Currency, "currency", "USD", "ISO 4217 code")
	cmd.Flags().StringVar(&n.Locale, "locale", "en", "how dates and numbers are written")
	cmd.Flags().StringVar(&n.Node, "node", "", "database node; the least loaded one unless named")
	cmd.Flags().StringVar(&admin.email, "admin-email", "", "e-mail of the school's first administrator")
	cmd.Flags().StringVar(&admin.firstName, "admin-first-name", "School", "")
	cmd.Flags().StringVar(&admin.lastName, "admin-last-name", "Administrator", "")
	return cmd
}

// The same forms as POST /super-admin/school/create asks for.
var (
	codeForm     = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]{1,30}$`)
	currencyForm = regexp.MustCompile(`^[A-Z]{3}$`)
)

func checkSchool(n lifecycle.NewSchool, admin newAdmin) error {
	switch {
	case !codeForm.MatchString(n.Code):
		return fmt.Errorf("CODE %q: use 2 to 31 letters, digits or dashes", n.Code)
	case n.Name == "":
		return errors.New("NAME is empty")
	case !isTimeZone(n.TimeZone):
		return fmt.Errorf("--time-zone %q: use a time zone like Asia/Kolkata", n.TimeZone)
	case !currencyForm.MatchString(n.Currency):
		return fmt.Errorf("--currency %q: use an ISO 4217 code like INR", n.Currency)
	case admin.email != "":
		return checkEmail(admin.email)
	}
	return nil
}

func isTimeZone(name string) bool {
	_, err := time.LoadLocation(name)
	return err == nil && name != "" && name != "Local"
}

// seal asks for the administrator's password and prepares them for the school.
func (a newAdmin) seal(cmd *cobra.Command, s *service.Service) (json.RawMessage, error) {
	if a.email == "" {
		return json.RawMessage("{}"), nil
	}
	password, err := askPassword(a.email)
	if err != nil {
		return nil, err
	}
	return s.Auth.SealAdmin(cmd.Context(), a.firstName, a.lastName, a.email, "", password)
}

func createSchool(ctx context.Context, s *service.Service, n lifecycle.NewSchool, out io.Writer) error {
	n.ID = uuid.Must(uuid.NewV7())
	made, err := s.Provisioner.Request(ctx, n, booked("create", n.ID))
	switch {
	case errors.Is(err, tenancy.ErrCodeTaken):
		return fmt.Errorf("another school has the code %s; see: homeroom school list", n.Code)
	case errors.Is(err, lifecycle.ErrNoNode):
		return fmt.Errorf("no active database node is called %q", n.Node)
	case err != nil:
		return err
	}
	s.Provisioner.Stepped = func(_ uuid.UUID, step string, done bool) {
		if done {
			fmt.Fprintln(out, "  done:", step)
		}
	}
	if err := s.Provisioner.Run(ctx, made.ID); err != nil {
		return err
	}
	fmt.Fprintln(out, "School", n.Code, "is ready:", made.ID)
	return nil
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
			return listSchools(cmd.Context(), s, cmd.OutOrStdout())
		},
	}
}

func listSchools(ctx context.Context, s *service.Service, out io.Writer) error {
	rows, err := s.Cluster.PlatformPool().Query(ctx, `select id, code, status, coalesce(node, '-'), schema_version, name, migration_error
		from platform.school order by lower(code)`)
	if err != nil {
		return notSetUp(fmt.Errorf("listing schools: %w", err))
	}
	defer rows.Close()
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tCODE\tSTATUS\tNODE\tVERSION\tNAME")
	for rows.Next() {
		var id uuid.UUID
		var code, status, node, name, trouble string
		var version int
		if err := rows.Scan(&id, &code, &status, &node, &version, &name, &trouble); err != nil {
			return fmt.Errorf("listing schools: %w", err)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%s\n", id, code, status, node, version, name)
		if trouble != "" {
			fmt.Fprintf(w, "\t\t\t\t\tmigration failed: %s\n", trouble)
		}
	}
	if err := rows.Err(); err != nil {
		return notSetUp(fmt.Errorf("listing schools: %w", err))
	}
	return w.Flush()
}

// notSetUp says in other words that a table of the platform is not there.
func notSetUp(err error) error {
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == "42P01" {
		return errors.New("this database has no Homeroom in it yet: start the service on it, or run: homeroom migrate")
	}
	return err
}

func schoolStatus(verb, short string, to tenancy.Status) *cobra.Command {
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
			school, err := s.Cluster.SetStatus(cmd.Context(), id, to, booked(verb, id))
			var refused tenancy.TransitionError
			switch {
			case errors.Is(err, tenancy.ErrSchoolNotFound):
				return fmt.Errorf("no school has the id %s; see: homeroom school list", id)
			case errors.As(err, &refused):
				return fmt.Errorf("the school is %s: it cannot become %s", refused.From, refused.To)
			case err != nil:
				return notSetUp(err)
			}
			fmt.Fprintln(cmd.OutOrStdout(), school.Code, "is", school.Status)
			if err := s.Announce(cmd.Context(), id); err != nil {
				fmt.Fprintln(cmd.ErrOrStderr(), "Running instances could not be told by Redis (REDIS_URL): they notice within 20 seconds.")
			}
			return nil
		},
	}
}
