package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"homeroom/tenancy"
	"homeroom/tenancy/lifecycle"
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

With --check-all it also compares the platform's record with what is on the nodes, both
ways: schools whose tables are missing, schools that the platform does not know (see
"homeroom school adopt"), and spare schemas that are none, which are struck off.

Needs DATABASE_URL and HOMEROOM_SECRET as the service has them, and HOMEROOM_NODE_URL if
the service has that.`,
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
			compared := error(nil)
			if checkAll {
				compared = compareNodes(cmd.Context(), s.Cluster, cmd.OutOrStdout())
			}
			report, err := s.Migrator.Run(cmd.Context())
			return errors.Join(err, printReport(cmd.OutOrStdout(), report, s.Cluster.SchoolVersion()), compared)
		},
	}
	cmd.Flags().IntVar(&workers, "workers", 4, "schools of a node that are migrated at a time")
	cmd.Flags().BoolVar(&checkAll, "check-all", false,
		"look into every school and compare the platform with the nodes, e.g. after a server was restored from a backup")
	return cmd
}

// compareNodes prints what the platform's record and the nodes do not agree on. It fails if that concerns a school.
func compareNodes(ctx context.Context, c *tenancy.Cluster, out io.Writer) error {
	found, err := lifecycle.CompareNodes(ctx, c)
	harmed := 0
	for _, d := range found {
		fmt.Fprintln(out, d)
		if !d.Harmless() {
			harmed++
		}
	}
	if harmed > 0 {
		err = errors.Join(err,
			fmt.Errorf("the platform and the nodes do not agree on %d schools: see above, and docs/operations/backups.md", harmed))
	}
	return err
}

// progress counts in one line on a terminal, and prints a line every tenth of the way elsewhere.
func progress(out io.Writer) func(lifecycle.Progress) {
	if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return func(p lifecycle.Progress) {
			fmt.Fprintf(out, "\r\x1b[K%d of %d schemas, %d failed", p.Done, p.Total, p.Failed)
			if p.Done == p.Total {
				fmt.Fprint(out, "\r\x1b[K")
			}
		}
	}
	tenth := 0
	return func(p lifecycle.Progress) {
		if p.Total > 0 && p.Done*10/p.Total > tenth {
			tenth = p.Done * 10 / p.Total
			fmt.Fprintf(out, "%d of %d schemas, %d failed\n", p.Done, p.Total, p.Failed)
		}
	}
}

// printReport counts schemas: schools, spares and the template of every node.
func printReport(out io.Writer, r *lifecycle.Report, version int) error {
	if r.Migrated == 0 && len(r.Failures) == 0 && r.Done == r.Total {
		fmt.Fprintf(out, "Nothing to do: every school is at version %d.\n", version)
		return nil
	}
	fmt.Fprintf(out, "%d schemas brought to version %d, %d failed (%.1f s)\n", r.Migrated, version, len(r.Failures), r.Took.Seconds())
	for _, f := range r.Failures {
		fmt.Fprintln(out, "  failed:", f.Error())
	}
	if len(r.Failures) > 0 {
		return errors.New("some schools could not be migrated; the others were. Mend the cause and run it again")
	}
	return nil
}
