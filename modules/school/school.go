package school

import (
	"errors"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/tenancy"
)

// School is a school as the cross-school administrator sees it.
type School struct {
	ID             uuid.UUID `json:"id"`
	Code           string    `json:"code"`
	Name           string    `json:"name"`
	Status         string    `json:"status" enum:"PROVISIONING,ACTIVE,SUSPENDED,ARCHIVED,FAILED"`
	Node           *string   `json:"node"`
	TimeZone       string    `json:"timeZone"`
	Locale         string    `json:"locale"`
	Currency       string    `json:"currency"`
	SchemaVersion  int       `json:"schemaVersion"`
	MigrationError string    `json:"migrationError,omitempty"`
	CreatedAt      time.Time `json:"createdAt"`
	UpdatedAt      time.Time `json:"updatedAt"`
	Version        int       `json:"version"`
}

// ListedSchool is a school among the others, with its size.
type ListedSchool struct {
	School
	Students      int   `json:"students" doc:"Those who are here, as last counted; 0 until then"`
	DatabaseBytes int64 `json:"databaseBytes" doc:"Tables and their indexes, as last counted; 0 until then"`
}

const listedSchools = `select s.*, coalesce(n.students, 0) as students, coalesce(n.database_bytes, 0) as database_bytes
	from school s left join school_count n on n.school_id = s.id`

var listing = api.Listing{
	Sorts: map[string]string{"name": "name", "code": "code", "createdAt": "created_at", "status": "status", "students": "students",
		"databaseBytes": "database_bytes"},
	Default: "-createdAt",
	Filters: map[string]api.Filter{
		"search": api.Search("name", "code"),
		"status": api.ByEnum("status", "PROVISIONING", "ACTIVE", "SUSPENDED", "ARCHIVED", "FAILED"),
		"node":   api.ByText("node"),
	},
}

type byID struct {
	ID uuid.UUID `path:"id"`
}

func (m *Module) list(c api.PlatformCtx, l api.ListRequest) (api.Page[ListedSchool], error) {
	return api.Fetch[ListedSchool](c.DB.Table("(?) as school", c.DB.Raw(listedSchools)), l)
}

func find(db *gorm.DB, id uuid.UUID) (School, error) {
	var s School
	err := db.Where("id = ?", id).Take(&s).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return s, api.Coded(404, "SCHOOL_NOT_FOUND", "School not found")
	}
	return s, err
}

func (m *Module) suspend(c api.PlatformCtx, r byID) (School, error) {
	return m.setStatus(c, r.ID, "suspend", tenancy.Suspended)
}

func (m *Module) activate(c api.PlatformCtx, r byID) (School, error) {
	return m.setStatus(c, r.ID, "activate", tenancy.Active)
}

func (m *Module) archive(c api.PlatformCtx, r byID) (School, error) {
	return m.setStatus(c, r.ID, "archive", tenancy.Archived)
}

func (m *Module) retry(c api.PlatformCtx, r byID) (School, error) {
	_, err := m.Provisioner.Retry(c, r.ID, c.Book("retry", "school", r.ID, nil))
	return afterStatus(c, r.ID, err)
}

// setStatus gives a school another status, audited in the same transaction.
func (m *Module) setStatus(c api.PlatformCtx, id uuid.UUID, action string, to tenancy.Status) (School, error) {
	_, err := m.Cluster.SetStatus(c, id, to, c.Book(action, "school", id, nil))
	return afterStatus(c, id, err)
}

// afterStatus is the school whose status was to change, or what kept it from that.
func afterStatus(c api.PlatformCtx, id uuid.UUID, err error) (School, error) {
	var refused tenancy.TransitionError
	if errors.As(err, &refused) {
		return School{}, api.Conflict("The school is %s: it cannot become %s", refused.From, refused.To)
	}
	if err != nil {
		return School{}, err
	}
	return find(c.DB, id)
}
