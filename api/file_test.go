package api

import (
	"encoding/json"
	"net/http/httptest"
	"testing"

	"github.com/gin-gonic/gin"
)

func TestAFileIsSavedUnderItsNameAndNeverSniffed(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	g, _ := gin.CreateTestContext(w)
	(&File{Name: `ré"port.pdf`, ContentType: "application/pdf", Body: []byte("%PDF-")}).send(g, 200)
	if h := w.Header(); h.Get("Content-Type") != "application/pdf" || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Content-Disposition") != `attachment; filename*=utf-8''r%C3%A9%22port.pdf` {
		t.Errorf("headers %v", h)
	}
	if w.Body.String() != "%PDF-" {
		t.Errorf("body %q", w.Body)
	}
}

func TestARecordThatMayBeAFileIsInTheEnvelopeUntilItIsAskedForAsOne(t *testing.T) {
	t.Parallel()
	row := &Row{Status: 200, Message: "OK"}
	a, err := (&Kernel{}).envelope(row, MaybeFile[map[string]int]{Data: map[string]int{"number": 1}})
	if err != nil || a.file != nil || string(a.raw) != `{"data":{"number":1},"message":"OK"}` {
		t.Errorf("%v %s", err, a.raw)
	}
	a, err = (&Kernel{}).envelope(row, MaybeFile[map[string]int]{File: &File{Name: "x"}})
	if err != nil || a.file == nil || a.raw != nil {
		t.Errorf("%v %+v", err, a)
	}
}

func TestAChangeLeavesACopyTakenBeforeAlone(t *testing.T) {
	t.Parallel()
	type fields struct {
		Capacity *int            `json:"capacity"`
		Names    []string        `json:"names"`
		Extra    json.RawMessage `json:"extra"`
		Kept     *int            `json:"kept"`
	}
	one, seven := 1, 7
	record := fields{Capacity: &one, Names: []string{"a"}, Extra: json.RawMessage(`1`), Kept: &seven}
	before := record
	var c Change[fields]
	if err := c.take(json.RawMessage(`{"capacity":2,"names":["b"],"extra":2}`), &diagnosis{}); err != nil {
		t.Fatal(err)
	}
	if err := c.Apply(&record); err != nil {
		t.Fatal(err)
	}
	if *before.Capacity != 1 || before.Names[0] != "a" || string(before.Extra) != "1" {
		t.Errorf("the copy became %v %v %s", *before.Capacity, before.Names, before.Extra)
	}
	if *record.Capacity != 2 || record.Names[0] != "b" || string(record.Extra) != "2" || *record.Kept != 7 {
		t.Errorf("the record is %+v", record)
	}
}
