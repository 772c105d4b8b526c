package service

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/auth"
	"homeroom/config"
	"homeroom/delivery"
	"homeroom/events"
	"homeroom/modules/announcement"
	"homeroom/modules/dispatch"
	"homeroom/modules/file"
	"homeroom/modules/leave"
	"homeroom/modules/message"
	"homeroom/modules/notification"
	"homeroom/modules/roster"
	"homeroom/modules/setting"
	"homeroom/tenancy"
)

// openDelivery makes what reaches people outside: the providers, and who sends.
func (s *Service) openDelivery(ctx context.Context, o Options) error {
	s.Devices = delivery.Devices{Platform: s.Cluster.PlatformPool(), Clock: s.now}
	drivers := o.Drivers
	if drivers == nil {
		var err error
		if drivers, err = s.drivers(ctx, o.Push); err != nil {
			return err
		}
	}
	s.Sender = delivery.New(delivery.Parts{
		Schools: openSchools{s}, Platform: s.Cluster.PlatformPool(), Drivers: drivers, Secret: []byte(s.Config.Secret),
		SMSLimit: s.Config.SMSDailyLimit, Clock: s.now, Log: s.Log,
	})
	return nil
}

// drivers are the configured providers. The local profile sends nothing to anybody.
func (s *Service) drivers(ctx context.Context, push Push) (map[delivery.Channel]delivery.Driver, error) {
	if s.Config.Profile == config.Local {
		pile := devDriver{devOutbox{redis: s.Redis, now: s.now}}
		return map[delivery.Channel]delivery.Driver{delivery.Push: pile, delivery.SMS: pile, delivery.Email: pile}, nil
	}
	drivers := map[delivery.Channel]delivery.Driver{}
	if text := s.Config.SMSURL; text != "" {
		driver, err := smsDriver(text)
		if err != nil {
			return nil, fmt.Errorf("HOMEROOM_SMS_URL: %w", err)
		}
		drivers[delivery.SMS] = driver
	}
	if text := s.Config.SMTPURL; text != "" {
		address, err := url.Parse(text)
		if err != nil {
			return nil, errors.New("HOMEROOM_SMTP_URL is no address")
		}
		driver, err := delivery.NewSMTP(address, s.Config.EmailFrom)
		if err != nil {
			return nil, fmt.Errorf("HOMEROOM_SMTP_URL: %w", err)
		}
		drivers[delivery.Email] = driver
	}
	if path := s.Config.FCMCredentials; path != "" {
		driver, err := s.pushDriver(ctx, push, path)
		if err != nil {
			return nil, fmt.Errorf("HOMEROOM_FCM_CREDENTIALS: %w", err)
		}
		drivers[delivery.Push] = driver
	}
	return drivers, nil
}

func smsDriver(text string) (delivery.Driver, error) {
	address, err := url.Parse(text)
	if err != nil {
		return nil, errors.New("is no address") // the parser's words would repeat the secret
	}
	if address.Scheme == "twilio" {
		return delivery.NewTwilio(address)
	}
	return delivery.NewWebhook(address)
}

func (s *Service) pushDriver(ctx context.Context, push Push, path string) (delivery.Driver, error) {
	if push == nil {
		return nil, errors.New("this program was built without Firebase")
	}
	key, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return push(ctx, key, s.Devices)
}

// openSchools is how the sender reaches the schools' queues.
type openSchools struct{ s *Service }

func (o openSchools) Open(ctx context.Context, id uuid.UUID) (*tenancy.School, *gorm.DB, error) {
	school, err := o.s.Registry.School(ctx, id)
	if errors.Is(err, tenancy.ErrSchoolNotFound) {
		return nil, nil, nil
	}
	if err != nil || school.Status != tenancy.Active || school.SchemaVersion < o.s.Cluster.SchoolVersion() {
		return nil, nil, err
	}
	db, err := o.s.Cluster.School(ctx, school, tenancy.ReadWrite)
	return school, db, err
}

// openTelling makes everything that tells people things: its rows are s.told.
func (s *Service) openTelling() {
	notifications := &notification.Module{Devices: s.Devices, Queue: s.Sender, Schools: readySchools{s}, Clock: s.now, AnnouncementAddressesUser: announcement.AddressesUser}
	s.store = s.files()
	files := &file.Module{
		Store:   s.store,
		Readers: map[string]file.MayRead{announcement.FileKind: announcement.MayRead, message.FileKind: message.MayRead, leave.FileKind: leave.MayRead},
		Private: []string{message.FileKind},
		Named:   []file.MayReadNamed{setting.MayReadLogo, roster.MayReadPhoto},
	}
	s.kept = files
	announcements := &announcement.Module{Teller: notifications, Files: files, Schools: readySchools{s}, Clock: s.now}
	s.notifications = notifications
	notifications.Listen(s.Bus)
	files.Listen(s.Bus)
	announcements.Listen(s.Bus)
	dispatches := &dispatch.Module{Queue: s.Sender, Ready: letters{s.Sender}.Ready, Segments: delivery.Segments, Schools: readySchools{s}, Clock: s.now}
	dispatches.Listen(s.Bus)
	for _, kind := range []string{roster.SightChanged, auth.UsersChanged, auth.UserChanged} {
		s.onSightChange(kind, "topics", notifications.FollowSight)
		s.onSightChange(kind, "dispatches", dispatches.FollowSight)
	}
	s.told = api.Rows(notifications.Routes(), files.Routes(), announcements.Routes(), (&message.Module{Files: files}).Routes(), dispatches.Routes())
}

// onSightChange calls follow with the users that a fact names as userId or userIds: they may
// see other things than before.
func (s *Service) onSightChange(kind, name string, follow func(ctx context.Context, school uuid.UUID, users []uuid.UUID) error) {
	s.Bus.On(kind, name, func(ctx context.Context, h events.Heard) error {
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

// topicsRound compares what devices may be subscribed to with who sees whom.
type topicsRound struct{}

func (topicsRound) kind() string         { return "compare-topics" }
func (topicsRound) every() time.Duration { return 24 * time.Hour }

func (topicsRound) turn(s *Service, school *tenancy.School) bool { return s.current(school) }

func (topicsRound) work(ctx context.Context, s *Service, school uuid.UUID) error {
	return s.CompareTopics(ctx, school)
}

// CompareTopics writes down what the devices of a school's users may be subscribed to; a
// subscription that is too many is removed.
func (s *Service) CompareTopics(ctx context.Context, school uuid.UUID) error {
	_, db, err := s.openToWrite(ctx, school)
	if err != nil {
		return err
	}
	return s.notifications.CompareTopics(ctx, db, school)
}
