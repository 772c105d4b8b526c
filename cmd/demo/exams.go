package demo

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"

	"github.com/google/uuid"

	"homeroom/api"
)

// sitting is an exam of the demo, by days before the day it was made.
type sitting struct {
	name            string
	from, published int
	room            string
}

// sittings are two exams with results.
var sittings = []sitting{{"Unit test 1", 74, 58, "Hall"}, {"Half-yearly", 24, 9, "Hall"}}

// grades are those of the schools' scale, the best first.
var grades = []struct {
	name string
	from int
}{{"A1", 91}, {"A2", 81}, {"B1", 71}, {"B2", 61}, {"C1", 51}, {"C2", 41}, {"D", 33}, {"E", 0}}

func examNames() []string {
	var out []string
	for _, s := range sittings {
		out = append(out, s.name)
	}
	return out
}

// addExams makes a term with two exams of all classes, their results, and publishes them. A third is planned.
func (b *builder) addExams(ctx context.Context) error {
	subjects, err := b.subjectIDs(ctx)
	if err != nil {
		return err
	}
	year, err := b.year(ctx)
	if err != nil {
		return err
	}
	term, err := findOrMake(ctx, b, "/school-admin/exam/term/", "Term 1", fields{"academicYearId": year.ID, "startDate": year.StartDate,
		"endDate": within(b.today.AddDays(10), year), "weight": 40})
	if err != nil {
		return err
	}
	b.at(year.StartDate.AddDays(1), 12, 0, b.latest)
	var bands []fields
	for i, grade := range grades {
		bands = append(bands, fields{"grade": grade.name, "minPercent": grade.from, "gradePoint": len(grades) + 2 - i, "isPass": grade.from > 0})
	}
	if _, err := findOrMake(ctx, b, "/school-admin/exam/grade-scale/", "A1 to E", fields{"isDefault": true, "bands": bands}); err != nil {
		return err
	}
	for _, s := range sittings {
		if err := b.addExam(ctx, s, year, term, subjects); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	b.at(b.today, 12, 0, b.latest)
	_, err = findOrMake(ctx, b, "/school-admin/exam/", "Unit test 2", fields{"classIds": b.classes,
		"startDate": within(b.today.AddDays(25), year), "endDate": within(b.today.AddDays(32), year)})
	return err
}

// addExam makes one exam, as far as it is not there.
func (b *builder) addExam(ctx context.Context, s sitting, year yearFields, term uuid.UUID, subjects []uuid.UUID) error {
	first := within(b.today.AddDays(-s.from), year)
	b.at(first.AddDays(-7), 12, 0, b.latest)
	exam, err := findOrMake(ctx, b, "/school-admin/exam/", s.name, fields{"classIds": b.classes, "startDate": first,
		"endDate": first.AddDays(9), "termId": term})
	if err != nil {
		return err
	}
	path := "/school-admin/exam/" + exam.String()
	var now struct{ Status string }
	if err := b.get(ctx, path, &now); err != nil || now.Status == "PUBLISHED" {
		return err
	}
	var papers []fields
	for c, class := range b.classes {
		for i, subject := range b.plan.subjects {
			if !subject.exam {
				continue
			}
			papers = append(papers, fields{"classId": class, "subjectId": subjects[i], "examDate": first.AddDays(i * 2), "startTime": "09:30",
				"endTime": "11:30", "room": fmt.Sprint(s.room, " ", c+1)})
		}
	}
	if err := b.post(ctx, "/school-admin/exam/schedule", fields{"examId": exam, "papers": papers}, nil); err != nil {
		return err
	}
	b.at(first.AddDays(12), 15, 0, b.latest)
	if err := b.enterResults(ctx, s, exam); err != nil {
		return err
	}
	b.at(b.today.AddDays(-s.published), 16, 0, b.latest)
	return b.post(ctx, path+"/publish", fields{"allowMissing": true}, nil)
}

// result is a student's mark in a paper.
type result struct {
	PaperID       uuid.UUID `json:"paperId"`
	StudentID     uuid.UUID `json:"studentId"`
	MarksObtained *int      `json:"marksObtained,omitempty"`
	IsAbsent      bool      `json:"isAbsent,omitempty"`
}

// resultsAtOnce is how many results one call enters.
const resultsAtOnce = 1500

// enterResults enters those of all classes.
func (b *builder) enterResults(ctx context.Context, s sitting, exam uuid.UUID) error {
	var schedule struct {
		Papers []struct{ ID, ClassID uuid.UUID }
	}
	if err := b.get(ctx, "/school-admin/exam/"+exam.String()+"/schedule", &schedule); err != nil {
		return err
	}
	_, students := b.plan.people()
	var results []result
	for _, p := range students {
		there := b.students[p.number]
		if there == nil || there.ClassID == nil || *there.ClassID != b.classes[p.class] {
			continue
		}
		n := 0
		for _, paper := range schedule.Papers {
			if paper.ClassID == b.classes[p.class] {
				n++
				results = append(results, marksOf(p.number, s.name, n, paper.ID, there.ID))
			}
		}
	}
	for some := range slices.Chunk(results, resultsAtOnce) {
		if err := b.post(ctx, "/school-admin/exam/result/upload", fields{"examId": exam, "results": some}, nil); err != nil {
			return err
		}
	}
	return nil
}

// marksOf is a result: a student is good or less good at everything, and better at some.
func marksOf(number, exam string, paper int, paperID, student uuid.UUID) result {
	sum := func(text string) int {
		h := fnv.New32a()
		_, _ = h.Write([]byte(text))
		return int(h.Sum32() % 1000)
	}
	r := result{PaperID: paperID, StudentID: student}
	day := sum(number + exam + fmt.Sprint(paper))
	if day < 12 {
		r.IsAbsent = true
		return r
	}
	marks := min(99, 44+sum(number)*40/1000+day*24/1000-6)
	if sum(number)%23 == 0 {
		marks -= 22
	}
	r.MarksObtained = &marks
	return r
}

// within is a day that is in the year.
func within(day api.Date, year yearFields) api.Date {
	if day.Before(year.StartDate) {
		return year.StartDate
	}
	if year.EndDate.Before(day) {
		return year.EndDate
	}
	return day
}

// findOrMake finds a record by its name in the list under a path, or makes it there.
func findOrMake(ctx context.Context, b *builder, path, name string, with fields) (uuid.UUID, error) {
	there, err := list[named](ctx, b.office, path+"list", nil)
	if err != nil {
		return uuid.Nil, err
	}
	if at := slices.IndexFunc(there, func(n named) bool { return n.Name == name }); at >= 0 {
		return there[at].ID, nil
	}
	with["name"] = name
	var made named
	err = b.post(ctx, path+"create", with, &made)
	return made.ID, err
}
