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
// leaves out where nothing names them; other joins are made for every record. The first
// page of one table's columns has nothing before it and is read at once. All are counted
// only where a page is full: the last one ends with the last record. Where a filter asks other tables, which
// records it leaves is the most of the work: they are found once, and counted as they are cut.
func Fetch[V any](query *gorm.DB, l ListRequest) (Page[V], error) {
	page := Page[V]{Items: []V{}, Page: l.Page, Limit: l.Limit}
	total, err := fetch(query, l, &[]V{}, func(r pgx.Rows, total *int) (int, error) {
		items, err := scanViews[V](query, r, total)
		if len(items) > 0 {
			page.Items = items
		}
		return len(items), err
	})
	page.Total, page.TotalPages = total, (total+l.Limit-1)/l.Limit
	return page, err
}

// scanPage reads the rows of a page and the total beside them, and returns how many rows there were.
type scanPage func(rows pgx.Rows, total *int) (int, error)

// fetch is Fetch for views of any type: items is a pointer to a slice of them. It returns the total.
func fetch(query *gorm.DB, l ListRequest, items any, scan scanPage) (total int, err error) {
	dry := query.Session(&gorm.Session{DryRun: true})
	if query.Statement.Clauses["SELECT"].Expression != nil {
		return 0, errors.New("building a list query: its columns take arguments")
	}

	var n int64
	count := l.narrow(dry).Count(&n).Statement
	cutFirst := l.whole != nil || l.Page > 1 || l.asksOthers() || !ofOneTable(query.Statement)
	from := l.narrow(dry)
	if cutFirst {
		from = dry.Where("id = any(array(select id from cut))")
	}
	rows := l.ordered(from).Find(items).Statement
	if err := errors.Join(count.Error, rows.Error); err != nil {
		return 0, fmt.Errorf("building a list query: %w", err)
	}
	if l.whole != nil {
		return fetchPart(query, l, count, rows, scan)
	}
	args := count.Vars
	if l.Page > 1 {
		args = append(slices.Clip(args), l.Offset())
	}
	found := 0
	err = tenancy.Pipeline(query, tenancy.Query{
		SQL: l.pageSQL(count, rows, cutFirst), Args: args, Scan: func(r pgx.Rows) (err error) {
			found, err = scan(r, &total)
			return err
		},
		// What a list always asks is as good for one caller as for another; a filter may find few or many.
		ForceGenericPlan: len(count.Vars) > 0 && len(l.where) == 0,
	})
	if err == nil && found == 0 && l.Page > 1 {
		err = tenancy.Pipeline(query, tenancy.Query{SQL: count.SQL.String(), Args: count.Vars, Scan: tenancy.One(&total)})
	}
	if err != nil {
		return 0, fmt.Errorf("listing: %w", err)
	}
	return total, nil
}

// ofOneTable reports whether a list shows columns of its records alone.
func ofOneTable(s *gorm.Statement) bool {
	computed := func(sql string) bool { return strings.Contains(sql, "(") }
	return len(s.Joins) == 0 && (s.TableExpr == nil || !computed(s.TableExpr.SQL)) && !slices.ContainsFunc(s.Selects, computed)
}

// pageSQL is the statement of a page. Its parts share their arguments: those of rows are the first of count's. The limit
// is part of the text, for the planner to know that it is small, and the first page has no offset: with one Postgres would
// plan it anew each time, since it takes an offset that it does not know for a tenth of all records.
func (l ListRequest) pageSQL(count, rows *gorm.Statement, cutFirst bool) string {
	from := strings.TrimPrefix(count.SQL.String(), "SELECT count(*) FROM ")
	cut, shown := rows.SQL.String(), "cut"
	if cutFirst {
		cut, shown = fmt.Sprintf("select id from %s order by %s", from, l.orderBy()), "("+cut+")"
	}
	var skip, before string
	if l.Page > 1 {
		skip, before = fmt.Sprintf("offset $%d", len(count.Vars)+1), fmt.Sprintf("$%d + ", len(count.Vars)+1)
	}
	if l.asksOthers() {
		return fmt.Sprintf(`with cut as materialized (select id, count(*) over () as %[1]s from %[2]s order by %[3]s limit %[4]d %[5]s)
			select page.*, (select %[1]s from cut limit 1) as %[1]s from %[6]s as page`, totalColumn, from, l.orderBy(), l.Limit, skip, shown)
	}
	return fmt.Sprintf(`with cut as materialized (%[1]s limit %[2]d %[3]s)
		select page.*, case when (select count(*) from cut) < %[2]d then %[4]s(select count(*) from cut)
			else (select count(*) from %[5]s) end as %[6]s from %[7]s as page`,
		cut, l.Limit, skip, before, from, totalColumn, shown)
}

// asksOthers reports whether a filter's condition has a subquery.
func (l ListRequest) asksOthers() bool {
	return slices.ContainsFunc(l.where, func(c condition) bool { return strings.Contains(strings.ToLower(c.sql), "select ") })
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
