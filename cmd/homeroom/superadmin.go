package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/mail"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"homeroom/auth/strength"
	"homeroom/cmd/service"
	"homeroom/tenancy"
)

func superadminCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "superadmin", Short: "Manage the platform's own administrators"}
	var name string
	create := &cobra.Command{
		Use:   "create EMAIL",
		Short: "Make an administrator of the platform",
		Long: `Make a cross-school administrator. The password is asked for twice on a terminal and
never shown; without a terminal it is read from standard input, one line.

Needs DATABASE_URL and HOMEROOM_SECRET as the service has them.`,
		Example: "  homeroom superadmin create ops@example.org --name \"Operations\"",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			email := strings.TrimSpace(args[0])
			if err := checkEmail(email); err != nil {
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
			password, err := askPassword(email)
			if err != nil {
				return err
			}
			made, err := s.Auth.AddSuperAdmin(cmd.Context(), email, name, password)
			if err != nil {
				return err
			}
			if !made {
				return fmt.Errorf("%s is a super-admin already", email)
			}
			fmt.Fprintln(cmd.OutOrStdout(), "Made. They sign in with", email, "(POST /auth/login).")
			return nil
		},
	}
	create.Flags().StringVar(&name, "name", "", "what people call them")
	cmd.AddCommand(create, listOperatorsCommand(), resetPasswordCommand(), disableOperatorCommand(), enableOperatorCommand(),
		resetFactorCommand())
	return cmd
}

func listOperatorsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the administrators of the platform",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := operator(cmd)
			if err != nil {
				return err
			}
			defer s.Close()
			rows, err := s.Cluster.PlatformPool().Query(cmd.Context(), `select s.email, s.status, s.name,
				coalesce(to_char(s.last_sign_in_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI'), 'never'),
				exists (select from platform.account a where a.user_id = s.id and (exists (select from platform.totp t where t.account_id = a.id)
					or exists (select from platform.passkey p where p.account_id = a.id)))
				from platform.super_admin s order by lower(s.email)`)
			if err != nil {
				return notSetUp(err)
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "E-MAIL\tSTATUS\tSECOND FACTOR\tLAST SIGN-IN (UTC)\tNAME")
			var email, status, name, last string
			var factor bool
			_, err = pgx.ForEachRow(rows, []any{&email, &status, &name, &last, &factor}, func() error {
				has := "none"
				if factor {
					has = "yes"
				}
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", email, status, has, last, name)
				return nil
			})
			if err != nil {
				return notSetUp(err)
			}
			return w.Flush()
		},
	}
}

func resetPasswordCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "reset-password EMAIL",
		Short: "Give an administrator of the platform another password",
		Long: `Give a cross-school administrator who has forgotten it another password, and end their
sessions. It is asked for twice on a terminal and never shown; without a terminal it is
read from standard input, one line. Their second factors stay. Make sure first that it is
they who ask.

Needs DATABASE_URL and HOMEROOM_SECRET as the service has them.`,
		Example: "  homeroom superadmin reset-password ops@example.org",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return changeOperator(cmd, args[0], "reset password", "Changed. Their sessions have ended.",
				func(s *service.Service, operator, _ uuid.UUID, booked tenancy.InTx) error {
					password, err := askPassword(args[0])
					if err != nil {
						return err
					}
					return s.Auth.ResetOperatorPassword(cmd.Context(), operator, password, booked)
				})
		},
	}
}

func disableOperatorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "disable EMAIL",
		Short: "Keep an administrator of the platform out",
		Long: `Keep a cross-school administrator out and end their sessions at once. The last active
one stays. "homeroom superadmin enable" lets them in again.

Needs DATABASE_URL and HOMEROOM_SECRET as the service has them.`,
		Example: "  homeroom superadmin disable ops@example.org",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return changeOperator(cmd, args[0], "disable", "Disabled. Their sessions have ended.",
				func(s *service.Service, operator, _ uuid.UUID, booked tenancy.InTx) error {
					return s.Auth.DisableOperator(cmd.Context(), operator, booked)
				})
		},
	}
}

func enableOperatorCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "enable EMAIL",
		Short:   "Let a disabled administrator of the platform in again",
		Example: "  homeroom superadmin enable ops@example.org",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return changeOperator(cmd, args[0], "enable", "Enabled.", func(s *service.Service, operator, _ uuid.UUID, booked tenancy.InTx) error {
				return s.Auth.EnableOperator(cmd.Context(), operator, booked)
			})
		},
	}
}

func resetFactorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "reset-factor EMAIL",
		Short: "Take an administrator's second factors, who has lost them all",
		Long: `Remove the authenticator app, the passkeys and the recovery codes of a cross-school
administrator who has lost them all, and end their sessions. They sign in with their
password and add a new one. Make sure first that it is they who ask.

Needs DATABASE_URL and HOMEROOM_SECRET as the service has them.`,
		Example: "  homeroom superadmin reset-factor ops@example.org",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return changeOperator(cmd, args[0], "reset second factor", "Removed. They add a new second factor when they sign in.",
				func(s *service.Service, _, account uuid.UUID, booked tenancy.InTx) error {
					return s.Auth.ResetFactors(cmd.Context(), account, booked)
				})
		},
	}
}

// changeOperator finds an operator and does something to them, with a line in the
// platform's audit.
func changeOperator(cmd *cobra.Command, email, action, done string,
	do func(s *service.Service, operator, account uuid.UUID, booked tenancy.InTx) error) error {
	s, err := operator(cmd)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := s.Prepare(cmd.Context()); err != nil {
		return err
	}
	id, account, err := s.Auth.FindOperator(cmd.Context(), strings.TrimSpace(email))
	if errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("no super-admin has the e-mail %s", email)
	}
	if err != nil {
		return err
	}
	if err := do(s, id, account, bookedAs(action, "super-admin", id)); err != nil {
		return err
	}
	fmt.Fprintln(cmd.OutOrStdout(), done)
	return nil
}

// bookedAs writes a change that concerns no school, made on the command line, into the
// platform's audit.
func bookedAs(action, entity string, id uuid.UUID) tenancy.InTx {
	return func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `insert into platform.audit_event (id, actor_role, action, entity, entity_id, occurred_at)
			values ($1, 'COMMAND_LINE', $2, $3, $4, now())`, uuid.Must(uuid.NewV7()), action, entity, id.String())
		return err
	}
}

func checkEmail(email string) error {
	if a, err := mail.ParseAddress(email); err != nil || a.Address != email {
		return fmt.Errorf("%q is not an e-mail address", email)
	}
	return nil
}

// askPassword reads a new password for an account: twice and unseen on a terminal.
func askPassword(email string) (string, error) {
	password, err := readPassword()
	if err != nil {
		return "", err
	}
	return password, strength.CheckPassword(password, email)
}

func readPassword() (string, error) {
	stdin := int(os.Stdin.Fd())
	if !term.IsTerminal(stdin) {
		line, err := bufio.NewReader(os.Stdin).ReadString('\n')
		if err != nil && line == "" {
			return "", errors.New("no password on standard input: give it as one line")
		}
		return strings.TrimRight(line, "\r\n"), nil
	}
	ask := func(prompt string) (string, error) {
		fmt.Fprint(os.Stderr, prompt)
		typed, err := term.ReadPassword(stdin)
		fmt.Fprintln(os.Stderr)
		return string(typed), err
	}
	first, err := ask(fmt.Sprintf("Password (at least %d characters): ", strength.MinPassword))
	if err != nil {
		return "", err
	}
	second, err := ask("Once more: ")
	if err == nil && first != second {
		err = errors.New("the two passwords differ")
	}
	return first, err
}
