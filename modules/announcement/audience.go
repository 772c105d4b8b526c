package announcement

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/events"
	"homeroom/notice"
	"homeroom/tenancy"
)

// addressedStudents are the students whose parents an announcement, given by an expression of its
// id, addresses on the day @today. Without targets it is for the whole school.
func addressedStudents(id string) string {
	return `select s.id from student s
		where s.deleted_at is null and s.status = 'ACTIVE'
		and (not exists (select from announcement_target t where t.announcement_id = ` + id + `)
			or exists (select from enrolment e join announcement_target t on t.class_id = e.class_id or t.division_id = e.division_id
				where t.announcement_id = ` + id +
		` and e.student_id = s.id and e.start_date <= @today and (e.end_date is null or e.end_date >= @today)))`
}

// addressedTeachers are the teachers it addresses.
func addressedTeachers(id string) string {
	return `select u.id from app_user u join role r on r.id = u.role_id and r.type = 'TEACHER'
		where u.status = 'ACTIVE'
		and (not exists (select from announcement_target t where t.announcement_id = ` + id + `)
			or exists (select from teacher_assignment a left join academic_year y on y.id = a.academic_year_id left
			join division d on d.id = a.division_id
				join announcement_target t on t.announcement_id = ` + id + ` and (t.class_id = a.class_id or t.division_id = a.division_id
					or a.division_id is null and t.division_id in (select id from division where class_id = a.class_id))
				where a.user_id = u.id and (a.academic_year_id is null or y.active)))`
}

// addressedParents are the users of the students' parents.
func addressedParents(id string) string {
	return `select g.user_id from student_guardian sg join guardian g on g.id = sg.guardian_id join app_user u on u.id = g.user_id
		and u.status = 'ACTIVE'
		where sg.can_view_data and sg.student_id in (` + addressedStudents(id) + `)`
}

// The same of the announcement @id.
var (
	studentsOf = addressedStudents("@id")
	teachersOf = addressedTeachers("@id")
	parentsOf  = addressedParents("@id")
)

// recipients is everyone addressed, each once.
func recipients(audience string) string {
	switch audience {
	case "PARENTS":
		return `select distinct user_id from (` + parentsOf + `) p`
	case "TEACHERS":
		return `select id as user_id from (` + teachersOf + `) t`
	}
	return `select user_id from (` + parentsOf + `) p union select id from (` + teachersOf + `) t`
}

// topics reach them: the school's for everybody, else one for each student and teacher.
func topics(school uuid.UUID, audience string, narrowed bool) string {
	students := `select 'student_' || id as recipient from (` + studentsOf + `) s`
	teachers := `select 'teacher_' || id as recipient from (` + teachersOf + `) t`
	switch {
	case audience == "PARENTS":
		return students
	case audience == "TEACHERS":
		return teachers
	case narrowed:
		return students + ` union all ` + teachers
	}
	return `select 'school_` + school.String() + `' as recipient`
}

// AddressesUser is the condition that an announcement is still for the user of a queued
// message d of it, on the day @today.
var AddressesUser = `exists (select from announcement where announcement.id = d.record_id
	and (announcement.target_audience <> 'TEACHERS' and d.user_id in (` + addressedParents("announcement.id") + `)
		or announcement.target_audience <> 'PARENTS' and d.user_id in (` + addressedTeachers("announcement.id") + `)))`

// listen publishes what is due and tells everybody, once.
func (m *Module) listen(bus *events.Bus) {
	bus.On(Due, "announcement", func(ctx context.Context, h events.Heard) error {
		var due dueAnnouncement
		if err := h.Read(&due); err != nil {
			return err
		}
		return api.InSchool(ctx, m.Schools, h.SchoolID, func(db *gorm.DB, school *tenancy.School) error {
			return m.tell(ctx, db, school, due)
		})
	})
}

// tell is done once for each announcement: told_at is taken in its own statement. A
// time that was changed meanwhile has a fact of its own.
func (m *Module) tell(ctx context.Context, db *gorm.DB, school *tenancy.School, of dueAnnouncement) error {
	id, now := of.ID, m.Clock()
	var due []Announcement
	err := db.Raw(`update announcement set told_at = @now, status = 'PUBLISHED', published_at = coalesce(published_at, @now)
		where id = @id and told_at is null and (status = 'PUBLISHED' or status = 'SCHEDULED' and publish_at <= @now) and (expires_at is null
		or expires_at > @now)
		returning id, title, body, target_audience, urgent, expires_at, published_at`, map[string]any{"now": now, "id": id}).Scan(&due).Error
	if err != nil {
		return fmt.Errorf("publishing an announcement: %w", err)
	}
	if len(due) == 0 {
		return nil
	}
	a := due[0]
	if of.Silent {
		now = *a.PublishedAt // as it was published then
	}
	var targets int64
	if err := db.Table("announcement_target").Where("announcement_id = ?", id).Count(&targets).Error; err != nil {
		return fmt.Errorf("reading whom an announcement is for: %w", err)
	}
	today := api.DateOf(now.In(school.Location()))
	return m.Teller.Broadcast(ctx, db, school, now, notice.Broadcast{
		Type: notice.Announcement, Key: "announcement/" + id.String(), RecordID: id, Title: a.Title, Body: a.Body,
		Teaser: notice.Text{Name: "announcement.new"},
		Urgent: a.Urgent, Until: a.ExpiresAt, Silent: of.Silent,
		Recipients: recipients(a.TargetAudience), Topics: topics(school.ID, a.TargetAudience, targets > 0),
		Args: map[string]any{"id": id, "today": today},
	})
}
