package api

import (
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"homeroom/tenancy"
)

const (
	// maxWhole is how many records a list may have that is asked for as a file.
	maxWhole = 500_000
	// partSize is how many of them are read at a time.
	partSize = 500
)

// wholeList is a list that is read to its end, part by part. Which records it has is decided
// once, by the first part: what others add or remove meanwhile makes none of them come twice or
// be left out.
type wholeList struct {
	ids   []uuid.UUID
	known bool
}

// fetchPart reads the records of one part of a whole list, and returns how many the whole has.
func fetchPart(query *gorm.DB, l ListRequest, count, rows *gorm.Statement, scan scanPage) (int, error) {
	if !l.whole.known {
		from := strings.TrimPrefix(count.SQL.String(), "SELECT count(*) FROM ")
		err := tenancy.Pipeline(query, tenancy.Query{
			SQL: fmt.Sprintf(`select id from %s order by %s limit %d`, from, l.orderBy(), maxWhole+1), Args: count.Vars,
			Scan: func(r pgx.Rows) (err error) {
				l.whole.ids, err = pgx.CollectRows(r, pgx.RowTo[uuid.UUID])
				return err
			},
		})
		if err != nil {
			return 0, fmt.Errorf("listing: %w", err)
		}
		if len(l.whole.ids) > maxWhole {
			return 0, newError(413, "", "The list has more than %d lines. Choose a filter and download it in parts", maxWhole)
		}
		l.whole.known = true
	}
	total := len(l.whole.ids)
	part := l.whole.ids[min(l.Offset(), total):min(l.Offset()+l.Limit, total)]
	if len(part) == 0 {
		return total, nil
	}
	err := tenancy.Pipeline(query, tenancy.Query{
		SQL:  fmt.Sprintf(`with cut as materialized (select unnest($%d::uuid[]) as id) %s`, len(rows.Vars)+1, rows.SQL.String()),
		Args: append(append([]any{}, rows.Vars...), part),
		Scan: func(r pgx.Rows) error {
			var none int
			_, err := scan(r, &none)
			return err
		},
	})
	if err != nil {
		return 0, fmt.Errorf("listing: %w", err)
	}
	return total, nil
}
