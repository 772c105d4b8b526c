package api

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"
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
// page of what is not joined has nothing before it and is read at once. All are counted
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
	if query.Statement.Clauses["SELECT"].Expression != nil {
		return 0, errors.New("building a list query: its columns take arguments")
	}
	var n int64
	count := l.narrow(query.Session(&gorm.Session{DryRun: true}).Select([]string{})).Count(&n).Statement
	if count.Error != nil {
		return 0, fmt.Errorf("building a list query: %w", count.Error)
	}
	if l.whole != nil {
		rows, err := l.rows(query, items, true)
		if err != nil {
			return 0, err
		}
		return fetchPart(query, l, count, rows, scan)
	}
	sql, err := l.pageSQL(query, count.SQL.String(), len(count.Vars), items)
	if err != nil {
		return 0, err
	}
	args := count.Vars
	if l.Page > 1 {
		args = append(slices.Clip(args), l.Offset())
	}
	found := 0
	err = tenancy.Pipeline(query, tenancy.Query{
		SQL: sql, Args: args, Scan: func(r pgx.Rows) (err error) {
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

// rows is the statement of a page's records: of those whose ids are in cut, or of all that the filters leave.
func (l ListRequest) rows(query *gorm.DB, items any, cutFirst bool) (*gorm.Statement, error) {
	from := query.Session(&gorm.Session{DryRun: true})
	if cutFirst {
		from = from.Where("id = any(array(select id from cut))")
	} else {
		from = l.narrow(from)
	}
	rows := l.ordered(from).Find(items).Statement
	if rows.Error != nil {
		return nil, fmt.Errorf("building a list query: %w", rows.Error)
	}
	return rows, nil
}

// cutsFirst reports whether a page's ids are found before what its records show. On the first page nothing comes before the
// records, and Postgres works out what is shown of them after it has sorted and cut them; but not what they are joined to.
func (l ListRequest) cutsFirst(s *gorm.Statement) bool {
	return l.Page > 1 || l.asksOthers() || len(s.Joins) > 0 ||
		s.TableExpr != nil && strings.Contains(strings.ToLower(s.TableExpr.SQL), " from ")
}

// pageShape is all that the text of a page's statement follows from: which records, what of them, and how they are cut.
type pageShape struct {
	items                 reflect.Type
	count, columns, order string
	limit                 int
	skips, asksOthers     bool
}

// pagesKnown bounds the remembered texts of statements. GORM takes as long to build one as the rest of a page takes the service.
const pagesKnown = 1000

var pageTexts, _ = lru.New[pageShape, string](pagesKnown) // the size is no error

// pageSQL is the statement of a page, built once for pages that are alike.
func (l ListRequest) pageSQL(query *gorm.DB, count string, args int, items any) (string, error) {
	s := query.Statement
	shape := pageShape{items: reflect.TypeOf(items), count: count, columns: strings.Join(s.Selects, ", "), order: l.orderBy(), limit: l.Limit,
		skips: l.Page > 1, asksOthers: l.asksOthers()}
	if text, ok := pageTexts.Get(shape); ok {
		return text, nil
	}
	cutFirst := l.cutsFirst(s)
	rows, err := l.rows(query, items, cutFirst)
	if err != nil {
		return "", err
	}
	text := l.buildPageSQL(count, args, rows, cutFirst)
	pageTexts.Add(shape, text)
	return text, nil
}

// buildPageSQL puts a page's statement together. Its parts share their arguments: those of rows are the first of count's. The limit
// is part of the text, for the planner to know that it is small, and the first page has no offset: with one Postgres would
// plan it anew each time, since it takes an offset that it does not know for a tenth of all records.
func (l ListRequest) buildPageSQL(count string, args int, rows *gorm.Statement, cutFirst bool) string {
	from := strings.TrimPrefix(count, "SELECT count(*) FROM ")
	cut, shown := rows.SQL.String(), "cut"
	if cutFirst {
		cut, shown = fmt.Sprintf("select id from %s order by %s", from, l.orderBy()), "("+cut+")"
	}
	var skip, before string
	if l.Page > 1 {
		skip, before = fmt.Sprintf("offset $%d", args+1), fmt.Sprintf("$%d + ", args+1)
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
