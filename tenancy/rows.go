package tenancy

import (
	"database/sql/driver"
	"encoding/binary"
	"io"
	"math"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// rows hands one statement's rows to database/sql. The types a school's tables are
// made of are decoded here; the rest goes through pgx's own codecs.
type rows struct {
	pgx.Rows
	results pgx.BatchResults
	types   *pgtype.Map
	columns []string
	explain func(error) error
}

func (r *rows) Columns() []string {
	if r.columns == nil {
		fields := r.FieldDescriptions()
		r.columns = make([]string, len(fields))
		for i, f := range fields {
			r.columns[i] = f.Name
		}
	}
	return r.columns
}

func (r *rows) Next(dest []driver.Value) error {
	if !r.Rows.Next() {
		if err := r.Err(); err != nil {
			return r.explain(err)
		}
		return io.EOF
	}
	fields := r.FieldDescriptions()
	for i, raw := range r.RawValues() {
		v, err := decode(r.types, fields[i].DataTypeOID, fields[i].Format, raw)
		if err != nil {
			return err
		}
		dest[i] = v
	}
	return nil
}

// Close reads the pipeline to its end, so that the connection is ready for the next.
func (r *rows) Close() error {
	r.Rows.Close()
	return r.results.Close()
}

// postgresEpoch is 2000-01-01 in microseconds since 1970.
const postgresEpoch = 946684800 * 1_000_000

func decode(types *pgtype.Map, oid uint32, format int16, raw []byte) (driver.Value, error) {
	if raw == nil {
		return nil, nil
	}
	if format == pgtype.BinaryFormatCode {
		switch oid {
		case pgtype.TextOID, pgtype.VarcharOID:
			return string(raw), nil
		case pgtype.UUIDOID:
			return uuid.UUID(raw).String(), nil
		case pgtype.Int4OID:
			return int64(int32(binary.BigEndian.Uint32(raw))), nil
		case pgtype.Int8OID:
			return int64(binary.BigEndian.Uint64(raw)), nil
		case pgtype.BoolOID:
			return raw[0] == 1, nil
		case pgtype.TimestamptzOID:
			micros := int64(binary.BigEndian.Uint64(raw))
			if micros != math.MaxInt64 && micros != math.MinInt64 {
				return time.UnixMicro(postgresEpoch + micros).UTC(), nil
			}
		}
	}
	typ, ok := types.TypeForOID(oid)
	if !ok {
		return string(raw), nil
	}
	return typ.Codec.DecodeDatabaseSQLValue(types, oid, format, raw)
}
