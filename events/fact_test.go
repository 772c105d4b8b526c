package events_test

import (
	"encoding/json"
	"testing"
	"time"

	"homeroom/events"
)

func TestFact_Silent_IsHeardAsSilentWithItsData(t *testing.T) {
	t.Parallel()
	type marked struct {
		Day string `json:"day"`
	}
	for _, f := range []events.Fact{{Kind: "x", Data: marked{"a,}"}}, {Kind: "x", Data: marked{"a,}"}, Silent: true},
		{Kind: "x", Data: struct{}{}, Silent: true}} {
		args, err := f.InsertArgs(time.Now())
		if err != nil {
			t.Fatal(err)
		}
		h := events.Heard{Payload: json.RawMessage(args[2].(string))}
		if h.IsSilent() != f.Silent {
			t.Errorf("%s: silent is %v, want %v", h.Payload, h.IsSilent(), f.Silent)
		}
		var got marked
		if err := h.Read(&got); err != nil || (f.Data == marked{"a,}"} && got != f.Data) {
			t.Errorf("%s is read as %+v, %v; want %+v", h.Payload, got, err, f.Data)
		}
	}
}
