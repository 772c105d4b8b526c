package api

import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// fuzzedListing can be asked in every way there is.
var fuzzedListing = Listing{
	Sorts:   map[string]string{"name": "last_name", "level": "level", "createdAt": "created_at"},
	Default: "-createdAt",
	Filters: map[string]Filter{
		"classId": ByID("class_id"), "active": ByBool("active"), "level": ByInt("level"), "status": ByEnum("status", "ACTIVE", "LEFT"),
		"city": ByText("city"),
		"from": ByDate("start_date", ">="), "since": ByMoment("created_at", ">="), "search": Search("first_name", "last_name"),
		"words":      SearchWords("search_text"),
		"divisionId": ByID("").Where("EXISTS (SELECT FROM enrolment e WHERE e.division_id = @v AND e.start_date <= @today)"),
	},
}

// fuzzedOrders are all the ways it can be sorted.
var fuzzedOrders = []string{
	"last_name, id", "last_name DESC, id DESC", "level, id", "level DESC, id DESC", "created_at, id", "created_at DESC, id DESC",
}

// nowhere is a database nobody asks anything of.
type nowhere struct{}

func (nowhere) Open(string) (driver.Conn, error) { return nil, errors.New("nobody is here") }

func dryDatabase(f *testing.F) *gorm.DB {
	f.Helper()
	const name = "homeroom-nowhere"
	if !slices.Contains(sql.Drivers(), name) {
		sql.Register(name, nowhere{})
	}
	db, err := sql.Open(name, "")
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = db.Close() })
	orm, err := gorm.Open(postgres.New(postgres.Config{Conn: db}),
		&gorm.Config{DryRun: true, DisableAutomaticPing: true, Logger: logger.Discard})
	if err != nil {
		f.Fatal(err)
	}
	return orm
}

var placeholder = regexp.MustCompile(`\$[0-9]+`)

// FuzzListing asks for lists in any words: the answer is a refusal that names the fields,
// or a statement whose text depends on which filters and which sort were chosen and on
// nothing else that was sent. Every value is a parameter.
func FuzzListing(f *testing.F) {
	for _, seed := range [][2]string{
		{"", ""},
		{"page=2&limit=100&sort[field]=name&sort[order]=desc", ""},
		{"filters[search]=100%25_\\&filters[level]=5&filters[active]=true", ""},
		{"filters[words]=rao+asha+%C3%A9cole&filters[status]=LEFT", ""},
		{"filters[classId]=0192f0c1-7a52-7cc3-98c4-dc0c0c07398f&filters[divisionId]=0192f0c1-7a52-7cc3-98c4-dc0c0c07398f", ""},
		{"filters[from]=2026-11-15&filters[since]=2026-11-15T08:30:00%2B05:30", ""},
		{"sort[field]=last_name;drop table student&sort[order]=asc", ""},
		{"filters[search]=' or 1=1 --&filters[city]=@today @v @q ? $1", ""},
		{"filters[x'); drop table student; --]=1", ""},
		{"filters[city]=a%00b&page=99999999999999999999&limit=-1", ""},
		{"page=1", `{"page":1}`},
		{"", `{"page":3,"limit":7,"filters":{"search":"@q","level":4,"active":false,"city":null},"sort":{"field":"level","order":"DESC"}}`},
		{"", `{"filters":{"status":["ACTIVE"],"city":{"a":1},"words":"\u0000 \ud83d"}}`},
		{"", `{"page":1e3,"limit":"5","filters":[],"sort":"name"}`},
		{"filters[from]=0000-01-01", `{"sort":{"field":"createdAt"}}`},
	} {
		f.Add(seed[0], seed[1])
	}
	db := dryDatabase(f)
	f.Fuzz(func(t *testing.T, text, body string) {
		query, _ := url.ParseQuery(text) // what cannot be read is left out, as net/http does
		var data []byte
		if body != "" {
			data = []byte(body)
		}
		l, err := fuzzedListing.parse(query, data, nil)
		if err != nil {
			refusedInWords(t, err)
			return
		}
		if l.Page < 1 || l.Page > MaxPage || l.Limit < 1 || l.Limit > MaxLimit || l.Offset() < 0 || l.Offset() > MaxPage*MaxLimit {
			t.Fatalf("page %d, limit %d, offset %d", l.Page, l.Limit, l.Offset())
		}
		if order := strings.Join(l.order, ", "); !slices.Contains(fuzzedOrders, order) {
			t.Fatalf("ordered by %q", order)
		}
		l.today = Date{2026, 11, 15}
		got := l.ordered(l.narrow(db.Table("student"))).Limit(l.Limit).Offset(l.Offset()).Find(&[]map[string]any{}).Statement
		if got.Error != nil {
			t.Fatalf("%v of %q %q", got.Error, text, body)
		}
		if want := harmless(t, l, db); got.SQL.String() != want {
			t.Fatalf("what was sent is in the statement:\n%s\n%s", got.SQL.String(), want)
		}
		for i, n := range placeholder.FindAllString(got.SQL.String(), -1) {
			if n != fmt.Sprintf("$%d", i+1) {
				t.Fatalf("%s is number %d of %s", n, i+1, got.SQL.String())
			}
		}
		if n := len(placeholder.FindAllString(got.SQL.String(), -1)); n != len(got.Vars) {
			t.Fatalf("%d places for %d values in %s", n, len(got.Vars), got.SQL.String())
		}
	})
}

// refusedInWords looks at what the caller is told.
func refusedInWords(t *testing.T, err error) {
	t.Helper()
	var e *Error
	switch {
	case !errors.As(err, &e):
		t.Fatalf("not in words: %v", err)
	case e.Status == 422 && len(e.Details) == 0, e.Status != 422 && e.Status != 400:
		t.Fatalf("%d %v: %v", e.Status, e.Details, err)
	}
}

// harmless is the statement of the same conditions with values we chose.
func harmless(t *testing.T, l ListRequest, db *gorm.DB) string {
	t.Helper()
	for i, c := range l.where {
		if !slices.ContainsFunc(slices.Sorted(maps.Keys(fuzzedListing.Filters)),
			func(name string) bool { return fuzzedListing.Filters[name].where == c.sql }) {
			t.Fatalf("nobody declared %q", c.sql)
		}
		var value any = "x"
		if named, ok := c.value.(map[string]any); ok {
			chosen := map[string]any{}
			for name := range named {
				chosen[name] = "x"
			}
			value = chosen
		}
		l.where = slices.Clone(l.where)
		l.where[i].value = value
	}
	return l.ordered(l.narrow(db.Table("student"))).Limit(l.Limit).Offset(l.Offset()).Find(&[]map[string]any{}).Statement.SQL.String()
}
