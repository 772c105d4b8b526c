package school

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/tenancy"
)

// Archives makes archives of schools and keeps them for a while.
type Archives interface {
	// Ready says why none can be kept, if none can.
	Ready() error
	// Enqueue has what was asked for in tx made.
	Enqueue(ctx context.Context, tx pgx.Tx) error
	// Open reads a finished one.
	Open(ctx context.Context, key string) (io.ReadSeekCloser, error)
}

// Export is an archive of a whole school and how far it is.
type Export struct {
	ID         uuid.UUID `json:"id"`
	SchoolID   uuid.UUID `json:"schoolId"`
	State      string    `json:"state" enum:"QUEUED,RUNNING,READY,FAILED"`
	Tables     int       `json:"tables"`
	TablesDone int       `json:"tablesDone"`
	RowCount   int64     `json:"rowCount" doc:"Rows written so far"`
	SizeBytes  int64     `json:"sizeBytes"`
	SHA256     string    `json:"sha256" gorm:"column:sha256" doc:"Of the archive; also its ETag"`
	Error      string    `json:"error,omitempty"`
	// RequestedByName is read with the record and no column of it.
	RequestedBy     *uuid.UUID `json:"requestedBy"`
	RequestedByName string     `json:"requestedByName" gorm:"->" doc:"Who asked for it"`
	CreatedAt       time.Time  `json:"createdAt"`
	FinishedAt      *time.Time `json:"finishedAt"`
	ExpiresAt       *time.Time `json:"expiresAt" doc:"Until then it can be downloaded"`
}

// TableName is where they are written down.
func (Export) TableName() string { return "school_export" }

// ExportKey is the name an archive's bytes are kept under.
func ExportKey(school, export uuid.UUID) string {
	return fmt.Sprintf("exports/%s/%s.tar.gz", school, export)
}

var errExportFailed = api.Conflict("The archive could not be made: POST to the same address tries again")

// requestExport has a new archive made; one that is being made already is that one.
func (m *Module) requestExport(c api.PlatformCtx, r byID) (Export, error) {
	if _, err := m.exportable(c, r.ID); err != nil {
		return Export{}, err
	}
	return m.begin(c, r.ID)
}

// export gives the newest archive there is. Where there is none it has one made, and
// says how far it is until it is there.
func (m *Module) export(c api.PlatformCtx, r byID) (api.Later[Export], error) {
	s, err := m.exportable(c, r.ID)
	if err != nil {
		return api.Later[Export]{}, err
	}
	e, err := newest(c.DB, r.ID, c.Now)
	if errors.Is(err, gorm.ErrRecordNotFound) {
		e, err = m.begin(c, r.ID)
	}
	if err != nil {
		return api.Later[Export]{}, err
	}
	switch e.State {
	case "FAILED":
		return api.Later[Export]{}, api.Conflict("The archive could not be made (%s): POST to the same address tries again", e.Error)
	case "READY":
		// Who took a school's data home is audited, however often they ask for a part.
		book := c.Book("download", "school export", e.ID, map[string]any{"schoolId": s.ID})
		err := pgx.BeginFunc(c, m.Cluster.PlatformPool(), func(tx pgx.Tx) error { return book(c, tx) })
		if err != nil {
			return api.Later[Export]{}, err
		}
		return api.Later[Export]{Blob: &api.Blob{
			Name: fmt.Sprintf("%s-%s.tar.gz", s.Code, e.CreatedAt.UTC().Format("2006-01-02")), ContentType: "application/gzip", Tag: e.SHA256,
			ModifiedAt: *e.FinishedAt,
			Open: func(ctx context.Context) (io.ReadSeekCloser, error) {
				return m.Archives.Open(ctx, ExportKey(s.ID, e.ID))
			},
		}}, nil
	}
	return api.Later[Export]{Data: e}, nil
}

// exportable finds a school that has something to export.
func (m *Module) exportable(c api.PlatformCtx, id uuid.UUID) (School, error) {
	s, err := find(c.DB, id)
	if err != nil {
		return s, err
	}
	switch tenancy.Status(s.Status) {
	case tenancy.Active, tenancy.Suspended, tenancy.Archived:
		return s, m.Archives.Ready()
	}
	return s, api.Conflict("The school is %s: there is nothing to export yet", s.Status)
}

// ExportList is the archives of a school.
type ExportList struct {
	Exports []Export `json:"exports" doc:"Newest first"`
}

// maxExports is how many archives of a school are listed.
const maxExports = 50

// listExports are a school's archives that are being made, can be had or have failed of late.
func (m *Module) listExports(c api.PlatformCtx, r byID) (ExportList, error) {
	out := ExportList{Exports: []Export{}}
	if _, err := find(c.DB, r.ID); err != nil {
		return out, err
	}
	if err := exportsOf(c.DB, r.ID, c.Now).Limit(maxExports).Find(&out.Exports).Error; err != nil {
		return out, fmt.Errorf("listing archives: %w", err)
	}
	return out, nil
}

// exportsOf are those that were asked for and are not too old, the last first.
func exportsOf(db *gorm.DB, school uuid.UUID, now time.Time) *gorm.DB {
	return db.Model(&Export{}).Select(`school_export.id, school_id, state, tables, tables_done, row_count, size_bytes, sha256, error,
		requested_by, school_export.created_at, finished_at, expires_at, coalesce(nullif(a.name, ''), a.email, '') as requested_by_name`).
		Joins("left join super_admin a on a.id = school_export.requested_by").
		Where("school_id = ? and (expires_at is null or expires_at > ?)", school, now).
		Order("school_export.created_at desc, school_export.id desc")
}

// newest is the last one that was asked for and is not too old.
func newest(db *gorm.DB, school uuid.UUID, now time.Time) (Export, error) {
	var e Export
	err := exportsOf(db, school, now).Take(&e).Error
	return e, err
}

// begin writes down that an archive is wanted and has it made.
func (m *Module) begin(c api.PlatformCtx, school uuid.UUID) (Export, error) {
	id := api.NewID()
	err := pgx.BeginFunc(c, m.Cluster.PlatformPool(), func(tx pgx.Tx) error {
		made, err := tx.Exec(c, `insert into platform.school_export (id, school_id, requested_by, created_at) values ($1, $2, $3, $4)
			on conflict (school_id) where state in ('QUEUED', 'RUNNING') do nothing`, id, school, c.User.ID, c.Now)
		if err != nil || made.RowsAffected() == 0 {
			return err
		}
		if err := c.Book("export", "school", school, map[string]any{"exportId": id})(c, tx); err != nil {
			return err
		}
		return m.Archives.Enqueue(c, tx)
	})
	if err != nil {
		return Export{}, fmt.Errorf("asking for an archive: %w", err)
	}
	return newest(c.DB, school, c.Now)
}
