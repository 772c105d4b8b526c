package roster

import (
	"fmt"
	"regexp"
	"strings"

	"homeroom/api"
)

// runningNumber is where a school's pattern has its number: {0000}.
var runningNumber = regexp.MustCompile(`\{0+\}`)

// AdmissionNumbers makes the next n admission numbers by the school's pattern. Those
// who ask at once queue on the series until each other's end, so that numbers have
// neither doubles nor gaps; numbers the office has given by hand are stepped over.
func AdmissionNumbers(c api.Ctx, admitted api.Date, n int) ([]string, error) {
	var pattern string
	if err := c.DB.Raw(`select admission_number_pattern from school_setting`).Scan(&pattern).Error; err != nil {
		return nil, fmt.Errorf("reading the pattern of admission numbers: %w", err)
	}
	pattern = strings.NewReplacer("{year}", fmt.Sprintf("%04d", admitted.Year), "{yy}",
		fmt.Sprintf("%02d", admitted.Year%100)).Replace(pattern)
	at := runningNumber.FindStringIndex(pattern)
	if at == nil {
		return nil, fmt.Errorf("the pattern of admission numbers %q has no number", pattern)
	}
	free := freeNumbers{before: pattern[:at[0]], after: pattern[at[1]:], width: at[1] - at[0] - 2, count: n}

	series := "admission " + pattern
	next, err := lockSeries(c, series)
	if err != nil {
		return nil, err
	}
	found, err := free.from(c, next, next+int64(n)-1)
	if err == nil && len(found) < n {
		var students int64 // as many numbers can be taken, and no more
		if err := c.DB.Model(&Student{}).Count(&students).Error; err != nil {
			return nil, fmt.Errorf("counting students: %w", err)
		}
		found, err = free.from(c, next, next+int64(n)+students)
	}
	if err != nil {
		return nil, err
	}
	if err := c.DB.Exec(`update number_series set next = ? where name = ?`, found[len(found)-1]+1, series).Error; err != nil {
		return nil, fmt.Errorf("numbering: %w", err)
	}
	out := make([]string, len(found))
	for i, number := range found {
		out[i] = fmt.Sprintf("%s%0*d%s", free.before, free.width, number, free.after)
	}
	return out, nil
}

// lockSeries is the next number of a series, which is the caller's until the
// transaction ends.
func lockSeries(c api.Ctx, name string) (next int64, err error) {
	err = c.DB.Raw(`insert into number_series (name) values (?) on conflict (name) do update set next = number_series.next returning next`,
		name).Scan(&next).Error
	if err != nil {
		return 0, fmt.Errorf("locking the series %q: %w", name, err)
	}
	return next, nil
}

// freeNumbers finds numbers that no student has.
type freeNumbers struct {
	before, after string
	width, count  int
}

func (f freeNumbers) from(c api.Ctx, first, last int64) (found []int64, err error) {
	err = c.DB.Raw(`
		select n from generate_series(?::bigint, ?::bigint) n
		where not exists (select from student
		where lower(admission_number) = lower(? || lpad(n::text, greatest(?::int, length(n::text)), '0') || ?))
		order by n limit ?`, first, last, f.before, f.width, f.after, f.count).Scan(&found).Error
	if err != nil {
		return nil, fmt.Errorf("looking for free numbers: %w", err)
	}
	return found, nil
}
