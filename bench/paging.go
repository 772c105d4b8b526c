package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"

	"homeroom/tenancy"
)

const deepPage = 1000

// measurePaging turns to page 1,000 of a long list, and compares with page 1 and
// with the plain OFFSET anybody would write first.
func measurePaging(ctx context.Context, b *bench) error {
	f, err := b.schools(ctx, 1)
	if err != nil {
		return err
	}
	n, err := f.large(ctx)
	if err != nil {
		return err
	}
	tokens, err := f.signIn(ctx, n)
	if err != nil {
		return err
	}
	c, err := startChild(ctx, "ours", f.childSettings(b.servers))
	if err != nil {
		return err
	}
	defer c.stop()
	page := func(number int) (time.Duration, error) {
		l := load{address: c.Address, clients: 1, seed: b.seed, request: func(_ *rand.Rand, out []byte) []byte {
			return fmt.Appendf(out, "GET %s?page=%d HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer %s\r\n\r\n", listPath, number, tokens[n])
		}}
		p, err := l.run(200*time.Millisecond, time.Duration(b.seconds)*time.Second/2, func() {})
		return p.median, err
	}
	type result struct{ first, deep, plain time.Duration }
	var results []result
	for range b.rounds {
		var r result
		if r.first, err = page(1); err != nil {
			return err
		}
		if r.deep, err = page(deepPage); err != nil {
			return err
		}
		if r.plain, err = plainOffset(ctx, f.url, n, time.Duration(b.seconds)*time.Second/2); err != nil {
			return err
		}
		results = append(results, r)
	}
	took := func(f func(result) time.Duration) string { return millis(medianOf(results, f)) }
	deep := took(func(r result) time.Duration { return r.deep })
	what := fmt.Sprintf("page %d of %d records, total included: ", deepPage, studentsInLarge)
	b.report.add(line{
		what: what + "page 1 (median)", ours: deep, limit: took(func(r result) time.Duration { return r.first }),
		ratio: medianOf(results, func(r result) float64 { return r.first.Seconds() / r.deep.Seconds() }),
	})
	b.report.add(line{
		what: what + "plain OFFSET by bare pgx", ours: deep, limit: took(func(r result) time.Duration { return r.plain }),
		ratio: medianOf(results, func(r result) float64 { return r.plain.Seconds() / r.deep.Seconds() }),
	})
	return nil
}

// plainOffset is the median time of the plain query, in one pipeline with its binding.
func plainOffset(ctx context.Context, url string, school int, d time.Duration) (time.Duration, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return 0, err
	}
	config.RuntimeParams["search_path"] = tenancy.TemplateSchema
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return 0, err
	}
	defer closeConn(conn)
	var took []time.Duration
	for end := time.Now().Add(d); time.Now().Before(end) || len(took) == 0; {
		began := time.Now()
		batch := &pgx.Batch{}
		batch.Queue(bindSQL, schemaName(school))
		batch.Queue(countSQL)
		batch.Queue(pageSQL+" OFFSET $2", 20, (deepPage-1)*20)
		if err := conn.SendBatch(ctx, batch).Close(); err != nil {
			return 0, err
		}
		took = append(took, time.Since(began))
	}
	return median(took), nil
}
