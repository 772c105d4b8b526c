package service

import (
	"context"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/auth"
	"homeroom/auth/directory"
	"homeroom/auth/tokens"
	"homeroom/delivery"
	"homeroom/events"
	"homeroom/modules/announcement"
	"homeroom/modules/attendance"
	"homeroom/modules/audit"
	"homeroom/modules/dashboard"
	"homeroom/modules/dispatch"
	"homeroom/modules/event"
	"homeroom/modules/exam"
	"homeroom/modules/fee"
	"homeroom/modules/fee/charging"
	"homeroom/modules/fee/ledger"
	"homeroom/modules/file"
	"homeroom/modules/importing"
	"homeroom/modules/integration"
	"homeroom/modules/leave"
	"homeroom/modules/library"
	"homeroom/modules/message"
	"homeroom/modules/node"
	"homeroom/modules/notification"
	"homeroom/modules/oneroster"
	"homeroom/modules/platform"
	"homeroom/modules/privacy"
	"homeroom/modules/roster"
	"homeroom/modules/school"
	"homeroom/modules/setting"
	"homeroom/modules/signin"
	"homeroom/modules/timetable"
	"homeroom/modules/transport"
	"homeroom/modules/year"
)

// modules are all the parts of the product, and more: a module is added here and nowhere
// else. Where one needs another, they meet here. Personal rows are deleted in the opposite
// order: what refers to others goes before them.
func (s *Service) modules(more ...api.Module) []api.Module {
	files := &file.Module{
		Store: s.store,
		Readers: map[string]file.MayRead{announcement.FileKind: announcement.MayRead, message.FileKind: message.MayRead,
			leave.FileKind: leave.MayRead},
		Private: []string{message.FileKind},
		Named:   []file.MayReadNamed{setting.MayReadLogo, roster.MayReadPhoto, transport.MayReadPhoto},
	}
	letterhead := setting.Letterheads{Files: files}.Letterhead
	register := &attendance.Module{Letterhead: letterhead, Schools: s.schools}
	exams := &exam.Module{Attendance: register, Letterhead: letterhead, Photo: files.Thumbnail, Due: ledger.Due}
	leaves := &leave.Module{Attendance: register, Files: files}
	notifications := &notification.Module{Devices: s.Devices, Browsers: s.browsers(), Queue: s.Sender, Schools: s.schools, Clock: s.now,
		AnnouncementAddressesUser: announcement.AddressesUser, Ready: letters{s.Sender}.Ready}
	dispatches := &dispatch.Module{Queue: s.Sender, Ready: letters{s.Sender}.Ready, Segments: delivery.Segments, Schools: s.schools,
		Clock: s.now}
	buses := &transport.Module{Absences: leaves, Register: register, DaysOff: register.DaysOff, Schools: s.schools, Tracker: s.Tracker,
		Publish: newsPublisher{s.Hub, s.Hints}.publish}
	lessons := &timetable.Module{Schools: s.schools, Closed: register.DaysOff, OnLeave: leaves.EmployeesOnLeave, Letterhead: letterhead,
		PublicURL: s.Config.Public}
	years := &year.Module{AddTerms: exam.AddFirstTerms, DropTerms: exam.DropFirstTerms}
	fees := &fee.Module{Letterhead: letterhead, Transport: transport.Rides{}}
	s.Sender.Papers = s.papers(fees, exams)
	modules := []api.Module{
		sightModule(s.Hints, notifications, dispatches),
		s.Auth.Describe(),
		invitationModule(s.Registry, s.Auth),
		devModule(s.Config.Profile, s.Redis),
		(&school.Module{Cluster: s.Cluster, Provisioner: s.Provisioner, Mover: s.Mover, Admins: s.Auth, Adopt: s.adoptProfile,
			Archives: s.exports}).Describe(),
		(&platform.Module{People: s.Auth, Fleet: s.Jobs, Schools: s.schools, Version: s.Cluster.SchoolVersion()}).Describe(),
		(&node.Module{Cluster: s.Cluster, Mover: s.Mover}).Describe(),
		api.Own(),
		(&roster.Module{People: s.Auth, Letterhead: letterhead, Photo: files.Thumbnail, Owed: ledger.Owed, Loans: library.OpenLoans,
			AddRide: buses.AddRide, AddFeeHead: charging.Subscribe, GroupLessons: timetable.RefuseGroupClashes}).Describe(),
		(&importing.Module{People: s.Auth, Photos: files, GroupsAtOneTime: timetable.GroupsAtOneTime}).Describe(),
		lessons.Describe(),
		years.Describe(),
		register.Describe(),
		exams.Describe(),
		fees.Describe(),
		(&announcement.Module{Teller: notifications, Files: files, Schools: s.schools, Clock: s.now}).Describe(),
		leaves.Describe(),
		buses.Describe(),
		(&library.Module{Ledger: charging.Charges{}}).Describe(),
		event.Describe(),
		(&message.Module{Files: files}).Describe(),
		notifications.Describe(),
		dispatches.Describe(),
		deliveryModule(s.Sender, s.Hooks, s.now, s.Config.KeepMessages, s.Config.KeepNotifications),
		files.Describe(),
		(&setting.Module{Grades: exams, Files: files, Record: s.Cluster.Describe}).Describe(),
		s.RBAC.Describe(),
		(&oneroster.Module{Tokens: s.Auth, TokenLife: tokens.KeyTokenLife}).Describe(),
		(&signin.Module{Providers: s.Auth, PublicURL: s.Config.Public, Redirect: auth.SSORedirect}).Describe(),
		(&integration.Module{NewKey: auth.NewKey, Hooks: s.Hooks}).Describe(),
		(&dashboard.Module{Buses: Buses{}, Lessons: lessons}).Describe(),
	}
	modules = append(modules, more...)
	years.Parts = api.YearParts(modules)
	modules = append(modules, audit.New(api.NamesSQL(modules)).Describe())
	return append(modules, privacy.New(Personal(modules), s.Cluster, s.Auth.FollowUser).Describe())
}

// Personal is what all tables keep of people, of which export and erasure are made.
func Personal(modules []api.Module) []api.PersonalTable {
	var tables []api.PersonalTable
	for i := len(modules) - 1; i >= 0; i-- {
		tables = append(tables, modules[i].Personal...)
	}
	return tables
}

// deliveryModule sends what is queued, and deletes what was sent more than so many days ago.
func deliveryModule(sender *delivery.Sender, hooks *delivery.Hooks, now func() time.Time, keepMessages, keepNotifications int) api.Module {
	daysAgo := func(n int) time.Time { return now().AddDate(0, 0, -n) }
	return api.Module{
		Name:     "delivery",
		Folder:   "cmd/service",
		Personal: api.NoTables, // modules/dispatch and modules/notification declare what they have it send
		Listen: func(bus *events.Bus) {
			sender.Follow(bus)
			hooks.Follow(bus)
		},
		Scheduled: []api.Scheduled{{
			Name: "clear-told", Every: 24 * time.Hour,
			Platform: func(ctx context.Context) error {
				return sender.ClearPlatform(ctx, daysAgo(keepMessages))
			},
			School: func(ctx context.Context, at api.SchoolWork) error {
				return delivery.Clear(ctx, at.DB, daysAgo(keepMessages), daysAgo(keepNotifications))
			},
		}},
	}
}

// sightModule follows who may see what: messages that wait, topics of devices and rooms of the live channel.
func sightModule(hints *events.Hints, notifications *notification.Module, dispatches *dispatch.Module) api.Module {
	return api.Module{
		Name:     "sight",
		Folder:   "cmd/service",
		Personal: api.NoTables,
		Listen: func(bus *events.Bus) {
			followSights(bus, hints)
			for _, kind := range []string{roster.SightChanged, directory.UsersChanged, directory.UserChanged} {
				onSightChange(bus, kind, "topics", notifications.FollowSight)
				onSightChange(bus, kind, "dispatches", dispatches.FollowSight)
			}
		},
	}
}

// onSightChange calls follow with the users that a fact names as userId or userIds: they may
// see other things than before.
func onSightChange(bus *events.Bus, kind, name string, follow func(ctx context.Context, school uuid.UUID, users []uuid.UUID) error) {
	bus.On(kind, name, func(ctx context.Context, h events.Heard) error {
		var changed struct {
			UserID  uuid.UUID   `json:"userId"`
			UserIDs []uuid.UUID `json:"userIds"`
		}
		if err := h.Read(&changed); err != nil {
			return err
		}
		users := changed.UserIDs
		if changed.UserID != uuid.Nil {
			users = append(users, changed.UserID)
		}
		return follow(ctx, h.SchoolID, users)
	})
}
