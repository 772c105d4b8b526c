package service

import (
	"slices"

	"homeroom/api"
	"homeroom/auth"
	"homeroom/modules/announcement"
	"homeroom/modules/attendance"
	"homeroom/modules/audit"
	"homeroom/modules/dashboard"
	"homeroom/modules/dispatch"
	"homeroom/modules/event"
	"homeroom/modules/exam"
	"homeroom/modules/fee"
	"homeroom/modules/file"
	"homeroom/modules/leave"
	"homeroom/modules/library"
	"homeroom/modules/message"
	"homeroom/modules/node"
	"homeroom/modules/notification"
	"homeroom/modules/platform"
	"homeroom/modules/roster"
	"homeroom/modules/school"
	"homeroom/modules/setting"
	"homeroom/modules/transport"
	"homeroom/rbac"
)

// rows are all the endpoints there are. Where one module needs another, they meet here.
func (s *Service) rows() []api.Row {
	schools := &school.Module{Cluster: s.Cluster, Provisioner: s.Provisioner, Mover: s.Mover, Admins: s.Auth, Describe: s.describe, Archives: archives{s}}
	desk := &platform.Module{People: s.Auth, Fleet: s.Jobs, Schools: readySchools{s}, Version: s.Cluster.SchoolVersion()}
	letterheads := roster.Letterheads{Files: s.kept}
	register := &attendance.Module{}
	people := &roster.Module{People: s.Auth, Open: s.openSchool, Closed: register.DaysOff, PublicURL: s.Config.Public, Letterheads: letterheads}
	exams := &exam.Module{Attendance: register, Letterheads: letterheads}
	return api.Rows(
		s.Auth.Routes(),
		s.devRows(),
		schools.Routes(),
		desk.Routes(),
		(&node.Module{Cluster: s.Cluster, Mover: s.Mover}).Routes(),
		rbac.Routes(s.RBAC),
		(&setting.Module{Grades: exams, Files: s.kept}).Routes(),
		people.Routes(),
		register.Routes(),
		(&leave.Module{Attendance: register, Files: s.kept}).Routes(),
		exams.Routes(),
		event.Routes(),
		(&fee.Module{Letterheads: letterheads}).Routes(),
		(&library.Module{Ledger: fee.Door{}}).Routes(),
		(&dashboard.Module{Buses: Buses{}}).Routes(),
		audit.Routes(),
		s.privacy.Routes(),
		s.told,
	)
}

// constraints are the database's refusals in people's words.
func constraints() []api.Constraint {
	return slices.Concat(
		school.Constraints(),
		rbac.Constraints(),
		roster.Constraints(),
		attendance.Constraints(),
		leave.Constraints(),
		exam.Constraints(),
		event.Constraints(),
		fee.Constraints(),
		library.Constraints(),
		notification.Constraints(),
		announcement.Constraints(),
		file.Constraints(),
		dispatch.Constraints(),
		setting.Constraints(),
		transport.Constraints(),
	)
}

// Personal is what all tables keep of people, of which export and erasure are made. Rows
// are deleted in this order: what refers to others comes before them.
func Personal() []api.PersonalTable {
	return slices.Concat(
		notification.Personal(),
		api.Personal(),
		auth.Personal(),
		rbac.Personal(),
		roster.Personal(),
		attendance.Personal(),
		leave.Personal(),
		exam.Personal(),
		event.Personal(),
		fee.Personal(),
		library.Personal(),
		announcement.Personal(),
		message.Personal(),
		dispatch.Personal(),
		transport.Personal(),
		setting.Personal(),
		file.Personal(),
		audit.Personal(),
		school.Personal(),
		node.Personal(),
		platform.Personal(),
	)
}
