package api

import (
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"homeroom/tenancy"
)

// Page is the paginated list envelope.
type Page[V any] struct {
	Items      []V `json:"items"`
	Total      int `json:"total" doc:"How many there are on all pages."`
	Page       int `json:"page" example:"1"`
	Limit      int `json:"limit" example:"20"`
	TotalPages int `json:"totalPages"`
}

// deepOffset is where a page's wide rows are fetched by their ids alone: the
// database then steps over index entries instead of whole rows.
const deepOffset = 1000

// Fetch reads one page and the total in a single round trip. query says which
// records (Model and Where); its conditions must stand without joins.
func Fetch[V any](query *gorm.DB, l ListRequest) (Page[V], error) {
	page := Page[V]{Items: []V{}, Page: l.Page, Limit: l.Limit}
	dry := query.Session(&gorm.Session{DryRun: true})

	var n int64
	count := l.narrow(dry).Count(&n).Statement
	rows := l.narrow(dry)
	if l.Offset() >= deepOffset {
		ids := l.ordered(l.narrow(dry)).Select("id").Limit(l.Limit).Offset(l.Offset())
		rows = l.ordered(dry.Where("id IN (?)", ids)).Find(&[]V{})
	} else {
		rows = l.ordered(rows).Limit(l.Limit).Offset(l.Offset()).Find(&[]V{})
	}
	if rows.Error != nil {
		return page, fmt.Errorf("building a list query: %w", rows.Error)
	}
	err := tenancy.Pipeline(query,
		tenancy.Query{SQL: count.SQL.String(), Args: count.Vars, Scan: tenancy.One(&page.Total)},
		tenancy.Query{SQL: rows.Statement.SQL.String(), Args: rows.Statement.Vars, Scan: func(r pgx.Rows) error {
			items, err := scanViews[V](query, r)
			if len(items) > 0 {
				page.Items = items
			}
			return err
		}})
	if err != nil {
		return page, fmt.Errorf("listing: %w", err)
	}
	page.TotalPages = (page.Total + l.Limit - 1) / l.Limit
	return page, nil
}

func (l ListRequest) ordered(db *gorm.DB) *gorm.DB { return db.Order(strings.Join(l.order, ", ")) }

// MapPage is a page with its items as the caller shall see them.
func MapPage[A, B any](p Page[A], to func(A) B) Page[B] {
	out := Page[B]{Items: make([]B, len(p.Items)), Total: p.Total, Page: p.Page, Limit: p.Limit, TotalPages: p.TotalPages}
	for i, item := range p.Items {
		out.Items[i] = to(item)
	}
	return out
}
