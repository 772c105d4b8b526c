package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"homeroom/tenancy"
)

func migrateCommand() *cobra.Command {
	var workers int
	var checkAll bool
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "Bring the platform and every school to this binary's version",
		Long: `Migrate the platform's schema, then every node's template, then every school.

Each school is migrated on its own, under its own lock, so it may run while the
service does, from several machines at once, and again after it was interrupted:
it goes on with what is behind. A school that fails does not stop the others; the
end is a report of who failed and why, and exit code 1.

Needs DATABASE_URL (and HOMEROOM_SECRET as the service has it).`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := operator(cmd)
			if err != nil {
				return err
			}
			defer s.Close()
			if err := s.Prepare(cmd.Context()); err != nil {
				return err
			}
			s.Migrator.Workers, s.Migrator.CheckAll = workers, checkAll
			s.Migrator.Progress = progress(cmd.OutOrStdout())
			report, err := s.Migrator.Run(cmd.Context())
			if err != nil {
				return err
			}
			return printReport(cmd.OutOrStdout(), report)
		},
	}
	cmd.Flags().IntVar(&workers, "workers", 4, "schools of a node that are migrated at a time")
	cmd.Flags().BoolVar(&checkAll, "check-all", false, "look into every school, e.g. after a node was restored from a backup")
	return cmd
}

// progress draws a bar on a terminal, and prints a line every tenth of the way elsewhere.
func progress(out io.Writer) func(tenancy.Progress) {
	if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		bar := progressbar.NewOptions(-1, progressbar.OptionSetWriter(out), progressbar.OptionSetDescription("schools"),
			progressbar.OptionShowCount(), progressbar.OptionShowIts(), progressbar.OptionClearOnFinish())
		return func(p tenancy.Progress) {
			bar.ChangeMax(p.Total)
			_ = bar.Set(p.Done)
		}
	}
	tenth := 0
	return func(p tenancy.Progress) {
		if p.Total > 0 && p.Done*10/p.Total > tenth {
			tenth = p.Done * 10 / p.Total
			fmt.Fprintf(out, "%d of %d schools, %d failed\n", p.Done, p.Total, p.Failed)
		}
	}
}

func printReport(out io.Writer, r *tenancy.Report) error {
	fmt.Fprintf(out, "%d migrated, %d failed\n", r.Migrated, len(r.Failures))
	for _, f := range r.Failures {
		fmt.Fprintln(out, "  failed:", f.Error())
	}
	if len(r.Failures) > 0 {
		return errors.New("some schools could not be migrated; the others were. Mend the cause and run it again")
	}
	return nil
}
