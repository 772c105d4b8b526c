package announcement

import (
	"fmt"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/modules/roster"
)

var readerListing = api.Listing{
	Sorts:   map[string]string{"publishedAt": "published_at", "title": "title"},
	Default: "-publishedAt",
	Filters: map[string]api.Filter{"search": api.Search("title", "body")},
}

const targetless = `not exists (select from announcement_target t where t.announcement_id = announcement.id)`

// shown is what has been published and is still of interest.
func shown(c api.Ctx) *gorm.DB {
	return c.DB.Model(&Announcement{}).Where("status = ? and (expires_at is null or expires_at > ?)", published, c.Now)
}

// forParent narrows to what is for the caller's children, where they sit today.
func forParent(c api.Ctx, db *gorm.DB) *gorm.DB {
	return db.Where(`target_audience in ('ALL', 'PARENTS') and (`+targetless+` and exists (?)
		or exists (select from announcement_target t join enrolment e on e.class_id = t.class_id or e.division_id = t.division_id
			where t.announcement_id = announcement.id and e.student_id in (?) and e.start_date <= ? and (e.end_date is null or e.end_date >= ?)))`,
		roster.Linked(c.DB, c.User.ID), roster.Linked(c.DB, c.User.ID), c.Today(), c.Today())
}

// forTeacher narrows to what is for the caller, or theirs.
func forTeacher(c api.Ctx, db *gorm.DB) *gorm.DB {
	return db.Where(`(created_by = ? or target_audience in ('ALL', 'TEACHERS') and (`+targetless+`
		or exists (select from announcement_target t join teacher_assignment a on a.user_id = ? left
		join academic_year y on y.id = a.academic_year_id
			where t.announcement_id = announcement.id and (a.academic_year_id is null or y.active)
			and (t.class_id = a.class_id or t.division_id = a.division_id or a.division_id is null and t.division_id in (select id from division
			where class_id = a.class_id)))))`,
		c.User.ID, c.User.ID)
}

func (m *Module) listForParent(c api.Ctx, l api.ListRequest) (api.Page[View], error) {
	return m.page(c, forParent(c, shown(c)), l)
}

// listForTeacher lists what is published, and the caller's own that is not yet.
func (m *Module) listForTeacher(c api.Ctx, l api.ListRequest) (api.Page[View], error) {
	return m.page(c, forTeacher(c, teachersOwnToo(c)), l)
}

func teachersOwnToo(c api.Ctx) *gorm.DB {
	return c.DB.Model(&Announcement{}).Where("(status = ? and (expires_at is null or expires_at > ?) or created_by = ?)", published, c.Now,
		c.User.ID)
}

func (m *Module) page(c api.Ctx, query *gorm.DB, l api.ListRequest) (api.Page[View], error) {
	page, err := api.Fetch[Announcement](query, l)
	if err != nil {
		return api.Page[View]{}, err
	}
	views, err := m.view(c.DB, page.Items...)
	return api.Page[View]{Items: views, Total: page.Total, Page: page.Page, Limit: page.Limit, TotalPages: page.TotalPages}, err
}

func (m *Module) getForParent(c api.Ctx, r byID) (View, error) {
	a, err := api.Find[Announcement](c, "announcement", forParent(c, shown(c)), r.ID)
	if err != nil {
		return View{}, err
	}
	return m.one(c, a)
}

func (m *Module) getForTeacher(c api.Ctx, r byID) (View, error) {
	a, err := api.Find[Announcement](c, "announcement", forTeacher(c, teachersOwnToo(c)), r.ID)
	if err != nil {
		return View{}, err
	}
	return m.one(c, a)
}

// MayRead says which of these announcements the caller may read: who may have their files.
func MayRead(c api.Ctx, ids []uuid.UUID) (bool, error) {
	query := c.DB.Model(&Announcement{})
	switch c.User.Role {
	case api.Parent:
		query = forParent(c, shown(c))
	case api.Teacher:
		query = forTeacher(c, teachersOwnToo(c))
	case api.SchoolAdmin:
	default:
		return false, nil
	}
	var n int64
	if err := query.Where("id in ?", ids).Count(&n).Error; err != nil {
		return false, fmt.Errorf("looking for announcements: %w", err)
	}
	return n > 0, nil
}

type readMark struct {
	AnnouncementID uuid.UUID `json:"announcementId" validate:"required"`
}

// markRead marks the caller's own line of the log.
func markRead(c api.Ctx, r readMark) (api.Nothing, error) {
	done := c.DB.Exec(`update notification set read_at = coalesce(read_at, ?) where user_id = ? and type = 'ANNOUNCEMENT' and record_id = ?`,
		c.Now, c.User.ID, r.AnnouncementID)
	if done.Error != nil {
		return api.Nothing{}, fmt.Errorf("marking an announcement: %w", done.Error)
	}
	if done.RowsAffected == 0 {
		return api.Nothing{}, api.NotFound("announcement")
	}
	return api.Nothing{}, nil
}
