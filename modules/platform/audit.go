package platform

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
)

// PlatformEvent is something that was done to the platform or, from the platform, to a school.
type PlatformEvent struct {
	ID         uuid.UUID       `json:"id"`
	ActorID    *uuid.UUID      `json:"actorId" doc:"null for the command line"`
	ActorName  string          `json:"actorName" doc:"E-mail of the super-admin; empty for the command line"`
	ActorRole  string          `json:"actorRole" enum:"SUPER_ADMIN,COMMAND_LINE" example:"SUPER_ADMIN"`
	Action     string          `json:"action" example:"suspend" doc:"In a word or a few; new ones come with new features"`
	Entity     string          `json:"entity" example:"school" doc:"What kind of record; new ones come with new features"`
	EntityID   string          `json:"entityId"`
	SchoolID   *uuid.UUID      `json:"schoolId"`
	SchoolName string          `json:"schoolName" doc:"As it is called now"`
	Before     json.RawMessage `json:"before"`
	After      json.RawMessage `json:"after"`
	Reason     string          `json:"reason"`
	IP         string          `json:"ip" gorm:"column:ip"`
	RequestID  string          `json:"requestId"`
	OccurredAt time.Time       `json:"occurredAt"`
}

var auditListing = api.Listing{
	Sorts:   map[string]string{"occurredAt": "occurred_at"},
	Default: "-occurredAt",
	Filters: map[string]api.Filter{
		"id": api.ByID("id"), "actorId": api.ByID("actor_id"), "actorRole": api.ByEnum("actor_role", "SUPER_ADMIN", "COMMAND_LINE"),
		"schoolId": api.ByID("school_id"),
		"entity":   api.ByText("entity"), "entityId": api.ByText("entity_id"), "action": api.ByText("action"),
		"from": api.ByMoment("occurred_at", ">="), "to": api.ByMoment("occurred_at", "<"),
	},
}

// auditColumns name people and schools by subqueries: they run for the page's rows
// alone, and counting does without.
const auditColumns = `id, actor_id, coalesce((select a.email from super_admin a
	where a.id = audit_event.actor_id), '') as actor_name, actor_role, action, entity, entity_id,
	school_id, coalesce((select s.name from school s
	where s.id = audit_event.school_id), '') as school_name, before, after, reason, ip, request_id, occurred_at`

// PlatformDeed is a kind of entry of the platform's log.
type PlatformDeed struct {
	Entity string `json:"entity" example:"school"`
	Action string `json:"action" example:"suspend"`
}

var deedListing = api.Listing{Sorts: map[string]string{"entity": "entity"}, Default: "entity"}

const deeds = `select distinct md5(entity || ' ' || action)::uuid as id, entity, action from audit_event`

func listDeeds(c api.PlatformCtx, l api.ListRequest) (api.Page[PlatformDeed], error) {
	return api.Fetch[PlatformDeed](c.DB.Table("(?) as deed", c.DB.Raw(deeds)), l)
}

func listAudit(c api.PlatformCtx, l api.ListRequest) (api.Page[PlatformEvent], error) {
	return api.Fetch[PlatformEvent](c.DB.Table("audit_event").Select(auditColumns), l)
}
