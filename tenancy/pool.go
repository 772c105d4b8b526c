package tenancy

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
	"gorm.io/gorm/schema"
)

// connLife is how long a connection serves before it is replaced, give or take a
// quarter so that a pool's connections do not all go at once.
const connLife = 30 * time.Minute

// connector opens bound connections for one pool.
type connector struct {
	config  *pgx.ConnConfig
	refused refusal
}

// refusal looks at a statement of a school that Postgres refused, and may know better
// what that means.
type refusal func(ctx context.Context, schema string, err error) error

func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	pg, err := pgx.ConnectConfig(ctx, c.config)
	if err != nil {
		return nil, err
	}
	registerUUID(pg.TypeMap())
	registerUTC(pg.TypeMap())
	life := connLife*3/4 + time.Duration(rand.Int64N(int64(connLife/2)))
	opened := &conn{pg: pg, refused: c.refused, retires: time.Now().Add(life)}
	if c.config.DefaultQueryExecMode == pgx.QueryExecModeCacheStatement {
		opened.plans = newPlans()
	}
	return opened, nil
}

func (c connector) Driver() driver.Driver { return refuse{} }

// refuse stands where database/sql wants a driver that opens by name; nothing may.
type refuse struct{}

func (refuse) Open(string) (driver.Conn, error) { return nil, ErrNoSchool }

// pool is bound connections, with GORM on top.
type pool struct {
	db  *sql.DB
	orm *gorm.DB
}

// shortly is for how long a pool that keeps no connection keeps one all the same: who does long work mostly does more of it at
// once, as one who gives a school its photos.
const shortly = 2 * time.Second

// openPool makes a pool of at most size bound connections, which keeps so many of
// them when nobody uses them. Nothing is dialled until the first query.
func openPool(config *pgx.ConnConfig, size, keeps int, refused refusal) (pool, error) {
	db := sql.OpenDB(connector{config: config, refused: refused})
	db.SetMaxOpenConns(size)
	if keeps == 0 {
		keeps = 1
		db.SetConnMaxIdleTime(shortly)
	}
	db.SetMaxIdleConns(keeps)
	orm, err := gorm.Open(postgres.New(postgres.Config{Conn: db}), &gorm.Config{
		// Columns are named, never *: half-migrated fleets must not break cached plans.
		QueryFields:            true,
		SkipDefaultTransaction: true,
		DisableAutomaticPing:   true,
		Logger:                 logger.Discard,
		NamingStrategy:         naming{},
		// As exact as the database keeps it: what a change answers is what a read says.
		NowFunc: func() time.Time { return time.Now().UTC().Truncate(time.Microsecond) },
	})
	if err != nil {
		_ = db.Close()
		return pool{}, err
	}
	return pool{db: db, orm: orm}, nil
}

// naming is GORM's, with tables named in the singular: a row is one thing.
type naming struct{ schema.NamingStrategy }

func (n naming) TableName(table string) string {
	return schema.NamingStrategy{SingularTable: true}.TableName(table)
}
