package service

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"

	"homeroom/config"
	"homeroom/delivery"
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
		Schools: s.schools, Platform: s.Cluster.PlatformPool(), Drivers: drivers, Secret: []byte(s.Config.Secret),
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
