package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"homeroom/tenancy"
)

const (
	searchedBooks = 50_000
	booksTarget   = 0.5
)

// libraryBooksSQL fills a library: every word of a title is in some books only, an author
// has twenty, and each book has a copy.
const libraryBooksSQL = `
insert into book (id, title, author, isbn, search_text, match_key)
select md5('book' || i)::uuid, 'The Tale of Volume' || i, 'Author' || i %% (%[1]d / 20), (9780000000000 + i)::text,
	'the tale of volume' || i || ' author' || i %% (%[1]d / 20) || ' ' || 9780000000000 + i, 'book' || i from generate_series(1, %[1]d) i;
insert into book_copy (id, book_id, accession_number) select gen_random_uuid(), md5('book' || i)::uuid, 'L-' || i
from generate_series(1, %[1]d) i`

// The statements of the book list, with values where it has parameters.
const (
	booksFrom = ` FROM book, (select current_date as day) as today WHERE true`
	booksLine = `SELECT book.id, book.created_at, book.updated_at, book.created_by, book.updated_by, book.version, book.title, book.author,
		book.isbn, book.publisher, book.published_year,
	book.category, book.price,
	(select count(*) from book_copy c where c.book_id = book.id and c.state = 'GOOD') as copies,
	(select count(*) from book_copy c where c.book_id = book.id and c.state = 'GOOD' and not exists (select from library_loan l
	where l.copy_id = c.id and l.closed_on is null)
		and not exists (select from library_reservation r where r.copy_id = c.id and r.status = 'READY'
		and r.hold_until >= today.day)) as available,
	(select count(*) from library_reservation r where r.book_id = book.id and r.status = 'WAITING') as waiting`
)

// measureBooks searches a large library, by the service and by pgbench.
func measureBooks(ctx context.Context, b *bench) error {
	o, err := b.newOffice(ctx)
	if err != nil {
		return err
	}
	if err := o.within(ctx, fmt.Sprintf(libraryBooksSQL, searchedBooks)); err != nil {
		return err
	}
	schema := tenancy.Ident(schemaName(o.number))
	if err := o.exec(ctx, "vacuum analyze "+schema+".book, "+schema+".book_copy"); err != nil {
		return err
	}
	c, err := startChild(ctx, "ours", o.childSettings(b.servers))
	if err != nil {
		return err
	}
	defer c.stop()
	for _, q := range []struct {
		name, where string
		query       func(r *rand.Rand) string
	}{
		{"title", " AND search_text LIKE '%volume' || 1000 + (:id)::int || '%' AND search_text LIKE '%tale%'",
			func(r *rand.Rand) string { return fmt.Sprintf("tale Volume%d", 1001+r.IntN(studentsEach)) }},
		{"ISBN", " AND search_text LIKE '%978000000' || 1000 + (:id)::int || '%'",
			func(r *rand.Rand) string { return fmt.Sprintf("978000000%d", 1001+r.IntN(studentsEach)) }},
	} {
		l := load{address: c.Address, clients: b.clients, seed: b.seed, request: func(r *rand.Rand, out []byte) []byte {
			path := "/school-admin/library/book/list?limit=20" + searchFor(q.query(r))
			return fmt.Appendf(out, "GET %s HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer %s\r\n\r\n", path, o.token)
		}}
		p := pgbench{url: o.url, clients: b.clients, seed: b.seed, schools: 1, only: o.number, sql: []string{
			"SELECT count(*)" + booksFrom + q.where,
			booksLine + booksFrom + q.where + " ORDER BY title, id LIMIT 20",
		}}
		var ours, limit []float64
		for range b.rounds {
			tps, err := p.run(ctx, 1, b.seconds, func(int) {}, func(int) {})
			if err != nil {
				return err
			}
			pace, err := l.run(time.Second, time.Duration(b.seconds)*time.Second, func() {})
			if err != nil {
				return err
			}
			ours, limit = append(ours, pace.perSecond()), append(limit, tps)
		}
		b.report.add(line{
			what: fmt.Sprintf("search by %s among %d books: pgbench", q.name, searchedBooks), ours: perSecond(median(ours)),
			limit: perSecond(median(limit)),
			ratio: median(ours) / median(limit), target: atLeast(booksTarget),
		})
	}
	return nil
}
