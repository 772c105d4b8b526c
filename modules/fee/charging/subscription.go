package charging

import (
	"fmt"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/tenancy"
)

// Subscription is that a student has an optional head, from a day to a day.
type Subscription struct {
	api.Record
	StudentID uuid.UUID `json:"studentId"`
	FeeHeadID uuid.UUID `json:"feeHeadId"`
	SubscriptionFields
}

// TableName is the record's table.
func (Subscription) TableName() string { return "fee_subscription" }

// SubscriptionFields are what can be changed of a subscription.
type SubscriptionFields struct {
	OptionID *uuid.UUID `json:"optionId" doc:"One of the head's amounts; required where it has them by option"`
	FromDate api.Date   `json:"fromDate" doc:"Today unless given"`
	ToDate   *api.Date  `json:"toDate" doc:"The last day; until it is ended unless given"`
}

type subscriptionIn struct {
	FeeHeadID uuid.UUID `json:"feeHeadId" validate:"required"`
	ChosenStudents
	SubscriptionFields
}

// ChosenStudents are the students a request is about, named in one of three ways.
type ChosenStudents struct {
	StudentIDs []uuid.UUID `json:"studentIds" validate:"max=5000,unique" doc:"These students"`
	ClassID    *uuid.UUID  `json:"classId" doc:"Or everybody who sits in this class: on the first day of a subscription, for a charge today"`
	GroupID    *uuid.UUID  `json:"groupId" doc:"Or everybody who is in this group that day. Who joins or leaves later is not followed"`
}

type subscriptionChange struct {
	ID uuid.UUID `path:"id"`
	api.Change[SubscriptionFields]
}

// Subscribed is how many were subscribed.
type Subscribed struct {
	Subscribed int `json:"subscribed"`
	Already    int `json:"already" doc:"How many are subscribed on some of these days already; they were left alone"`
}

// subscribe gives students an optional head. Who has it on some of the days is left alone.
func subscribe(c api.Ctx, r subscriptionIn) (Subscribed, error) {
	head, err := api.Find[Head](c, "fee head", c.DB, r.FeeHeadID)
	if err != nil {
		return Subscribed{}, err
	}
	if r.FromDate.IsZero() {
		r.FromDate = c.Today()
	}
	if err := r.check(head); err != nil {
		return Subscribed{}, err
	}
	ids, err := studentsOf(c, r.ChosenStudents, r.FromDate)
	if err != nil {
		return Subscribed{}, err
	}
	var made int64
	err = tenancy.Pipeline(c.DB, tenancy.Query{SQL: `insert into fee_subscription (id, student_id, fee_head_id, option_id, from_date, to_date,
		created_by, updated_by, created_at, updated_at)
		select gen_random_uuid(), s, $2, $3, $4, $5, $6, $6, $7, $7 from unnest($1::uuid[]) s
		where not exists (select from fee_subscription x where x.student_id = s and x.fee_head_id = $2
			and daterange(x.from_date, x.to_date, '[]') && daterange($4, $5, '[]')) returning 1`,
		Args: []any{ids, head.ID, r.OptionID, r.FromDate, r.ToDate, c.User.ID, c.Now}, Scan: count(&made)})
	if err != nil {
		return Subscribed{}, fmt.Errorf("subscribing students: %w", err)
	}
	out := Subscribed{Subscribed: int(made), Already: len(ids) - int(made)}
	if made > 0 {
		c.Changed("subscribe", "fee head", head.ID, nil, map[string]any{"studentIds": ids, "optionId": r.OptionID, "fromDate": r.FromDate,
			"toDate": r.ToDate, "subscribed": out.Subscribed})
	}
	return out, nil
}

// Subscribe gives a newly admitted student an optional head from a day on.
func Subscribe(c api.Ctx, student, head uuid.UUID, option *uuid.UUID, from api.Date) error {
	out, err := subscribe(c, subscriptionIn{FeeHeadID: head, ChosenStudents: ChosenStudents{StudentIDs: []uuid.UUID{student}},
		SubscriptionFields: SubscriptionFields{OptionID: option, FromDate: from}})
	if err == nil && out.Already > 0 {
		return api.InvalidField("feeHeadId", "This optional fee is chosen already")
	}
	return err
}

// check refuses what the head does not have.
func (f SubscriptionFields) check(h Head) error {
	_, there := h.option(f.OptionID)
	switch {
	case !h.Optional:
		return api.InvalidField("feeHeadId", "%s is not optional: everybody whose fee structure has it pays it", h.Name)
	case h.AmountBy == "OPTION" && f.OptionID == nil:
		return api.InvalidField("optionId", "Choose an option of %s", h.Name)
	case h.AmountBy == "OPTION" && !there:
		return api.InvalidField("optionId", "%s does not have this option", h.Name)
	case h.AmountBy != "OPTION" && f.OptionID != nil:
		return api.InvalidField("optionId", "%s has no options", h.Name)
	case f.ToDate != nil && f.ToDate.Before(f.FromDate):
		return api.InvalidField("toDate", "The last day must not be before the first")
	}
	return nil
}

// studentsOf are the students a request names, or those of a class or a group on a day.
func studentsOf(c api.Ctx, r ChosenStudents, day api.Date) ([]uuid.UUID, error) {
	ways := 0
	for _, given := range []bool{len(r.StudentIDs) > 0, r.ClassID != nil, r.GroupID != nil} {
		if given {
			ways++
		}
	}
	if ways != 1 {
		return nil, api.InvalidField("studentIds", "Choose students, a class or a group")
	}
	var ids []uuid.UUID
	query := c.DB.Raw(`select id from student where id in ? and deleted_at is null`, r.StudentIDs)
	switch {
	case r.GroupID != nil:
		query = c.DB.Raw(`select s.id from student s where s.deleted_at is null and s.status = 'ACTIVE'
			and s.id in (select m.student_id from `+roster.InGroup("@day")+` where m.group_id = @group) order by s.id`,
			map[string]any{"day": day, "group": *r.GroupID})
	case r.ClassID != nil:
		query = c.DB.Raw(`select s.id from student s left join enrolment e on e.student_id = s.id and e.start_date <= @day
			and (e.end_date is null or e.end_date >= @day)
			where s.deleted_at is null and s.status = 'ACTIVE' and coalesce(e.class_id, s.class_id) = @class order by s.id`,
			map[string]any{"day": day, "class": *r.ClassID})
	}
	if err := query.Scan(&ids).Error; err != nil {
		return nil, fmt.Errorf("reading students: %w", err)
	}
	switch {
	case r.ClassID != nil && len(ids) == 0:
		return nil, api.InvalidField("classId", "Nobody sits in this class on %s", day)
	case r.GroupID != nil && len(ids) == 0:
		return nil, api.InvalidField("groupId", "Nobody is in this group on %s", day)
	}
	known := map[uuid.UUID]bool{}
	for _, id := range ids {
		known[id] = true
	}
	var bad []api.Detail
	for i, id := range r.StudentIDs {
		if !known[id] {
			bad = append(bad, api.Detail{Field: fmt.Sprintf("studentIds[%d]", i), Message: "No such student"})
		}
	}
	if bad != nil {
		return nil, api.Invalid(bad...)
	}
	return ids, nil
}

// SubscriptionItem is a subscription in a list.
type SubscriptionItem struct {
	Subscription
	StudentName     string     `json:"studentName"`
	AdmissionNumber string     `json:"admissionNumber"`
	ClassID         *uuid.UUID `json:"classId"`
	ClassName       string     `json:"className"`
	FeeHeadName     string     `json:"feeHeadName"`
	OptionName      string     `json:"optionName" doc:"Empty where the head has no options"`
	Status          string     `json:"status" enum:"ACTIVE,LATER,ENDED" doc:"ACTIVE, LATER (it has not begun) or ENDED"`
}

const subscriptionQuery = `select u.id, u.created_at, u.updated_at, u.created_by, u.updated_by, u.version, u.student_id, u.fee_head_id,
	u.option_id, u.from_date, u.to_date, trim(s.first_name || ' ' || s.last_name) as student_name, s.admission_number,
	` + classThatDay + ` as class_id, coalesce((select name from class where id = ` + classThatDay +
	`), '') as class_name, h.name as fee_head_name,
	coalesce((select a ->> 'name' from jsonb_array_elements(h.amounts) a where (a ->> 'id')::uuid = u.option_id), '') as option_name,
	case when u.from_date > day then 'LATER' when u.to_date < day then 'ENDED' else 'ACTIVE' end as status
	from (select ?::date as day) today cross join fee_subscription u
	join student s on s.id = u.student_id left join fee_head h on h.id = u.fee_head_id where s.deleted_at is null`

// classThatDay is the class a student s sits in on the day, or waits for.
const classThatDay = `coalesce((select e.class_id from enrolment e where e.student_id = s.id and e.start_date <= day
	and (e.end_date is null or e.end_date >= day)), s.class_id)`

func subscriptions(c api.Ctx) *gorm.DB {
	return c.DB.Table("(?) as fee_subscription", c.DB.Raw(subscriptionQuery, c.Today()))
}

var subscriptionListing = api.Listing{
	Sorts:   map[string]string{"studentName": "student_name", "fromDate": "from_date", "createdAt": "created_at"},
	Default: "studentName",
	Filters: map[string]api.Filter{
		"search": api.Search("student_name", "admission_number"), "studentId": api.ByID("student_id"), "feeHeadId": api.ByID("fee_head_id"),
		"optionId": api.ByID("option_id"), "classId": api.ByID("class_id"), "status": api.ByEnum("status", "ACTIVE", "LATER", "ENDED"),
	},
}

func listSubscriptions(c api.Ctx, l api.ListRequest) (api.Page[SubscriptionItem], error) {
	return api.Fetch[SubscriptionItem](subscriptions(c), l)
}

func getSubscription(c api.Ctx, r byID) (SubscriptionItem, error) {
	return api.Find[SubscriptionItem](c, "subscription", subscriptions(c), r.ID)
}

func updateSubscription(c api.Ctx, r subscriptionChange) (SubscriptionItem, error) {
	_, err := api.Update(c, "subscription", r.ID, func(s *Subscription) error {
		if err := r.Apply(&s.SubscriptionFields); err != nil {
			return err
		}
		head, err := api.Find[Head](c, "fee head", c.DB, s.FeeHeadID)
		if err != nil {
			return err
		}
		return s.check(head)
	})
	if err != nil {
		return SubscriptionItem{}, err
	}
	return getSubscription(c, byID{r.ID})
}

func deleteSubscription(c api.Ctx, r byID) error {
	return api.Erase[Subscription](c, "subscription", r.ID)
}
