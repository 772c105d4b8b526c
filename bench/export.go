package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"homeroom/tenancy"
)

const (
	exportTarget = 0.3
	exportMemory = 100 << 20
	// exportedDays of attendance make a school of 10,000 students a large one.
	exportedDays = 50
)

// attendanceSQL marks everybody present on so many days.
const attendanceSQL = `insert into attendance (id, student_id, division_id, date, status, source, marked_by, marked_at)
	select gen_random_uuid(), e.student_id, e.division_id, current_date - d, 'PRESENT', 'TEACHER', e.student_id, now()
	from enrolment e, generate_series(1, %d) d`

// measureExport writes a large school into an archive, against COPY of the same tables
// into files by psql. Ours is one file, compressed, with checksums.
func measureExport(ctx context.Context, b *bench) error {
	n, days := importedStudents, exportedDays
	if b.quick {
		n, days = 1_000, 20
	}
	o, err := b.newOffice(ctx)
	if err != nil {
		return err
	}
	if _, err := o.psqlImport(ctx, studentFile(n)); err != nil {
		return err
	}
	err = o.exec(ctx, "set search_path = "+tenancy.Ident(schemaName(o.number))+", extensions;"+fmt.Sprintf(attendanceSQL,
		days)+"; set search_path = ''")
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "bench-export-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var ours, psql []time.Duration
	var memory uint64
	var rows int64
	for range max(b.rounds, 3) {
		peak := watchHeap()
		began := time.Now()
		if rows, err = o.archive(ctx, filepath.Join(dir, "school.tar.gz")); err != nil {
			return err
		}
		ours = append(ours, time.Since(began))
		memory = max(memory, peak())
		took, err := o.psqlExport(ctx, dir)
		if err != nil {
			return err
		}
		psql = append(psql, took)
	}
	b.report.add(line{
		what: fmt.Sprintf("exporting a school of %d rows as one archive: psql, COPY of its tables", rows),
		ours: millis(median(ours)), limit: millis(median(psql)), ratio: median(psql).Seconds() / median(ours).Seconds(),
		target: atLeast(exportTarget),
	})
	b.report.add(line{
		what: "memory of such an export: 100 MB", ours: fmt.Sprintf("%d MB", memory>>20), limit: "100 MB", ratio: float64(memory) / exportMemory,
		target: atMost(1),
	})
	return nil
}

func (o *office) archive(ctx context.Context, path string) (int64, error) {
	f, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	closing, err := o.service.Export(ctx, schoolID(o.number), f, nil)
	return closing.Rows(), err
}

// psqlExport is the limit: every table by COPY, by psql, in one transaction.
func (o *office) psqlExport(ctx context.Context, dir string) (time.Duration, error) {
	node, err := o.service.Cluster.Node(ctx, tenancy.MainNode)
	if err != nil {
		return 0, err
	}
	tables, err := node.Tables(ctx)
	if err != nil {
		return 0, err
	}
	var script strings.Builder
	fmt.Fprintf(&script, "begin isolation level repeatable read read only;\nset search_path = %s;\n", tenancy.Ident(schemaName(o.number)))
	for _, t := range tables {
		fmt.Fprintf(&script, `\copy %s to '%s'`+"\n", pgx.Identifier{t.Name}.Sanitize(), filepath.Join(dir, t.Name))
	}
	script.WriteString("commit;\n")
	cmd := exec.CommandContext(ctx, program("psql"), "-X", "-q", "-v", "ON_ERROR_STOP=1", o.url)
	cmd.Stdin = strings.NewReader(script.String())
	began := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("psql: %w\n%s", err, out)
	}
	return time.Since(began), nil
}
