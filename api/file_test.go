package api

import (
	"encoding/json"
	"net/http/httptest"
	"testing"

	"github.com/gin-gonic/gin"
)

func TestFile_IsSavedUnderItsNameAndNeverSniffed(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	g, _ := gin.CreateTestContext(w)
	f := File{Name: `ré"port.pdf`, ContentType: "application/pdf", Body: []byte("%PDF-")}
	if err := f.send(t.Context(), g, &request{row: &Row{Status: 200}}); err != nil {
		t.Fatal(err)
	}
	if h := w.Header(); h.Get("Content-Type") != "application/pdf" || h.Get("X-Content-Type-Options") != "nosniff" ||
		h.Get("Content-Disposition") != `attachment; filename*=utf-8''r%C3%A9%22port.pdf` {
		t.Errorf("headers %v", h)
	}
	if w.Body.String() != "%PDF-" {
		t.Errorf("body %q", w.Body)
	}
}

func TestMaybeFile_WithoutFile_IsInTheEnvelope(t *testing.T) {
	t.Parallel()
	row := &Row{Status: 200, Message: "OK"}
	a, err := row.answer(MaybeFile[map[string]int]{Data: map[string]int{"number": 1}})
	if e, ok := a.(*envelope); err != nil || !ok || string(e.body) != `{"data":{"number":1},"message":"OK"}` {
		t.Errorf("without a file: %+v %v", a, err)
	}
	a, err = row.answer(MaybeFile[map[string]int]{File: &File{Name: "x"}})
	if f, ok := a.(File); err != nil || !ok || f.Name != "x" {
		t.Errorf("with a file: %+v %v", a, err)
	}
}

func TestChange_Apply_LeavesEarlierCopiesAlone(t *testing.T) {
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
