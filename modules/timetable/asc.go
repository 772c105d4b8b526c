package timetable

import (
	"strconv"
	"strings"
)

// ascFile is what aSc TimeTables exports as XML: cards put lessons at a period of some days.
type ascFile struct {
	Periods    []ascNamed  `xml:"periods>period"`
	Subjects   []ascNamed  `xml:"subjects>subject"`
	Teachers   []ascNamed  `xml:"teachers>teacher"`
	Classrooms []ascNamed  `xml:"classrooms>classroom"`
	Classes    []ascNamed  `xml:"classes>class"`
	Groups     []ascNamed  `xml:"groups>group"`
	Lessons    []ascLesson `xml:"lessons>lesson"`
	Cards      []ascCard   `xml:"cards>card"`
}

type ascNamed struct {
	ID     string `xml:"id,attr"`
	Name   string `xml:"name,attr"`
	Short  string `xml:"short,attr"`
	Period string `xml:"period,attr"`
	Start  string `xml:"starttime,attr"`
	Whole  string `xml:"entireclass,attr"` // of a group: 1 is the class itself
}

type ascLesson struct {
	ID       string `xml:"id,attr"`
	Classes  string `xml:"classids,attr"`
	Subject  string `xml:"subjectid,attr"`
	Teachers string `xml:"teacherids,attr"`
	Groups   string `xml:"groupids,attr"`
	Rooms    string `xml:"classroomids,attr"`
	Periods  string `xml:"periodspercard,attr"`
}

type ascCard struct {
	Lesson string `xml:"lessonid,attr"`
	Rooms  string `xml:"classroomids,attr"`
	Period string `xml:"period,attr"`
	Days   string `xml:"days,attr"` // 01000 is Tuesday; several marks are several days
	Day    string `xml:"day,attr"`  // of older versions: 0 is Monday
}

func byASCID(list []ascNamed) map[string]ascNamed {
	out := make(map[string]ascNamed, len(list))
	for _, n := range list {
		out[n.ID] = n
	}
	return out
}

// rows are the lessons of the week, one a row, under the columns of a file of lessons.
func (f ascFile) rows() [][]string {
	rows := [][]string{lessonHead}
	subjects, teachers, rooms := byASCID(f.Subjects), byASCID(f.Teachers), byASCID(f.Classrooms)
	classes, groups := byASCID(f.Classes), byASCID(f.Groups)
	starts := map[string]string{}
	for _, p := range f.Periods {
		starts[p.Period] = p.Start
	}
	lessons := map[string]ascLesson{}
	for _, l := range f.Lessons {
		lessons[l.ID] = l
	}
	first := func(ids string, of map[string]ascNamed) string {
		id, _, _ := strings.Cut(ids, ",")
		return of[id].Name
	}
	for _, card := range f.Cards {
		l, known := lessons[card.Lesson]
		if !known {
			continue
		}
		room := first(card.Rooms, rooms)
		if room == "" {
			room = first(l.Rooms, rooms)
		}
		group := ""
		for id := range strings.SplitSeq(l.Groups, ",") {
			if g, known := groups[id]; known && g.Whole != "1" && g.Name != "" {
				group = g.Name
			}
		}
		from, err := strconv.Atoi(card.Period)
		if err != nil {
			continue
		}
		length, _ := strconv.Atoi(l.Periods)
		for n := range max(length, 1) {
			period := starts[strconv.Itoa(from+n)]
			if period == "" {
				period = strconv.Itoa(from + n)
			}
			for _, day := range card.weekdays() {
				for class := range strings.SplitSeq(l.Classes, ",") {
					rows = append(rows, []string{classes[class].Name, group, day, period, subjects[l.Subject].Name, first(l.Teachers, teachers), room})
					if group != "" {
						break // a group has its lesson once
					}
				}
			}
		}
	}
	return rows
}

func (c ascCard) weekdays() (out []string) {
	for i, mark := range strings.TrimSpace(c.Days) {
		if mark == '1' && i < 7 {
			out = append(out, strconv.Itoa(i+1))
		}
	}
	if n, err := strconv.Atoi(c.Day); out == nil && err == nil {
		out = append(out, strconv.Itoa(n+1))
	}
	return out
}
