package main

import (
	"context"
	"crypto/md5"
	"fmt"
	"runtime"
	"time"

	"github.com/google/uuid"

	"homeroom/tenancy"
)

// watchHeap returns a function that says by how much the heap grew at its largest.
func watchHeap() (grown func() uint64) {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	before, most := m.HeapInuse+m.StackInuse, uint64(0)
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for tick := time.NewTicker(5 * time.Millisecond); ; {
			select {
			case <-stop:
				tick.Stop()
				return
			case <-tick.C:
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				if now := m.HeapInuse + m.StackInuse; now > before {
					most = max(most, now-before)
				}
			}
		}
	}()
	return func() uint64 { close(stop); <-done; return most }
}

// promoteSQL is a class's turn of the year in one statement.
const promoteSQL = `with ended as (
	update enrolment e set end_date = y.end_date, outcome = 'PROMOTED' from academic_year y
	where y.active and e.academic_year_id = y.id and e.class_id = md5('5')::uuid and e.end_date is null returning e.student_id, e.division_id)
insert into enrolment (id, student_id, academic_year_id, class_id, division_id, start_date)
select gen_random_uuid(), ended.student_id, y.id, n.class_id, n.id, y.start_date
from ended join division d on d.id = ended.division_id join class k on k.id = d.class_id join division n on n.class_id = k.next_class_id
and n.name = d.name, academic_year y where y.name = 'next'`

// measurePromotion takes a class into the next year, by the service and by one statement.
func measurePromotion(ctx context.Context, b *bench) error {
	n := importedStudents
	if b.quick {
		n = 1_000
	}
	file := studentFile(n)
	var ours, limit []time.Duration
	for range b.rounds {
		for _, by := range []struct {
			into *[]time.Duration
			run  func(*office) error
		}{
			{&ours, func(o *office) error {
				body := fmt.Sprintf(`{"data":{"classId":%q,"toYearId":%q}}`, md5ID("5"), md5ID("next"))
				return o.call("/school-admin/student/promote", "application/json", []byte(body))
			}},
			{&limit, func(o *office) error {
				return o.exec(ctx, "set search_path = "+tenancy.Ident(schemaName(o.number))+", extensions;"+promoteSQL+"; set search_path = ''")
			}},
		} {
			o, err := b.newOffice(ctx)
			if err != nil {
				return err
			}
			if _, err := o.psqlImport(ctx, file); err != nil {
				return err
			}
			if err := o.exec(ctx, "analyze "+tenancy.Ident(schemaName(o.number))+".enrolment, "+
				tenancy.Ident(schemaName(o.number))+".student"); err != nil {
				return err
			}
			began := time.Now()
			if err := by.run(o); err != nil {
				return err
			}
			*by.into = append(*by.into, time.Since(began))
		}
	}
	b.report.add(line{
		what: fmt.Sprintf("promoting %d students: one statement", n/2), ours: millis(median(ours)), limit: millis(median(limit)),
		ratio: median(limit).Seconds() / median(ours).Seconds(), target: atLeast(promotionTarget),
	})
	return nil
}

// md5ID is the id Postgres makes of md5(text)::uuid.
func md5ID(text string) uuid.UUID { return md5.Sum([]byte(text)) }
