package timetable

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"homeroom/sheet"
)

// fetFile is FET's own file, as it saves data and timetable: activities, and constraints that put each at a day and hour, and in a
// room. Older versions call the day and hour Day and Hour.
type fetFile struct {
	Hours      []fetHour     `xml:"Hours_List>Hour"`
	Activities []fetActivity `xml:"Activities_List>Activity"`
	Starts     []fetStart    `xml:"Time_Constraints_List>ConstraintActivityPreferredStartingTime"`
	Rooms      []fetRoom     `xml:"Space_Constraints_List>ConstraintActivityPreferredRoom"`
}

type fetHour struct {
	Name string `xml:"Name"`
}

type fetActivity struct {
	ID       string   `xml:"Id"`
	Teachers []string `xml:"Teacher"`
	Subject  string   `xml:"Subject"`
	Students []string `xml:"Students"`
	Duration string   `xml:"Duration"`
	Active   string   `xml:"Active"`
}

type fetStart struct {
	Activity string `xml:"Activity_Id"`
	Day      string `xml:"Preferred_Day"`
	Hour     string `xml:"Preferred_Hour"`
	OldDay   string `xml:"Day"`
	OldHour  string `xml:"Hour"`
}

type fetRoom struct {
	Activity string `xml:"Activity_Id"`
	Room     string `xml:"Room"`
}

// rows are the lessons of the week, one a row, under the columns of a file of lessons. A lesson of several hours is one of each.
func (f fetFile) rows() ([][]string, error) {
	rows := [][]string{lessonHead}
	rooms, starts := map[string]string{}, map[string]fetStart{}
	for _, r := range f.Rooms {
		rooms[r.Activity] = r.Room
	}
	for _, s := range f.Starts {
		s.Day, s.Hour = cmp.Or(s.Day, s.OldDay), cmp.Or(s.Hour, s.OldHour)
		starts[s.Activity] = s
	}
	missing := 0
	for _, a := range f.Activities {
		if strings.EqualFold(a.Active, "false") || len(a.Students) == 0 {
			continue
		}
		s, set := starts[a.ID]
		if !set || s.Day == "" || s.Hour == "" {
			missing++
			continue
		}
		at := slices.IndexFunc(f.Hours, func(h fetHour) bool { return h.Name == s.Hour })
		length, _ := strconv.Atoi(a.Duration)
		for n := range max(length, 1) {
			hour := s.Hour
			if n > 0 {
				if at < 0 || at+n >= len(f.Hours) {
					return nil, sheet.BadFile("has an activity (%s, %s) that lasts longer than the day", a.Subject, a.Students[0])
				}
				hour = f.Hours[at+n].Name
			}
			teacher := ""
			if len(a.Teachers) > 0 {
				teacher = a.Teachers[0]
			}
			for _, students := range a.Students {
				rows = append(rows, []string{students, "", s.Day, hour, a.Subject, teacher, rooms[a.ID]})
			}
		}
	}
	if missing > 0 {
		return nil, sheet.BadFile("has %d activities without a time: generate the timetable, and save data and timetable as in FET", missing)
	}
	return rows, nil
}
