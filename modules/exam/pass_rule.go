package exam

import (
	"cmp"
	"slices"
)

// passRule is how the school decides who passes, and how it ranks equals.
type passRule struct {
	PassRule            string // TOTAL, SUBJECTS or EXAMS
	PassPercent         float64
	GraceMarks          float64
	GraceSubjects       int
	CompartmentSubjects int
	RankTies            string // SKIP or DENSE
}

const passRuleSQL = `select pass_rule, pass_percent::float8, grace_marks::float8, grace_subjects, compartment_subjects, rank_ties
	from school_setting`

// exam is the outcome of one exam. There is no grace in it: a school gives that in the year.
func (p passRule) exam(t tally) string {
	percent := t.percent()
	switch {
	case t.Missing > 0:
		return incomplete
	case p.PassRule == "TOTAL" && percent != nil && *percent >= p.least(percentOf(t.PassMarks, t.MaxMarks)):
		return passed
	case p.PassRule != "TOTAL" && t.Failed == 0, percent == nil:
		return passed
	}
	return failed
}

// least is the percentage to reach where the papers' pass marks ask for byPapers.
func (p passRule) least(byPapers *float64) float64 {
	if p.PassPercent > 0 || byPapers == nil {
		return p.PassPercent
	}
	return *byPapers
}

// total is the outcome of a year that goes by its total.
func (p passRule) total(percent float64, byPapers *float64) string {
	switch lacks := rounded(p.least(byPapers) - percent); {
	case lacks <= 0:
		return passed
	case lacks <= p.GraceMarks:
		return passedWithGrace
	}
	return failed
}

// shortfall is what a subject lacks of its pass mark, in marks out of 100.
type shortfall struct {
	subject string
	lacks   float64
}

// year is the outcome of a year in which these subjects fall short, and the subjects that
// are failed after grace. Grace goes to those that lack least.
func (p passRule) year(short []shortfall) (outcome string, failedSubjects []string) {
	slices.SortFunc(short, func(a, b shortfall) int {
		return cmp.Or(cmp.Compare(a.lacks, b.lacks), cmp.Compare(a.subject, b.subject))
	})
	graced := 0
	for _, s := range short {
		if graced < p.GraceSubjects && s.lacks <= p.GraceMarks {
			graced++
			continue
		}
		failedSubjects = append(failedSubjects, s.subject)
	}
	slices.Sort(failedSubjects)
	switch n := len(failedSubjects); {
	case n == 0 && graced > 0:
		return passedWithGrace, nil
	case n == 0:
		return passed, nil
	case n <= p.CompartmentSubjects:
		return compartment, failedSubjects
	}
	return failed, failedSubjects
}
