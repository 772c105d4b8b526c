package roster

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/tenancy"
)

// Timeline is what happened to a student at the school, oldest first.
type Timeline struct {
	Events []TimelineEvent `json:"events"`
	Total  int             `json:"total"`
}

// TimelineEvent is one thing that happened.
type TimelineEvent struct {
	Kind string     `json:"kind" enum:"ADMITTED,ENROLLED,MOVED,PROMOTED,RETAINED,LEFT,READMITTED,GUARDIAN_ADDED,GUARDIAN_CHANGED,GUARDIAN_REMOVED,STATUS_CHANGED,CHANGED"`
	Date api.Date   `json:"date"`
	At   *time.Time `json:"at" doc:"The moment, where it is known"`
	Text string     `json:"text" example:"Enrolled in Class 5 A"`
	By   *uuid.UUID `json:"by" doc:"The user who did it, where it is known"`
}

// timelineEvents bounds what is read of the audit.
const timelineEvents = 500

// auditEntry is a line of the audit about a student.
type auditEntry struct {
	Action     string
	Entity     string
	ActorID    *uuid.UUID
	Before     json.RawMessage
	After      json.RawMessage
	OccurredAt time.Time
}

func studentTimeline(c api.Ctx, r byID) (Timeline, error) {
	s, err := studentDetail(c, r.ID)
	if err != nil {
		return Timeline{}, err
	}
	var entries []auditEntry
	err = tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select action, entity, actor_id, before, after, occurred_at from audit_event
		where entity in ('student', '` + linked + `') and entity_id = $1
		order by occurred_at desc, id desc limit $2`, Args: []any{r.ID.String(), timelineEvents}, Scan: tenancy.Collect(&entries)})
	if err != nil {
		return Timeline{}, fmt.Errorf("reading a student's timeline: %w", err)
	}
	events := s.recorded()
	for _, b := range entries {
		if e, ok := b.event(c.School.Location()); ok {
			events = append(events, e)
		}
	}
	slices.SortStableFunc(events, func(a, b TimelineEvent) int { return cmp.Compare(a.Date.String(), b.Date.String()) })
	return Timeline{Events: events, Total: len(events)}, nil
}

// recorded is what the student's own records tell.
func (s StudentDetail) recorded() []TimelineEvent {
	out := []TimelineEvent{{Kind: "ADMITTED", Date: *s.AdmissionDate, Text: "Admitted with number " + s.AdmissionNumber}}
	kind := "ENROLLED"
	for _, e := range s.Enrolments {
		text := fmt.Sprintf("%s %s", e.ClassName, e.DivisionName)
		if e.RollNumber != nil {
			text += fmt.Sprintf(", roll number %d", *e.RollNumber)
		}
		out = append(out, TimelineEvent{Kind: kind, Date: e.StartDate, Text: map[string]string{
			"ENROLLED": "Enrolled in ", "MOVED": "Moved to ", "PROMOTED": "Promoted to ", "RETAINED": "Retained in ",
			"READMITTED": "Readmitted to "}[kind] + text})
		kind = "ENROLLED"
		if e.Outcome != nil && *e.Outcome != "LEFT" {
			kind = *e.Outcome
		}
		if e.Outcome != nil && *e.Outcome == "LEFT" && (s.LeavingDate == nil || *s.LeavingDate != *e.EndDate) {
			out, kind = append(out, TimelineEvent{Kind: "LEFT", Date: *e.EndDate, Text: "Left"}), "READMITTED" // they came back
		}
	}
	if s.LeavingDate != nil {
		out = append(out, TimelineEvent{Kind: "LEFT", Date: *s.LeavingDate, Text: strings.TrimSuffix("Left: "+s.LeavingReason, ": ")})
	}
	return out
}

// event is what a line of the audit tells; one that changed nothing of interest tells nothing.
func (b auditEntry) event(loc *time.Location) (TimelineEvent, bool) {
	out := TimelineEvent{At: &b.OccurredAt, By: b.ActorID, Date: api.DateOf(b.OccurredAt.In(loc))}
	if b.Entity == linked {
		words := map[string][2]string{
			"create": {"GUARDIAN_ADDED", "added"}, "update": {"GUARDIAN_CHANGED", "changed"}, "delete": {"GUARDIAN_REMOVED", "removed"}}[b.Action]
		said := b.After
		if said == nil {
			said = b.Before
		}
		var g Guardianship
		if err := json.Unmarshal(said, &g); err != nil {
			return out, false
		}
		out.Kind = words[0]
		out.Text = fmt.Sprintf("Guardian %s (%s) %s", strings.TrimSpace(g.FirstName+" "+g.LastName), strings.ToLower(g.Relation), words[1])
		return out, true
	}
	var before, after map[string]json.RawMessage
	if json.Unmarshal(b.Before, &before) != nil || json.Unmarshal(b.After, &after) != nil {
		return out, false
	}
	var changed []string
	for name := range after {
		if string(before[name]) != string(after[name]) && !slices.Contains([]string{"updatedAt", "updatedBy", "version"}, name) {
			changed = append(changed, name)
		}
	}
	slices.Sort(changed)
	switch {
	case len(changed) == 0:
		return out, false
	case slices.Contains(changed, "status"):
		out.Kind, out.Text = "STATUS_CHANGED", fmt.Sprintf("Status changed from %s to %s", word(before["status"]), word(after["status"]))
	default:
		out.Kind, out.Text = "CHANGED", "Changed: "+strings.Join(changed, ", ")
	}
	return out, true
}

func word(raw json.RawMessage) string { return strings.Trim(string(raw), `"`) }
