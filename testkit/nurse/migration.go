package nurse

import (
	_ "embed"

	"homeroom/migrations"
)

//go:embed visits.sql
var visits string

// Migrations are those of the product and the module's own. In the product it would be the
// next file of migrations/school.
func Migrations() []migrations.Migration {
	product := migrations.School()
	return append(product, migrations.Migration{Version: migrations.Latest(product) + 1, Name: "nurse_visits", SQL: visits})
}
