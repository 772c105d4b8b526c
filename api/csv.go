package api

import (
	"bytes"
	"context"
	"encoding"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"homeroom/sheet/safe"
	"homeroom/tenancy"
)

// FormatParameter asks for a list as a file, with the value csv.
const FormatParameter = "format"

// FreshFile is for lists of people: as a file they ask for a fresh proof of identity.
func FreshFile(r *Row) { r.FreshFile = true }

// MemberColumn is a column of a list's file for one member of a field that holds a JSON object.
type MemberColumn struct{ Key, Label string }

type members struct {
	field   string
	columns func(*gorm.DB) ([]MemberColumn, error)
}

// MemberColumns writes the members of a field, which holds a JSON object, as columns of the list's file: which, only the
// school's database knows.
func MemberColumns(field string, columns func(*gorm.DB) ([]MemberColumn, error)) Option {
	return func(r *Row) { r.members = &members{field, columns} }
}

// spread is the columns with those of members in the place of the field that has them.
func (r *Row) spread(db *gorm.DB, columns []column) ([]column, error) {
	i := -1
	if r.members != nil {
		i = slices.IndexFunc(columns, func(c column) bool { return c.name == r.members.field })
	}
	if i < 0 {
		return columns, nil
	}
	known, err := r.members.columns(db)
	if err != nil {
		return nil, err
	}
	var parts []column
	for _, m := range known {
		parts = append(parts, column{name: columns[i].name, member: m.Key, label: safe.Guard(m.Label), index: columns[i].index})
	}
	return slices.Replace(slices.Clone(columns), i, i+1, parts...), nil
}

// GivesCSV reports whether the row gives its list as a CSV file, whole, where it is asked for one.
func (r *Row) GivesCSV() bool {
	return r.Listing != nil && !r.Twin && r.paged()
}

// paged reports whether the row answers with a Page.
func (r *Row) paged() bool {
	return r.Response.Kind() == reflect.Struct && strings.HasPrefix(r.Response.Name(), "Page[")
}

// wantsCSV reads which form of a list is asked for.
func wantsCSV(row *Row, g *gin.Context) (bool, error) {
	if !row.GivesCSV() {
		return false, nil
	}
	switch g.Query(FormatParameter) {
	case "", "json":
		return false, nil
	case "csv":
		return true, nil
	}
	return false, InvalidField(FormatParameter, "must be one of json, csv")
}

// csvOf is the whole list as a file: the same filters and order, no pages. Its columns are the
// fields of the view by their labels; an id is the name of what it is an id of, or left out.
func (k *Kernel) csvOf(ctx context.Context, row *Row, rq *request, l ListRequest) Stream {
	l.Page, l.Limit, l.whole = 1, partSize, &wholeList{}
	name := strings.Join(strings.Split(strings.Trim(row.Path, "/"), "/")[1:], "-")
	write := cellWriter{names: map[string]map[uuid.UUID]string{}, zone: time.UTC, kernel: k}
	if rq.school != nil {
		write.zone = rq.school.Location()
		write.digits = tenancy.CurrencyDigits(rq.school.Currency)
	}
	name = strings.TrimSuffix(name, "-list") + "-" + rq.now.In(write.zone).Format(time.DateOnly) + ".csv"
	return Stream{Name: name, ContentType: "text/csv; charset=utf-8", Write: func(w io.Writer) error {
		columns := k.columnsOf(row.Response.Field(0).Type.Elem(), row.Listing)
		out, err := safe.NewWriter(w)
		if err != nil {
			return err
		}
		for ; ; l.Page++ {
			var db *gorm.DB
			page, err := retryWhileMoving(ctx, func() (page any, err error) {
				page, db, err = k.callRead(ctx, row, rq, &l, tenancy.LongRead)
				return page, err
			})
			if err != nil {
				return err
			}
			if l.Page == 1 { // a list that cannot be read has no head
				if columns, err = row.spread(db, columns); err != nil {
					return err
				}
				head := make([]string, len(columns))
				for i, c := range columns {
					head[i] = c.label
				}
				if err := out.Write(head); err != nil {
					return err
				}
			}
			lines, err := write.lines(db, columns, reflect.ValueOf(page).FieldByName("Items"))
			if err != nil {
				return err
			}
			if err := out.WriteAll(lines); err != nil {
				return err
			}
			if l.Offset()+l.Limit >= len(l.whole.ids) {
				return nil
			}
		}
	}}
}

// column is one of a list's file.
type column struct {
	name   string // on the wire
	member string // of an object; empty: the whole field
	label  string
	index  []int
	words  bool // one of a few codes
}

// hiddenColumns say nothing to a reader of the file.
var hiddenColumns = []string{"id", "version", "createdBy", "updatedBy", "updatedAt", "entityId", "names", "requestId"}

// columnsOf are the columns of a view, in the order of its fields.
func (k *Kernel) columnsOf(view reflect.Type, listing *Listing) []column {
	fields := map[string]reflect.StructField{}
	var order []string
	for _, f := range reflect.VisibleFields(view) {
		if name := JSONName(f); name != "" && !f.Anonymous {
			fields[name] = f
			order = append(order, name)
		}
	}
	if i := slices.Index(order, "createdAt"); i >= 0 { // it says least, so it comes last
		order = append(slices.Delete(order, i, i+1), "createdAt")
	}
	var out []column
	for _, name := range order {
		f := fields[name]
		if slices.Contains(hiddenColumns, name) || (isID(f.Type) && k.nameSQL(name) == "") {
			continue
		}
		thing := strings.TrimSuffix(name, "Id")
		_, named := fields[thing+"Name"]
		_, numbered := fields[thing+"Number"]
		_, listed := fields[strings.TrimSuffix(name, "Ids")+"s"] // divisions beside divisionIds
		if isID(f.Type) && (named || numbered || listed) {
			continue
		}
		c := column{name: name, label: f.Tag.Get("label"), index: f.Index}
		if c.label == "" {
			c.label = Label(name)
		}
		c.words = strings.Contains(f.Tag.Get("validate"), "oneof=")
		if listing != nil {
			c.words = c.words || listing.Filters[name].Enum != nil
		}
		out = append(out, c)
	}
	return out
}

func isID(t reflect.Type) bool {
	for t.Kind() == reflect.Pointer || (t.Kind() == reflect.Slice && t.Name() == "") {
		t = t.Elem()
	}
	return t == reflect.TypeFor[uuid.UUID]()
}

// nameSQL is how what a field is the id of is named: rows of an id and a name.
func (k *Kernel) nameSQL(field string) string {
	field = strings.TrimSuffix(field, "s") // classIds
	for _, m := range k.Modules {
		if sql := m.Names[field]; sql != "" {
			return sql
		}
	}
	return ""
}

// cellWriter writes records as lines of a file.
type cellWriter struct {
	kernel *Kernel
	zone   *time.Location
	digits int // of the school's currency; 0 for the platform, which has no money
	names  map[string]map[uuid.UUID]string
	wanted map[string][]uuid.UUID // ids of the present part that are not named yet
	object json.RawMessage        // the last whose members were read
	read   map[string]json.RawMessage
}

// lines are the records of a part. The first pass finds out which names are missing.
func (w *cellWriter) lines(db *gorm.DB, columns []column, items reflect.Value) ([][]string, error) {
	w.wanted = map[string][]uuid.UUID{}
	for i := range items.Len() {
		w.line(columns, items.Index(i))
	}
	if err := w.fetchNames(db); err != nil {
		return nil, err
	}
	out := make([][]string, items.Len())
	for i := range out {
		out[i] = w.line(columns, items.Index(i))
	}
	return out, nil
}

func (w *cellWriter) fetchNames(db *gorm.DB) error {
	var queries []tenancy.Query
	for field, ids := range w.wanted {
		if w.names[field] == nil {
			w.names[field] = map[uuid.UUID]string{}
		}
		queries = append(queries, tenancy.Query{
			SQL:  `select n.id, n.name from (` + w.kernel.nameSQL(field) + `) as n (id, name) where n.id = any($1)`,
			Args: []any{ids},
			Scan: func(r pgx.Rows) error {
				var id uuid.UUID
				var name string
				_, err := pgx.ForEachRow(r, []any{&id, &name}, func() error {
					w.names[field][id] = name
					return nil
				})
				return err
			},
		})
	}
	if len(queries) == 0 {
		return nil
	}
	if err := tenancy.Pipeline(db, queries...); err != nil {
		return fmt.Errorf("naming what a list is about: %w", err)
	}
	return nil
}

func (w *cellWriter) line(columns []column, record reflect.Value) []string {
	out := make([]string, len(columns))
	for i, c := range columns {
		if v, err := record.FieldByIndexErr(c.index); err == nil { // an embedded pointer may be nil
			out[i] = w.cell(c, v)
		}
	}
	return out
}

// cell is a value as the office writes it: days and moments of the school, money with its
// decimals, codes in words. Text is made safe for spreadsheets.
func (w *cellWriter) cell(c column, v reflect.Value) string {
	if v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return ""
		}
		return w.cell(c, v.Elem())
	}
	switch value := v.Interface().(type) {
	case uuid.UUID:
		return safe.Guard(w.nameOf(c.name, value))
	case Date:
		return value.text()
	case time.Time:
		return value.In(w.zone).Format("2006-01-02 15:04")
	case json.RawMessage:
		if c.member != "" {
			return w.member(c.member, value)
		}
		return safe.Guard(string(value))
	case json.Marshaler: // a figure that is written otherwise than it is kept: marks
		raw, _ := value.MarshalJSON() // what cannot be written is left out
		var text string
		if json.Unmarshal(raw, &text) == nil {
			return safe.Guard(text)
		}
		return string(raw)
	case encoding.TextMarshaler:
		text, _ := value.MarshalText() // what cannot be written is left out
		return safe.Guard(string(text))
	}
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			return "Yes"
		}
		return "No"
	case reflect.Int64: // of a school this is money; what is counted is an int
		return w.money(v.Int())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32:
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Float32, reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'f', -1, 64)
	case reflect.String:
		if c.words {
			return safe.Guard(wordsOf(v.String()))
		}
		return safe.Guard(v.String())
	case reflect.Slice, reflect.Array:
		parts := make([]string, v.Len())
		for i := range parts {
			parts[i] = w.cell(c, v.Index(i))
		}
		return safe.Guard(strings.Join(parts, "; "))
	case reflect.Struct:
		var parts []string
		for _, cell := range w.line(w.kernel.columnsOf(v.Type(), nil), v) {
			if cell != "" {
				parts = append(parts, cell)
			}
		}
		return safe.Guard(strings.Join(parts, " "))
	}
	text, _ := json.Marshal(v.Interface())
	return safe.Guard(string(text))
}

// member is the text of one member of an object; a line has several of the same.
func (w *cellWriter) member(key string, object json.RawMessage) string {
	if !bytes.Equal(object, w.object) {
		w.object, w.read = object, map[string]json.RawMessage{}
		_ = json.Unmarshal(object, &w.read) // what cannot be read is left out
	}
	raw, text := w.read[key], ""
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return ""
	case string(raw) == "true":
		return "Yes"
	case string(raw) == "false":
		return "No"
	case json.Unmarshal(raw, &text) == nil:
		return safe.Guard(text)
	}
	return safe.Guard(string(raw))
}

// nameOf is the name of what an id is of. One that is not known yet is asked for.
func (w *cellWriter) nameOf(field string, id uuid.UUID) string {
	field = strings.TrimSuffix(field, "s")
	name, known := w.names[field][id]
	if !known && id != uuid.Nil {
		w.wanted[field] = append(w.wanted[field], id)
	}
	return name
}

func (w *cellWriter) money(minor int64) string {
	if w.digits == 0 {
		return strconv.FormatInt(minor, 10)
	}
	sign := ""
	if minor < 0 {
		sign, minor = "-", -minor
	}
	text := fmt.Sprintf("%0*d", w.digits+1, minor)
	return sign + text[:len(text)-w.digits] + "." + text[len(text)-w.digits:]
}
