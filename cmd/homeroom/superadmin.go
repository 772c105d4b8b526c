package main

import (
	"bufio"
	"errors"
	"fmt"
	"net/mail"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"homeroom/auth"
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
	cmd.AddCommand(create)
	return cmd
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
	return password, auth.CheckPassword(password, email)
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
	first, err := ask(fmt.Sprintf("Password (at least %d characters): ", auth.LeastPassword))
	if err != nil {
		return "", err
	}
	second, err := ask("Once more: ")
	if err == nil && first != second {
		err = errors.New("the two passwords differ")
	}
	return first, err
}
