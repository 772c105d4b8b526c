package audit

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
)

// AuditEvent is one change.
type AuditEvent struct {
	ID         uuid.UUID            `json:"id"`
	ActorID    *uuid.UUID           `json:"actorId"`
	ActorName  string               `json:"actorName" doc:"As they are called now; empty for those who are gone"`
	ActorRole  string               `json:"actorRole" enum:"SCHOOL_ADMIN,TEACHER,PARENT,DRIVER,SUPER_ADMIN,KEY,SYSTEM,NOBODY" doc:"SUPER_ADMIN: an operator of the platform. KEY: a program with an API key. SYSTEM: the service by itself. NOBODY: a sign-in that was refused"`
	Action     string               `json:"action" example:"update" doc:"In a word or a few; new ones come with new features"`
	Entity     string               `json:"entity" example:"student" doc:"What kind of record; new ones come with new features"`
	EntityID   string               `json:"entityId"`
	EntityName string               `json:"entityName" gorm:"-" label:"Record" doc:"As it is called now, or was called in this entry; empty for what has no name" example:"Asha Rao"`
	Before     json.RawMessage      `json:"before" doc:"null for what is new"`
	After      json.RawMessage      `json:"after" doc:"null for what is gone"`
	Names      map[uuid.UUID]string `json:"names" gorm:"-" doc:"Of the ids in before and after, as far as what they are of has a name"`
	Reason     string               `json:"reason"`
	IP         string               `json:"ip" gorm:"column:ip"`
	RequestID  string               `json:"requestId"`
	OccurredAt time.Time            `json:"occurredAt"`
}

func (m *Module) listing() api.Listing {
	return api.Listing{
		Sorts:   map[string]string{"occurredAt": "occurred_at"},
		Default: "-occurredAt",
		Filters: map[string]api.Filter{
			"id": api.ByID("id"), "actorId": api.ByID("actor_id"),
			"actorRole": api.ByEnum("", "SCHOOL_ADMIN", "TEACHER", "PARENT", "DRIVER", "SUPER_ADMIN", "KEY", "SYSTEM",
				"NOBODY").Where(actorRole + " = @v"),
			"entity": api.ByText("entity"), "entityId": api.ByText("entity_id"), "action": api.ByText("action"),
			"from": api.ByMoment("occurred_at", ">="), "to": api.ByMoment("occurred_at", "<"),
			"search": m.search(),
		},
	}
}

// actorRole is SYSTEM also in older entries, where it was left out.
const actorRole = `coalesce(nullif(actor_role, ''), 'SYSTEM')`

// columns name the actor by a subquery: it runs for the page's rows alone, and counting
// does without.
const columns = `id, actor_id, coalesce((select trim(u.first_name || ' ' || u.last_name) from app_user u
	where u.id = audit_event.actor_id), '') as actor_name,
	` + actorRole + ` as actor_role, action, entity, entity_id, before, after, reason, ip, request_id, occurred_at`

func (m *Module) list(c api.Ctx, l api.ListRequest) (api.Page[AuditEvent], error) {
	page, err := api.Fetch[AuditEvent](c.DB.Table("audit_event").Select(columns), l)
	if err != nil {
		return page, err
	}
	return page, m.name(c, page.Items)
}
