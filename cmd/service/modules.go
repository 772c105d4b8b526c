package service

import (
	"slices"

	"homeroom/api"
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
	schools := &school.Module{Cluster: s.Cluster, Provisioner: s.Provisioner, Admins: s.Auth}
	desk := &platform.Module{People: s.Auth, Fleet: s.Jobs, Schools: readySchools{s}, Version: s.Cluster.SchoolVersion()}
	people := &roster.Module{People: s.Auth, Open: s.openSchool, PublicURL: s.Config.Public}
	register := &attendance.Module{}
	return api.Rows(
		s.Auth.Routes(),
		s.devRows(),
		schools.Routes(),
		desk.Routes(),
		rbac.Routes(s.RBAC),
		setting.Routes(),
		people.Routes(),
		register.Routes(),
		(&leave.Module{Attendance: register}).Routes(),
		(&exam.Module{Attendance: register}).Routes(),
		event.Routes(),
		fee.Routes(),
		(&library.Module{Ledger: fee.Door{}}).Routes(),
		(&dashboard.Module{}).Routes(),
		audit.Routes(),
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
		transport.Constraints(),
	)
}
