package api

import (
	"errors"
	"fmt"
	"slices"
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

// totalColumn is beside the columns of the view in every row of a page.
const totalColumn = "page_total"

// Fetch reads one page and the total in a single round trip. query says which records
// (Model or Table, and Where); its columns take no arguments.
//
// The page is cut by ids alone, and what its records show is worked out for those ids
// only, so that a record before the page costs an index entry at best. That holds for
// columns that are subqueries or come by a LEFT JOIN on a unique key, which Postgres
// leaves out where nothing names them; other joins are made for every record. All are
// counted only where a page is full: the last one ends with the last record.
func Fetch[V any](query *gorm.DB, l ListRequest) (Page[V], error) {
	page := Page[V]{Items: []V{}, Page: l.Page, Limit: l.Limit}
	dry := query.Session(&gorm.Session{DryRun: true})
	if query.Statement.Clauses["SELECT"].Expression != nil {
		return page, errors.New("building a list query: its columns take arguments")
	}

	var n int64
	count := l.narrow(dry).Count(&n).Statement
	rows := l.ordered(dry.Where("id = any(array(select id from cut))")).Find(&[]V{}).Statement
	if err := errors.Join(count.Error, rows.Error); err != nil {
		return page, fmt.Errorf("building a list query: %w", err)
	}
	if l.whole != nil {
		items, err := fetchPart[V](query, l, count, rows)
		page.Items, page.Total = items, len(l.whole.ids)
		return page, err
	}
	read := tenancy.Query{SQL: l.pageSQL(count, rows), Args: append(slices.Clip(count.Vars), l.Offset()), Scan: func(r pgx.Rows) error {
		items, err := scanViews[V](query, r, &page.Total)
		if len(items) > 0 {
			page.Items = items
		}
		return err
	}}
	err := tenancy.Pipeline(query, read)
	if err == nil && len(page.Items) == 0 && l.Page > 1 {
		err = tenancy.Pipeline(query, tenancy.Query{SQL: count.SQL.String(), Args: count.Vars, Scan: tenancy.One(&page.Total)})
	}
	if err != nil {
		return page, fmt.Errorf("listing: %w", err)
	}
	page.TotalPages = (page.Total + l.Limit - 1) / l.Limit
	return page, nil
}

// pageSQL is the statement of a page. Its parts share their arguments: those of rows are
// the first of count's. The limit is part of the text, for the planner to know that it is small.
func (l ListRequest) pageSQL(count, rows *gorm.Statement) string {
	from := strings.TrimPrefix(count.SQL.String(), "SELECT count(*) FROM ")
	return fmt.Sprintf(`with cut as materialized (select id from %[1]s order by %[2]s limit %[3]d offset $%[4]d)
		select page.*, case when (select count(*) from cut) < %[3]d then $%[4]d + (select count(*) from cut)
			else (select count(*) from %[1]s) end as %[5]s from (%[6]s) as page`,
		from, l.orderBy(), l.Limit, len(count.Vars)+1, totalColumn, rows.SQL.String())
}

func (l ListRequest) orderBy() string { return strings.Join(l.order, ", ") }

func (l ListRequest) ordered(db *gorm.DB) *gorm.DB { return db.Order(l.orderBy()) }

// MapPage is a page with its items as the caller shall see them.
func MapPage[A, B any](p Page[A], to func(A) B) Page[B] {
	out := Page[B]{Items: make([]B, len(p.Items)), Total: p.Total, Page: p.Page, Limit: p.Limit, TotalPages: p.TotalPages}
	for i, item := range p.Items {
		out.Items[i] = to(item)
	}
	return out
}
