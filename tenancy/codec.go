package tenancy

import (
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"
)

// uuidCodec moves the sixteen bytes of an id as they are. pgx knows uuid.UUID only
// by database/sql's interfaces, and would write and parse its text for each.
type uuidCodec struct{ pgtype.UUIDCodec }

// registerUUID makes a connection use uuidCodec: statements carry many ids.
func registerUUID(m *pgtype.Map) {
	m.RegisterType(&pgtype.Type{Name: "uuid", OID: pgtype.UUIDOID, Codec: uuidCodec{}})
}

func (c uuidCodec) PlanEncode(m *pgtype.Map, oid uint32, format int16, value any) pgtype.EncodePlan {
	if _, ok := value.(uuid.UUID); ok && format == pgtype.BinaryFormatCode {
		return uuidPlan{}
	}
	return c.UUIDCodec.PlanEncode(m, oid, format, value)
}

func (c uuidCodec) PlanScan(m *pgtype.Map, oid uint32, format int16, target any) pgtype.ScanPlan {
	if _, ok := target.(*uuid.UUID); ok && format == pgtype.BinaryFormatCode {
		return uuidPlan{}
	}
	return c.UUIDCodec.PlanScan(m, oid, format, target)
}

type uuidPlan struct{}

func (uuidPlan) Encode(value any, buf []byte) ([]byte, error) {
	id := value.(uuid.UUID)
	return append(buf, id[:]...), nil
}

// Scan leaves the zero id where there is none, as uuid.UUID itself does.
func (uuidPlan) Scan(src []byte, target any) error {
	id := target.(*uuid.UUID)
	if *id = uuid.Nil; src == nil {
		return nil
	}
	if len(src) != len(id) {
		return fmt.Errorf("a uuid of %d bytes", len(src))
	}
	copy(id[:], src)
	return nil
}

// registerUTC has moments read in UTC, in which answers give them, in any time zone of the server.
func registerUTC(m *pgtype.Map) {
	moment := &pgtype.Type{Name: "timestamptz", OID: pgtype.TimestamptzOID, Codec: &pgtype.TimestamptzCodec{ScanLocation: time.UTC}}
	m.RegisterType(moment)
	m.RegisterType(&pgtype.Type{Name: "_timestamptz", OID: pgtype.TimestamptzArrayOID, Codec: &pgtype.ArrayCodec{ElementType: moment}})
}
