package transport

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/notice"
	"homeroom/tenancy"
)

// undoWithin is how long a tap can be taken back.
const undoWithin = 10 * time.Minute

type undoing struct {
	TripID        uuid.UUID `json:"tripId" validate:"required"`
	StudentID     uuid.UUID `json:"studentId" validate:"required"`
	ClientEventID string    `json:"clientEventId" validate:"max=100" doc:"The tap to take back; the last one unless given"`
}

// undoBoarding takes a tap back, as if it had never been made. The boarding log keeps it.
func (m *Module) undoBoarding(c api.Ctx, r undoing) (Boarding, error) {
	t, err := findMine(c, r.TripID, "for share of t")
	if err != nil {
		return Boarding{}, err
	}
	if !t.open() {
		return Boarding{}, api.Conflict("The trip is %s: its taps stand", t.Status)
	}
	riders, known, err := holdRiders(c, t.ID, []uuid.UUID{r.StudentID})
	if err != nil {
		return Boarding{}, err
	}
	rider := riders[r.StudentID]
	if rider == nil {
		return Boarding{}, roster.ErrNoStudent
	}
	undone, rest := pickUndone(known[r.StudentID], r.ClientEventID)
	switch {
	case undone == nil:
		return Boarding{}, api.Conflict("There is no tap to take back")
	case undone.UndoneAt != nil:
		return *rider, nil // it was
	case c.Now.Sub(undone.ReceivedAt) > undoWithin:
		return Boarding{}, api.Conflict("A tap can be taken back for ten minutes")
	}
	was := *rider
	rider.applyTaps(rest)
	err = tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `update boarding_tap set undone_at = $3 where trip_id = $1 and client_event_id = $2`,
			Args: []any{t.ID, undone.ClientEventID, c.Now}},
		writeRiders(c, []*Boarding{rider}))
	if err != nil {
		return Boarding{}, fmt.Errorf("taking a tap back: %w", err)
	}
	c.Changed("undo", "boarding", rider.ID, was, *rider)
	if told[undone.Status] {
		name := roster.FullName(rider.FirstName, rider.LastName)
		notice.Send(c, notice.Notice{
			Type: notice.Transport, Key: fmt.Sprintf("boarding-undone:%s:%s:%s", t.ID, rider.StudentID, undone.ClientEventID), RecordID: t.ID,
			StudentID: &rider.StudentID, Day: t.TripDate, Urgent: true,
			Text: notice.Text{Name: "transport.undone",
				Values: notice.Values{"child": name, "status": notice.Text{Name: "boarding." + rider.Status}}},
		})
	}
	c.Tell(boardingNews(t, *rider, c.Now))
	return *rider, nil
}

// pickUndone finds the tap to take back, and what is left without it.
func pickUndone(taps []tap, id string) (undone *tap, rest []tap) {
	for i := range taps {
		t := &taps[i]
		switch {
		case id != "" && t.ClientEventID == id:
			undone = t
		case id == "" && t.UndoneAt == nil && (undone == nil || t.ReceivedAt.After(undone.ReceivedAt) ||
			(t.ReceivedAt.Equal(undone.ReceivedAt) && rank[t.Status] > rank[undone.Status])):
			undone = t
		}
	}
	for i := range taps {
		if &taps[i] != undone && taps[i].UndoneAt == nil {
			rest = append(rest, taps[i])
		}
	}
	return undone, rest
}
