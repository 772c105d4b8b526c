package api

import (
	"bytes"
	"crypto/sha256"
	"database/sql"
	"fmt"

	"github.com/gin-gonic/gin"
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
	if !row.Idempotent {
		return nil
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n", row.Method, g.Request.URL.RequestURI())
	h.Write(bytes.TrimSpace(body))
	return h.Sum(nil)
}

// claimKey makes this request the one that does the work, or returns the answer of
// the one that did. A request with the same key that is still running is waited
// for: its row is locked until it commits.
func (k *Kernel) claimKey(db *gorm.DB, rq *request) (*answer, error) {
	err := db.Exec(`delete from idempotency where actor_id = ? and key = ? and created_at < now() - interval '`+KeyLife+`'`, rq.user.ID, rq.key).Error
	if err != nil {
		return nil, fmt.Errorf("clearing an old key: %w", err)
	}
	claimed := db.Exec(`insert into idempotency (actor_id, key, row_name, body_hash) values (?, ?, ?, ?) on conflict do nothing`,
		rq.user.ID, rq.key, rq.row.Name(), rq.bodyHash)
	if claimed.Error != nil {
		return nil, fmt.Errorf("claiming a key: %w", claimed.Error)
	}
	if claimed.RowsAffected == 1 {
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
	return &answer{status: int(status.Int64), raw: raw}, nil
}

func rememberAnswer(rq *request, a answer) tenancy.Query {
	var raw *string
	if a.raw != nil {
		text := string(a.raw)
		raw = &text
	}
	return tenancy.Query{
		SQL:  `update idempotency set status = $3, answer = $4 where actor_id = $1 and key = $2`,
		Args: []any{rq.user.ID, rq.key, a.status, raw},
	}
}
