package importing

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/sheet"
	"homeroom/tenancy"
)

// step is what one row of a file does to one record.
type step struct {
	row    int
	id     uuid.UUID
	fields []string // what the record is to be, by the file's columns
}

func (s *step) recordID() uuid.UUID { return s.id }

func (s *step) cell(col int) string { return s.fields[col] }

// audited is what the audit keeps of a step: the cells that were and are, by the names of
// their columns. old is nil for a new record.
func (s *step) audited(columns []sheet.Column, old []string) (was, is map[string]any) {
	was, is = map[string]any{}, map[string]any{"row": s.row}
	for col, text := range s.fields {
		switch name := columns[col].Name; {
		case old == nil && text != "":
			is[name] = text
		case old != nil && text != old[col]:
			was[name], is[name] = old[col], text
		}
	}
	return was, is
}

// recordColumn is a column of a table that steps write.
type recordColumn[S any] struct {
	name string
	cast string         // the type, unless it is text; an empty text is null then
	col  int            // of the file
	text func(S) string // the value, where it is no column's of the file
}

func (col recordColumn[S]) of(s S) string {
	if col.text != nil {
		return col.text(s)
	}
	return any(s).(interface{ cell(int) string }).cell(col.col)
}

// fileCells is the SQL of a record's cells in the order of a file's columns; those that the
// table does not have are empty.
func fileCells[S any](columns []recordColumn[S], width int, table string) string {
	cells := slices.Repeat([]string{"''"}, width)
	for _, col := range columns {
		switch {
		case col.text != nil:
		case col.cast == "":
			cells[col.col] = table + "." + col.name
		default:
			cells[col.col] = "coalesce(" + table + "." + col.name + "::text, '')"
		}
	}
	return "array[" + strings.Join(cells, ", ") + "]"
}

// stamps are the columns every record has, and their values for a new one.
var stamps = []string{"created_at", "updated_at", "created_by", "updated_by"}

func stamped(c api.Ctx, values ...any) []any {
	return append(values, c.Now, c.Now, c.User.ID, c.User.ID)
}

// insertRecords adds the records of steps by COPY.
func insertRecords[S interface{ recordID() uuid.UUID }](c api.Ctx, table string, columns []recordColumn[S], steps []S) error {
	names := []string{"id"}
	for _, col := range columns {
		names = append(names, col.name)
	}
	err := tenancy.Copy(c.DB, table, append(names, stamps...), len(steps), func(i int) ([]any, error) {
		values := []any{steps[i].recordID()}
		for _, col := range columns {
			if text := col.of(steps[i]); text != "" || col.cast == "" {
				values = append(values, text)
			} else {
				values = append(values, nil)
			}
		}
		return stamped(c, values...), nil
	})
	if err != nil {
		return fmt.Errorf("adding records of %s: %w", table, err)
	}
	return nil
}

// updateRecords changes the records of steps in one statement.
func updateRecords[S interface{ recordID() uuid.UUID }](c api.Ctx, table string, columns []recordColumn[S], steps []S) error {
	if len(steps) == 0 {
		return nil
	}
	ids := make([]uuid.UUID, len(steps))
	for i, s := range steps {
		ids[i] = s.recordID()
	}
	args := []any{c.Now, c.User.ID, ids}
	set, names, arrays := "", "id", "$3::uuid[]"
	for _, col := range columns {
		texts := make([]string, len(steps))
		for i, s := range steps {
			texts[i] = col.of(s)
		}
		args = append(args, texts)
		names += ", " + col.name
		arrays += fmt.Sprintf(", $%d::text[]", len(args))
		if col.cast == "" {
			set += fmt.Sprintf("%s = v.%s, ", col.name, col.name)
		} else {
			set += fmt.Sprintf("%s = nullif(v.%s, '')::%s, ", col.name, col.name, col.cast)
		}
	}
	err := exec(c.DB, `update `+table+` x set `+set+`version = x.version + 1, updated_at = $1, updated_by = $2
		from unnest(`+arrays+`) as v(`+names+`) where x.id = v.id`, args...)
	if err != nil {
		return fmt.Errorf("changing records of %s: %w", table, err)
	}
	return nil
}

// readAll reads rows with pgx, which takes whole lists as arguments.
func readAll[T any](db *gorm.DB, sql string, args ...any) (out []T, err error) {
	err = tenancy.Pipeline(db, tenancy.Query{SQL: sql, Args: args, Scan: func(rows pgx.Rows) error {
		var err error
		out, err = pgx.CollectRows(rows, pgx.RowToStructByPos[T])
		return err
	}})
	return out, err
}

// exec runs a statement that takes whole lists as arguments.
func exec(db *gorm.DB, sql string, args ...any) error {
	return tenancy.Pipeline(db, tenancy.Query{SQL: sql, Args: args})
}
