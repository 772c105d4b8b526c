package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"homeroom/tenancy"
)

// KeyLife is how long an Idempotency-Key is remembered.
const KeyLife = "24 hours"

func idempotencyKey(g *gin.Context) (string, error) {
	key := g.GetHeader("Idempotency-Key")
	if len(key) > 200 {
		return "", InvalidField("Idempotency-Key", "must be at most 200 characters")
	}
	for _, c := range key {
		if c < ' ' || c > '~' {
			return "", InvalidField("Idempotency-Key", "must be printable ASCII")
		}
	}
	return key, nil
}

// hashBody tells a repeated request from another one under the same key.
func hashBody(row *Row, g *gin.Context, body []byte) []byte {
	if !row.Idempotent || g.GetHeader("Idempotency-Key") == "" {
		return nil
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n", row.Method, g.Request.URL.RequestURI())
	h.Write(bytes.TrimSpace(body))
	return h.Sum(nil)
}

// takeKey takes a key that is new or whose time is over, and then has a row to return.
const takeKey = `insert into idempotency as i (actor_id, key, row_name, body_hash) values ($1, $2, $3, $4)
	on conflict (actor_id, key) do update
	set row_name = excluded.row_name, body_hash = excluded.body_hash, status = null, answer = null, created_at = excluded.created_at
	where i.created_at < now() - interval '` + KeyLife + `' returning true`

// claimKey makes this request the one that does the work, or returns the answer of
// the one that did. A request with the same key that is still running is waited
// for: its row is locked until it commits.
func (k *Kernel) claimKey(db *gorm.DB, rq *request) (answer, error) {
	taken := false
	err := tenancy.Pipeline(db, tenancy.Query{SQL: takeKey, Args: []any{rq.user.ID, rq.key, rq.row.Name(), rq.bodyHash},
		Scan: func(rows pgx.Rows) error {
			taken = rows.Next()
			return nil
		}})
	if err != nil {
		return nil, fmt.Errorf("claiming a key: %w", err)
	}
	if taken {
		return nil, nil
	}
	var hash []byte
	var status sql.NullInt64
	var raw []byte
	row := db.Raw(`select body_hash, status, answer from idempotency where actor_id = ? and key = ?`, rq.user.ID, rq.key).Row()
	if err := row.Scan(&hash, &status, &raw); err != nil {
		return nil, fmt.Errorf("reading a key: %w", err)
	}
	if !bytes.Equal(hash, rq.bodyHash) {
		return nil, Conflict("This Idempotency-Key was used for another request")
	}
	rq.replayed = true
	return &envelope{status: int(status.Int64), body: raw}, nil
}

// rememberAnswer keeps the answer: an idempotent row's is an envelope.
func rememberAnswer(rq *request, a answer) tenancy.Query {
	kept := a.(*envelope)
	var body *string
	if kept.body != nil {
		text := string(kept.body)
		body = &text
	}
	return tenancy.Query{
		SQL:  `update idempotency set status = $3, answer = $4 where actor_id = $1 and key = $2`,
		Args: []any{rq.user.ID, rq.key, kept.status, body},
	}
}

// clearKept deletes what the kernel kept at a school for callers who do not come back.
func clearKept(ctx context.Context, at SchoolWork) error {
	return errors.Join(clearAnswers(ctx, at), clearCopies(ctx, at))
}

// clearAtOnce is how many rows go in one transaction: none is locked for long.
const clearAtOnce = 5000

// clearAnswers deletes the answers that a school kept for repeated requests. After a day they
// are not used any more.
func clearAnswers(_ context.Context, at SchoolWork) error {
	for {
		done := at.DB.Exec(`delete from idempotency where ctid = any(array(select ctid from idempotency where created_at < ? limit ?))`,
			at.Now.Add(-24*time.Hour), clearAtOnce)
		if done.Error != nil {
			return fmt.Errorf("clearing old answers: %w", done.Error)
		}
		if done.RowsAffected < clearAtOnce {
			return nil
		}
	}
}
