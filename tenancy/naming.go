package tenancy

import "gorm.io/gorm/schema"

// naming is GORM's, with tables named in the singular: a row is one thing.
type naming struct{ schema.NamingStrategy }

func (n naming) TableName(table string) string {
	return schema.NamingStrategy{SingularTable: true}.TableName(table)
}
