package tenancy

import (
	"time"

	"github.com/jackc/pgx/v5/pgtype"
)

// registerUTC has moments read in UTC, as everybody is told them, whatever time it is
// where the server stands.
func registerUTC(m *pgtype.Map) {
	moment := &pgtype.Type{Name: "timestamptz", OID: pgtype.TimestamptzOID, Codec: &pgtype.TimestamptzCodec{ScanLocation: time.UTC}}
	m.RegisterType(moment)
	m.RegisterType(&pgtype.Type{Name: "_timestamptz", OID: pgtype.TimestamptzArrayOID, Codec: &pgtype.ArrayCodec{ElementType: moment}})
}
