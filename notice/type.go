package notice

import "strings"

// Described is a type of notice in words, for who writes an app.
type Described struct {
	Type   Type
	Tells  string // what has happened
	Record string // what data.id is the id of
}

// Types are all of them.
var Types = []Described{
	{Announcement, "an announcement was published", "the announcement"},
	{Attendance, "a student is absent or late, or was not after all", "the mark"},
	{Result, "results were published", "the exam"},
	{Fee, "a fee is due, was paid, given back or written off", "the invoice, receipt or entry"},
	{Leave, "leave was asked for, or decided", "the leave request"},
	{Message, "a message came", "its thread"},
	{Transport, "a bus trip began, is near, was changed or cancelled; another driver, bus or stop; a student rides, or does not any more; " +
		"a student boarded or left; an incident", "the trip, incident, bus, route or stop"},
	{Library, "a book is due, overdue or waits", "the loan or reservation"},
	{Timetable, "another teacher holds a lesson, or does not after all; a timetable has changed",
		"the substitution; of a timetable, the division, group or period"},
	{Exam, "an exam's timetable was published or taken back; a paper was added, moved or cancelled", "the exam"},
	{Event, "an event or holiday was added, moved or cancelled", "the event or holiday"},
}

// Channel is the channel of Android's that a type of notice is shown in, such as service_announcements. Types without a
// plural have none in their channel's name.
func (t Type) Channel() string {
	name := "service_" + strings.ToLower(string(t))
	switch t {
	case Attendance, Transport, Library, Timetable:
		return name
	}
	return name + "s"
}
