package exam_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/google/uuid"

	"homeroom/modules/exam"
	"homeroom/testkit"
)

// atOnce makes the calls together and counts their statuses; a 5xx fails the test.
func atOnce(t *testing.T, calls ...func() (testkit.Answer, error)) map[int]int {
	t.Helper()
	var group sync.WaitGroup
	var mu sync.Mutex
	counts := map[int]int{}
	start := make(chan struct{})
	for _, call := range calls {
		group.Go(func() {
			<-start
			a, err := call()
			if err != nil || a.Status >= 500 {
				t.Errorf("%v %d %s", err, a.Status, a.Body)
			}
			mu.Lock()
			defer mu.Unlock()
			counts[a.Status]++
		})
	}
	close(start)
	group.Wait()
	return counts
}

func (h *hall) calls(method, path string, data any) func() (testkit.Answer, error) {
	return func() (testkit.Answer, error) { return h.admin.TryCall(method, path, data) }
}

func TestPublishedManyTimesAtOnceOneWinsAndEachGuardianIsToldOnce(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	asha, bina := h.admit(t, "Asha", h.a), h.admit(t, "Bina", h.b)
	e, maths, _ := h.scheduled(t, "Half-yearly")
	h.upload(t, e, got(maths, asha, 90), got(maths, bina, 80))
	var calls []func() (testkit.Answer, error)
	for range 8 {
		calls = append(calls, h.calls("POST", examPath(e, "/publish"), map[string]any{"allowMissing": true}))
	}
	if counts := atOnce(t, calls...); counts[200] != 1 || counts[409] != 7 {
		t.Errorf("answers %v", counts)
	}
	if n := h.told(t, "true"); n != 2 {
		t.Errorf("%d lines in the logs", n)
	}
	if n := h.Count(t, "audit_event", "entity = 'exam' and action = 'publish'"); n != 1 {
		t.Errorf("%d audit rows", n)
	}
}

func TestPublishingAgainstUnpublishingEndsInOneOfTheTwoStates(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	asha := h.admit(t, "Asha", h.a)
	e, maths, _ := h.scheduled(t, "Half-yearly")
	h.upload(t, e, got(maths, asha, 90))
	for round := range 5 {
		counts := atOnce(t,
			h.calls("POST", examPath(e, "/publish"), map[string]any{"allowMissing": true}),
			h.calls("POST", examPath(e, "/unpublish"), map[string]any{}),
			h.calls("POST", examPath(e, "/publish"), map[string]any{"allowMissing": true}),
			h.calls("POST", examPath(e, "/unpublish"), map[string]any{}),
			h.calls("POST", uploadPath, batch(e, got(maths, asha, 50+round))))
		if counts[200]+counts[409] != 5 {
			t.Errorf("answers %v", counts)
		}
		now := testkit.Get[exam.Exam](t, h.admin, examPath(e, ""))
		if (now.Status == "PUBLISHED") != (now.PublishedAt != nil) || now.Status == "DRAFT" {
			t.Errorf("it is %+v", now)
		}
		if n := h.told(t, "true"); n != now.Publication {
			t.Errorf("%d publications and %d lines in the log", now.Publication, n)
		}
	}
}

func TestOnePaperUploadedTwiceAtOnceIsWholeAndEveryChangeIsInTheBooks(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	var pupils []pupil
	for i := range 6 {
		pupils = append(pupils, h.admit(t, fmt.Sprint("Child", i), h.a))
	}
	e, maths, art := h.scheduled(t, "Half-yearly")
	var calls []func() (testkit.Answer, error)
	for round := range 8 {
		var results []map[string]any
		for i := range pupils {
			// Half of the callers name papers and students in the other order.
			p := pupils[i]
			if round%2 == 1 {
				p = pupils[len(pupils)-1-i]
			}
			results = append(results, got(maths, p, 10+round), got(art, p, 10+round))
			if round%2 == 1 {
				results[len(results)-1], results[len(results)-2] = results[len(results)-2], results[len(results)-1]
			}
		}
		calls = append(calls, h.calls("POST", uploadPath, batch(e, results...)))
	}
	if counts := atOnce(t, calls...); counts[200] != 8 {
		t.Errorf("answers %v", counts)
	}
	var marks []string
	if err := h.DB(t).Raw(`select distinct marks_obtained::text || ' v' || version from exam_result`).Scan(&marks).Error; err != nil {
		t.Fatal(err)
	}
	if len(marks) != 1 || h.Count(t, "exam_result", "version = 8") != 12 {
		t.Errorf("uploads were mixed: %v", marks)
	}
	if n := h.Count(t, "audit_event", "entity = 'result'"); n != 8*12 {
		t.Errorf("%d audit rows", n)
	}
}

func TestOfTwoExamsThatTakeOneRoomAtOnceOneWinsAndTheOtherNamesIt(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	var exams []exam.Exam
	for i := range 6 {
		exams = append(exams, h.exam(t, fmt.Sprint("Exam ", i), map[string]any{"classIds": []uuid.UUID{h.five.ID, h.six.ID}}))
	}
	var calls []func() (testkit.Answer, error)
	for i, e := range exams {
		class := h.five
		if i%2 == 1 {
			class = h.six
		}
		calls = append(calls, h.calls("POST", "/school-admin/exam/schedule",
			map[string]any{"examId": e.ID, "papers": []any{paper(class, h.maths, 1, map[string]any{"room": "Hall"})}}))
	}
	if counts := atOnce(t, calls...); counts[200] != 1 || counts[409] != 5 {
		t.Errorf("answers %v", counts)
	}
	if n := h.Count(t, "exam_paper", "true"); n != 1 {
		t.Errorf("%d papers in one room", n)
	}
}
