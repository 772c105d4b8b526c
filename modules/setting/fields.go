package setting

import (
	"github.com/google/uuid"

	"homeroom/modules/roster"
)

// Fields are what an administrator sets.
type Fields struct {
	Evaluation
	Profile
	Calendar
	Attendance
	Fees
	Grading
	Library
	Delivery
	// IncidentsTo is read by transport when a driver reports one.
	IncidentsTo string `json:"incidentsTo" validate:"oneof=ALL OFFICE" doc:"Whom a driver's report of an incident reaches: the families of the riders at once (ALL), or the office first (OFFICE), which tells them or discards it"`
	// SecondFactorRequired is read by auth when an administrator signs in.
	SecondFactorRequired bool `json:"secondFactorRequired" doc:"The school's administrators sign in with a second factor; who has none is asked to add one"`
	// LeavingCertificateTemplate is read by the roster when it prints a leaving certificate.
	LeavingCertificateTemplate string `json:"leavingCertificateTemplate" validate:"oneof=SIMPLE CBSE BRITISH" doc:"Which fields leaving certificates have, by board"`
	// AdmissionNumberPattern is read by the roster when it numbers a student.
	AdmissionNumberPattern string `json:"admissionNumberPattern" validate:"notblank,max=30" doc:"How students are numbered: {year} and {yy} are the year of admission, {0000} is the running number, as wide as it has zeros" example:"{year}-{0000}"`
}

// Calendar is how the school counts its days.
type Calendar struct {
	TimeZone       string  `json:"timeZone" validate:"required,max=64,timezone" doc:"Which day it is at the school, and what its clocks show" example:"Asia/Kolkata"`
	WeekendDays    []int16 `json:"weekendDays" gorm:"-" validate:"max=6,unique,dive,min=0,max=7" doc:"Days off in every week: 1 is Monday, 6 Saturday, 0 Sunday (7 is taken too); a change holds from today on, what was marked before stays"`
	FirstDayOfWeek int16   `json:"firstDayOfWeek" validate:"min=0,max=7" doc:"With which day calendars begin: 1 is Monday, 6 Saturday, 0 Sunday (7 is taken too)"`
}

// Attendance is read by attendance when somebody marks, and when it tells parents.
type Attendance struct {
	AttendanceBy                 string       `json:"attendanceBy" validate:"oneof=DAY PERIOD" doc:"DAY: a division has one register a day. PERIOD: lessons have registers of their own too, marked by who holds them; the day follows from them where nobody marks it"`
	AttendanceNoticeDelayMinutes int          `json:"attendanceNoticeDelayMinutes" validate:"min=0,max=1440" doc:"How long parents are not notified of an absence, so that a correction can cancel it; 0 notifies them at once"`
	AttendanceTeacherDays        int          `json:"attendanceTeacherDays" validate:"min=0,max=60" doc:"For how many days after a day teachers may mark it; the office always can"`
	AttendanceCutOff             roster.Clock `json:"attendanceCutOff" doc:"On the last of those days, until what time. Empty: until its end"`
}

// Fees are read by fees.
type Fees struct {
	Currency          string `json:"currency" validate:"required,currency" doc:"Cannot be changed once anything is in the ledger" example:"INR"`
	FeeReminderText   string `json:"feeReminderText" validate:"notblank,max=500" doc:"The text guardians get about fees that are due; {student}, {amount} and {dueDate} are filled in"`
	LateFineType      string `json:"lateFineType" validate:"oneof=NONE FIXED PER_DAY" doc:"Of new fee structures that do not say otherwise: none, once, or for every day"`
	LateFineAmount    int64  `json:"lateFineAmount" validate:"min=0,max=1000000000000" doc:"In minor units"`
	LateFineGraceDays int    `json:"lateFineGraceDays" validate:"min=0,max=366" doc:"Days late that are not fined"`
	ProRataBy         string `json:"proRataBy" validate:"oneof=MONTHS DAYS" doc:"What who joins during the year pays for: the months that remain, that of joining included, or the days"`
	FeeRoundTo        int64  `json:"feeRoundTo" validate:"min=1,max=10000000" doc:"A part of the year costs a multiple of this, in minor units; 1 does not round"`
	LateFineMaxAmount int64  `json:"lateFineMaxAmount" validate:"min=0,max=1000000000000" doc:"The most for one invoice; 0 is no limit"`
	LateFineThreshold int64  `json:"lateFineThreshold" validate:"min=0,max=1000000000000" doc:"No invoice of which less is open is fined, of whichever structure; in minor units. 0 fines any amount"`
}

// Grading is what exams go by.
type Grading struct {
	GradeScaleID        *uuid.UUID `json:"gradeScaleId" gorm:"-" doc:"The scale of classes that name none"`
	PassRule            string     `json:"passRule" validate:"oneof=TOTAL SUBJECTS EXAMS" doc:"Who passes a year: by the total, by each main subject over the year, or by every paper of every exam"`
	PassPercent         int        `json:"passPercent" validate:"min=0,max=100" doc:"The least percentage of the year, in total or in a subject; 0 goes by the pass marks of the papers"`
	GraceMarks          int        `json:"graceMarks" validate:"min=0,max=100" doc:"Marks in 100 that may be lacking in a subject, or in the total, and it is passed all the same; 0 is none"`
	GraceSubjects       int        `json:"graceSubjects" validate:"min=1,max=50" doc:"In how many subjects at most"`
	CompartmentSubjects int        `json:"compartmentSubjects" validate:"min=0,max=50" doc:"Who fails in no more subjects than this may sit them again; 0 is nobody"`
	RankTies            string     `json:"rankTies" validate:"oneof=SKIP DENSE" doc:"The rank after two who share the second: the fourth (SKIP) or the third (DENSE)"`
	ReportCardTemplate  string     `json:"reportCardTemplate" validate:"oneof=SIMPLE CBSE BRITISH" doc:"How report cards are laid out: the marks of every exam; scholastic and co-scholastic areas with grades by term; or grades and comments without marks and ranks"`
}

// Library is read by the library.
type Library struct {
	LibraryStudentBooks     int   `json:"libraryStudentBooks" validate:"min=0,max=1000" doc:"How many books a student may have at once"`
	LibraryStudentDays      int   `json:"libraryStudentDays" validate:"min=1,max=366" doc:"For how many days"`
	LibraryStudentRenewals  int   `json:"libraryStudentRenewals" validate:"min=0,max=100" doc:"How often they may renew one"`
	LibraryEmployeeBooks    int   `json:"libraryEmployeeBooks" validate:"min=0,max=1000"`
	LibraryEmployeeDays     int   `json:"libraryEmployeeDays" validate:"min=1,max=366"`
	LibraryEmployeeRenewals int   `json:"libraryEmployeeRenewals" validate:"min=0,max=100"`
	LibraryFinePerDay       int64 `json:"libraryFinePerDay" validate:"min=0,max=1000000000" doc:"What a student is fined for a day a book is late, in minor units; 0 is no fine"`
	LibraryFineGraceDays    int   `json:"libraryFineGraceDays" validate:"min=0,max=366" doc:"Days late that are not fined"`
	LibraryFineMaxAmount    int64 `json:"libraryFineMaxAmount" validate:"min=0,max=1000000000000" doc:"The most for one loan; 0 is no limit"`
}

// Delivery is read by everything that sends notices. It can be set under notification, too.
type Delivery struct {
	QuietFrom      roster.Clock `json:"quietFrom" doc:"From then on only what is urgent goes out: accidents, missing children, urgent announcements, a bus trip under way, a change of what begins within 24 hours. Empty: there are no quiet hours"`
	QuietTo        roster.Clock `json:"quietTo" doc:"What waited goes out then, unless it is of no use any more"`
	NoticePastDays int          `json:"noticePastDays" validate:"min=0,max=366" doc:"For how many days after a day its absences and bus trips are still notified; 0: on the day alone. Later they are only in the log"`
	// SubstitutionsToClasses is read by the timetable.
	SubstitutionsToClasses bool `json:"substitutionsToClasses" doc:"Families of a lesson's students are notified too when another teacher holds it; the teacher always is"`

	LockScreen    string `json:"lockScreen" validate:"oneof=NOTHING CHILD FULL" doc:"What a push says on a locked screen. NOTHING: that there is something. CHILD: the kind of news, no name. FULL: what happened, with the child's name"`
	SMSPrice      int64  `json:"smsPrice" gorm:"column:sms_price" validate:"min=0,max=100000" doc:"Of one segment, in minor units of the school's currency; previews say what a dispatch costs"`
	SMSDailyLimit int    `json:"smsDailyLimit" gorm:"column:sms_daily_limit" validate:"min=0,max=1000000" doc:"Segments a day; more is refused"`
	WhatsAppPrice int64  `json:"whatsAppPrice" gorm:"column:whatsapp_price" validate:"min=0,max=100000" doc:"Of one message by WhatsApp, in minor units of the school's currency"`
	// WhatsAppDailyLimit counts messages: a template has no segments.
	WhatsAppDailyLimit int          `json:"whatsAppDailyLimit" gorm:"column:whatsapp_daily_limit" validate:"min=0,max=1000000" doc:"Messages by WhatsApp a day; more is refused"`
	DigestAt           roster.Clock `json:"digestAt" doc:"When what can wait is sent, as one message to each person; which kinds can is a rule of each. Empty: there are no digests, everything is sent at once"`
}
