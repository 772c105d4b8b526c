package api

import (
	"fmt"
	"reflect"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"
)

// scanViews reads rows by pgx, from the wire straight into the fields, which takes a
// third of the time GORM's own scanning does. GORM named the columns, so GORM's
// schema of the view says which field each is for. The total goes with every row.
func scanViews[V any](query *gorm.DB, rows pgx.Rows, total *int) ([]V, error) {
	var v V
	targets, err := viewTargets(query, rows, &v, total)
	if err != nil {
		return nil, err
	}
	var views []V
	for rows.Next() {
		v = *new(V) // nothing of one row may stay in the next
		if err := rows.Scan(targets...); err != nil {
			return nil, err
		}
		views = append(views, v)
	}
	return views, rows.Err()
}

// viewTargets are the fields of a view that the columns of the rows are for.
func viewTargets(query *gorm.DB, rows pgx.Rows, view any, total *int) ([]any, error) {
	parsed := gorm.Statement{DB: query}
	if err := parsed.Parse(view); err != nil {
		return nil, fmt.Errorf("reading the view %T: %w", view, err)
	}
	v := reflect.ValueOf(view).Elem()
	columns := rows.FieldDescriptions()
	targets := make([]any, len(columns))
	for i, column := range columns {
		if column.Name == totalColumn {
			targets[i] = total
			continue
		}
		field := parsed.Schema.LookUpField(column.Name)
		if field == nil {
			return nil, fmt.Errorf("the view %T has no field for column %s", view, column.Name)
		}
		targets[i] = field.ReflectValueOf(query.Statement.Context, v).Addr().Interface()
	}
	return targets, nil
}
