package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"text/tabwriter"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"homeroom/archive"
	"homeroom/cmd/service"
	"homeroom/tenancy"
	"homeroom/tenancy/lifecycle"
)

func schoolExport() *cobra.Command {
	return &cobra.Command{
		Use:   "export ID FILE",
		Short: "Write a whole school into one file, while it is in use",
		Long: `Write a whole school as it is at one moment, its files included, into one file that
"homeroom school import" makes a school of again. People may go on using the school.

The file is as secret as the database: what people sign in with is in it. It is written
readable by you alone. FILE must not exist; "-" is standard output.

Needs DATABASE_URL and HOMEROOM_SECRET as the service has them, HOMEROOM_FILES if it keeps
files, and HOMEROOM_NODE_URL if the service has that.`,
		Example: `  homeroom school export 0190c3f2-… green-valley.tar.gz`,
		Args:    cobra.ExactArgs(2),
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
			to, done, err := newFile(args[1], cmd.OutOrStdout())
			if err != nil {
				return err
			}
			closing, err := exportSchool(cmd.Context(), s, id, to)
			if err := done(err); err != nil {
				return err
			}
			report := cmd.OutOrStdout()
			if args[1] == "-" {
				report = cmd.ErrOrStderr()
			}
			return printSums(report, closing, "written")
		},
	}
}

func exportSchool(ctx context.Context, s *service.Service, id uuid.UUID, to io.Writer) (archive.Closing, error) {
	pool := s.Cluster.PlatformPool()
	if err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error { return booked("export", id)(ctx, tx) }); err != nil {
		return archive.Closing{}, notSetUp(err)
	}
	closing, err := s.Export(ctx, id, to, nil)
	if errors.Is(err, tenancy.ErrSchoolNotFound) {
		return closing, fmt.Errorf("no school has the id %s; see: homeroom school list", id)
	}
	return closing, err
}

// newFile is a file that is there whole, under its name, or not at all.
func newFile(path string, stdout io.Writer) (to io.Writer, done func(error) error, err error) {
	if path == "-" {
		return stdout, func(err error) error { return err }, nil
	}
	if _, err := os.Lstat(path); err == nil {
		return nil, nil, fmt.Errorf("%s is there already", path)
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".part-") // readable by its owner alone
	if err != nil {
		return nil, nil, err
	}
	return f, func(err error) error {
		if err == nil {
			err = f.Sync()
		}
		if closeErr := f.Close(); err == nil {
			err = closeErr
		}
		if err == nil {
			err = os.Link(f.Name(), path) // refuses to take another file's place
		}
		return errors.Join(err, os.Remove(f.Name()))
	}, nil
}

func schoolVerify() *cobra.Command {
	return &cobra.Command{
		Use:   "verify FILE",
		Short: "Read an exported school through and say whether it is whole",
		Long: `Read a file that "homeroom school export" wrote from its beginning to its end, and say what
is in it, or where it is damaged. It needs no database.

With HOMEROOM_SECRET or HOMEROOM_ARCHIVE_KEY as the service has them it fails as well if
neither this installation nor one with the same key wrote the file as it is.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := os.Open(args[0])
			if err != nil {
				return err
			}
			defer func() { _ = f.Close() }()
			m, closing, err := archive.Verify(f)
			if err != nil {
				return err
			}
			if _, err := f.Seek(0, io.SeekStart); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s (%s), made at %s, schema version %d\n", m.School.Name, m.School.Code,
				m.MadeAt.Format("2006-01-02 15:04:05 MST"), m.SchemaVersion)
			if err := printSums(cmd.OutOrStdout(), closing, "whole"); err != nil {
				return err
			}
			seal := service.ArchiveSeal(os.Getenv("HOMEROOM_ARCHIVE_KEY"), os.Getenv("HOMEROOM_SECRET"))
			if len(seal.Keys) == 0 {
				fmt.Fprintln(cmd.OutOrStdout(), "Its seal was not checked: neither HOMEROOM_SECRET nor HOMEROOM_ARCHIVE_KEY is set")
				return nil
			}
			if _, _, err := seal.Verify(f); err != nil {
				return fmt.Errorf("no byte of the file is damaged, but %w", err)
			}
			fmt.Fprintln(cmd.OutOrStdout(), "It is sealed with a key of this installation")
			return nil
		},
	}
}

func schoolImport() *cobra.Command {
	var i archive.Import
	var id string
	var suspended bool
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Make a school of a file that was exported, and prove that it is the same",
		Long: `Make a new school of a file that "homeroom school export" or the super-admin's endpoint
wrote: a new id and code, a new schema, every row and every file as it was.

The file is read through first: one that is damaged or cut changes nothing, and it says
where. Then everything is loaded, read back, counted and summed, and compared with the
file; only then the school is there, its people in the directory with it. Whatever goes
wrong before leaves no school.

The file must be sealed with a key of this installation: the one that follows from
HOMEROOM_SECRET, or HOMEROOM_ARCHIVE_KEY. A file of another installation is taken if both
have the same HOMEROOM_ARCHIVE_KEY. One without a seal, of an earlier version, or with one of
a key that is lost, is taken with --unsigned: then nothing proves that it is what was written.
Anybody who held it may have put in people who can sign in, rights, or payments.

What waited to be sent when the file was made is not sent. Beside the school it was made
of, while that one is open, a copy should be --suspended: their people have the same ids
and phones.

Needs DATABASE_URL and HOMEROOM_SECRET as the service has them, HOMEROOM_FILES if the file
has files in it, and HOMEROOM_NODE_URL if the service has that.`,
		Example: `  homeroom school import green-valley.tar.gz --code green-valley-2`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			i.ID = uuid.Must(uuid.NewV7())
			var err error
			if id != "" {
				if i.ID, err = uuid.Parse(id); err != nil {
					return fmt.Errorf("--id %q is not an id", id)
				}
			}
			i.Status = tenancy.Active
			if suspended {
				i.Status = tenancy.Suspended
			}
			f, err := os.Open(args[0])
			if err != nil {
				return err
			}
			defer func() { _ = f.Close() }()
			s, err := operator(cmd)
			if err != nil {
				return err
			}
			defer s.Close()
			return importSchool(cmd.Context(), s, i, f, cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&i.Code, "code", "", "the new school's code; the file's unless given")
	cmd.Flags().StringVar(&id, "id", "", "the new school's id; a new one unless given")
	cmd.Flags().StringVar(&i.Name, "name", "", "the new school's name; the file's unless given")
	cmd.Flags().StringVar(&i.Node, "node", "", "database node; the least loaded one unless named")
	cmd.Flags().BoolVar(&i.Seal.Unsigned, "unsigned", false,
		"take a file that no key of this installation sealed: it may have been changed by anybody who had it")
	cmd.Flags().BoolVar(&suspended, "suspended", false, "leave it shut, for \"homeroom school activate\"")
	return cmd
}

func importSchool(ctx context.Context, s *service.Service, i archive.Import, f io.ReadSeeker, out io.Writer) error {
	// Before the database is so much as looked at: a bad file is the commonest trouble.
	seal := s.Seal()
	seal.Unsigned = i.Seal.Unsigned
	m, _, err := seal.Verify(f)
	if errors.Is(err, archive.ErrUnsigned) || errors.Is(err, archive.ErrSeal) {
		return fmt.Errorf("%w; nothing was imported. If you are sure of the file, see --unsigned in: homeroom school import --help", err)
	}
	if err != nil {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if i.Code == "" {
		i.Code = m.School.Code
	}
	if !codeForm.MatchString(i.Code) {
		return fmt.Errorf("--code %q: use 2 to 31 letters, digits or dashes", i.Code)
	}
	if err := s.Prepare(ctx); err != nil {
		return err
	}
	i.InTx = append(i.InTx, booked("import", i.ID))
	made, err := s.Import(ctx, i, f)
	switch {
	case errors.Is(err, tenancy.ErrCodeTaken):
		return fmt.Errorf("another school has the code %s: give one with --code", i.Code)
	case errors.Is(err, lifecycle.ErrIDTaken):
		return fmt.Errorf("a school has the id %s already", i.ID)
	case errors.Is(err, lifecycle.ErrNoNode):
		return fmt.Errorf("no active database node is called %q", i.Node)
	case err != nil:
		return err
	}
	if err := printSums(out, made.Proof.Closing, "equal"); err != nil {
		return err
	}
	fmt.Fprintf(out, "%d people can sign in\n", made.People.Accounts)
	if made.Unsent > 0 {
		fmt.Fprintf(out, "%d messages that waited to be sent when the file was made are not sent\n", made.Unsent)
	}
	if open, err := s.Cluster.InUse(ctx, m.School.ID); err == nil && open && i.Status == tenancy.Active {
		fmt.Fprintf(out, "The school it was made of (%s) is here too and not archived: people with accounts at both choose when they sign in\n",
			m.School.ID)
	}
	fmt.Fprintln(out, "School", made.School.Code, "is ready:", made.School.ID)
	_ = s.Announce(ctx, made.School.ID) // nobody remembers it yet
	return nil
}

// printSums prints what was written, or the proof of what was read back.
func printSums(out io.Writer, c archive.Closing, how string) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "TABLE\tROWS\tBYTES\tSUM OF SHA-256\t")
	for _, t := range c.Tables {
		fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%s\n", t.Name, t.Rows, t.Bytes, t.Set, how)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	var bytes int64
	files, missing := 0, 0
	for _, f := range c.Files {
		if f.Missing {
			missing++
			continue
		}
		files++
		bytes += f.Bytes
	}
	fmt.Fprintf(out, "%d tables with %d rows and %d files with %d bytes: %s\n", len(c.Tables), c.Rows(), files, bytes, how)
	if missing > 0 {
		fmt.Fprintf(out, "%d files were gone when the archive was made\n", missing)
	}
	return nil
}
