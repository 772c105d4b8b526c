package attendance

import (
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/notice"
	"homeroom/tenancy"
)

// tellParents tells of absence and lateness, and corrects what parents were told
// wrongly. What they have not heard yet is withdrawn and not corrected, and what they
// know already is not told again. Leave is what they asked for: it is not told. A day that is
// past is not news, unless it corrects what was sent.
func tellParents(c api.Ctx, changes []change, delay int) error {
	heard, err := takeBack(c, changes)
	if err != nil {
		return err
	}
	for _, ch := range changes {
		known := heard[ch.ID].status
		told := ch.Status == "ABSENT" || ch.Status == "LATE"
		corrected := ch.Status == "PRESENT" && known != ""
		if !ch.statusChanged() || known == ch.Status || !told && !corrected {
			continue
		}
		n := notice.Notice{
			Type: notice.Attendance, Key: fmt.Sprintf("attendance:%s:%d:%s", ch.ID, ch.Version, ch.Status),
			RecordID: ch.ID, StudentID: &ch.StudentID, Text: notice.Text{Name: "attendance." + strings.ToLower(ch.Status),
				Values: notice.Values{"child": ch.name, "date": notice.On(ch.Date)}},
		}
		if !heard[ch.ID].sent {
			n.Day = ch.Date
		}
		if told {
			n.DueAt = c.Now.Add(time.Duration(delay) * time.Minute)
		}
		notice.Send(c, n)
	}
	return nil
}

// lastHeard is the status of a mark that parents were last told, and whether any was sent to them.
type lastHeard struct {
	status string
	sent   bool
}

// takeBack withdraws what was to be told of marks whose status changed, and returns
// what parents last heard, by the mark's id.
func takeBack(c api.Ctx, changes []change) (map[uuid.UUID]lastHeard, error) {
	var ids []uuid.UUID
	for _, ch := range changes {
		if ch.was != nil && ch.statusChanged() {
			ids = append(ids, ch.ID)
		}
	}
	heard := map[uuid.UUID]lastHeard{}
	if len(ids) == 0 {
		return heard, nil
	}
	var notices []struct {
		Key      string
		RecordID uuid.UUID
		Told     bool
		Silent   bool
	}
	// By the mark's version, which the key has: who waited for the division came earlier than they wrote.
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select key, record_id, told_at is not null as told, silent from notice
		where record_id = any($1) and type = $2
		order by split_part(key, ':', 3)::int`, Args: []any{ids, string(notice.Attendance)}, Scan: tenancy.Collect(&notices)})
	if err != nil {
		return nil, fmt.Errorf("looking for what parents heard: %w", err)
	}
	var waiting []string
	for _, n := range notices {
		if !n.Told {
			waiting = append(waiting, n.Key)
		}
	}
	gone := map[string]bool{}
	if len(waiting) > 0 {
		withdrawn, err := notice.Withdraw(c.DB, waiting...)
		if err != nil {
			return nil, err
		}
		for _, key := range withdrawn {
			gone[key] = true
		}
	}
	for _, n := range notices {
		if !gone[n.Key] { // told, or told in the moment it was to be withdrawn
			heard[n.RecordID] = lastHeard{n.Key[strings.LastIndexByte(n.Key, ':')+1:], heard[n.RecordID].sent || !n.Silent}
		}
	}
	return heard, nil
}
