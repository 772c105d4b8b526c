package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"
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
			if !strings.Contains(email, "@") {
				return fmt.Errorf("%q is not an e-mail address", email)
			}
			s, err := operator(cmd)
			if err != nil {
				return err
			}
			defer s.Close()
			if err := s.Prepare(cmd.Context()); err != nil {
				return err
			}
			password, err := askPassword()
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
			fmt.Fprintln(cmd.OutOrStdout(), "Made. Sign in at /console/ with", email)
			return nil
		},
	}
	create.Flags().StringVar(&name, "name", "", "what people call them")
	cmd.AddCommand(create)
	return cmd
}

// leastPassword is the shortest password of a web account.
const leastPassword = 12

func askPassword() (string, error) {
	stdin := int(os.Stdin.Fd())
	if !term.IsTerminal(stdin) {
		line, err := bufio.NewReader(os.Stdin).ReadString('\n')
		if err != nil && line == "" {
			return "", errors.New("no password on standard input")
		}
		return checkPassword(strings.TrimRight(line, "\r\n"))
	}
	fmt.Fprint(os.Stderr, "Password (at least 12 characters): ")
	first, err := term.ReadPassword(stdin)
	fmt.Fprintln(os.Stderr)
	if err != nil {
		return "", err
	}
	fmt.Fprint(os.Stderr, "Once more: ")
	second, err := term.ReadPassword(stdin)
	fmt.Fprintln(os.Stderr)
	if err != nil {
		return "", err
	}
	if string(first) != string(second) {
		return "", errors.New("the two passwords differ")
	}
	return checkPassword(string(first))
}

func checkPassword(p string) (string, error) {
	if len([]rune(p)) < leastPassword {
		return "", fmt.Errorf("the password has fewer than %d characters", leastPassword)
	}
	return p, nil
}
