package service

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"

	"homeroom/auth/sso"
	"homeroom/config"
	"homeroom/delivery"
	"homeroom/delivery/webpush"
	"homeroom/modules/notification"
)

// openDelivery makes the sender of push messages, SMS and e-mail, with its providers.
func (s *Service) openDelivery(ctx context.Context, o Options) error {
	s.Devices = delivery.Devices{Platform: s.Cluster.PlatformPool(), Clock: s.now}
	drivers := o.Drivers
	if drivers == nil {
		var err error
		if s.Config.Profile == config.Local {
			drivers = heldDrivers(devDriver{devOutbox{redis: s.Redis, now: s.now}})
		} else if drivers, err = providers(ctx, s.Config, o.Push, s.Devices); err != nil {
			return err
		}
	}
	if s.Config.WebPush {
		s.Browsers = &delivery.Browsers{Platform: s.Cluster.PlatformPool(), Secret: []byte(s.Config.Secret),
			Subject: pushSubject(s.Config.Public),
			Client:  o.WebPush, Clock: s.now}
		if o.WebPush == nil {
			s.Browsers.Client = webpush.NewClient()
		}
	}
	s.Sender = delivery.New(delivery.Parts{
		Schools: s.schools, Platform: s.Cluster.PlatformPool(), Drivers: drivers, Browsers: s.Browsers, Secret: []byte(s.Config.Secret),
		SMSLimit: s.Config.SMSDailyLimit, Clock: s.now, Log: s.Log,
	})
	s.Hooks = delivery.NewHooks(delivery.HookParts{Schools: s.schools, Platform: s.Cluster.PlatformPool(), Secret: []byte(s.Config.Secret),
		Client: s.namedAddresses(), Loopback: s.Config.WebhookLoopback, Clock: s.now, Log: s.Log, FirstRetry: o.HookRetry,
		Timeout: o.HookTimeout})
	return nil
}

// namedAddresses is the client for addresses that offices name: those of webhooks and identity providers.
func (s *Service) namedAddresses() *http.Client {
	if s.Config.WebhookLoopback {
		return webpush.NewLoopbackClient()
	}
	return webpush.NewClient()
}

func (s *Service) ssoClient(o Options) *sso.Client {
	client := o.SSO
	if client == nil {
		client = s.namedAddresses()
	}
	return sso.New(client, s.Config.WebhookLoopback, o.Clock)
}

// pushSubject is where the operators of push services can reach ours. They refuse an address that is no https.
func pushSubject(public string) string {
	if strings.HasPrefix(public, "https://") {
		return public
	}
	return "mailto:postmaster@localhost"
}

// heldDrivers send nothing: the local profile shows every message at /dev/outbox.
func heldDrivers(d devDriver) map[delivery.Channel]delivery.Driver {
	return map[delivery.Channel]delivery.Driver{delivery.Push: d, delivery.SMS: d, delivery.Email: d, delivery.WhatsApp: d}
}

// providers are the drivers of the configured providers.
func providers(ctx context.Context, c config.Config, push Push, devices delivery.Devices) (map[delivery.Channel]delivery.Driver, error) {
	drivers := map[delivery.Channel]delivery.Driver{}
	if text := c.SMSURL; text != "" {
		driver, err := smsDriver(text, c.Public)
		if err != nil {
			return nil, fmt.Errorf("HOMEROOM_SMS_URL: %w", err)
		}
		drivers[delivery.SMS] = driver
	}
	if text := c.SMTPURL; text != "" {
		address, err := url.Parse(text)
		if err != nil {
			return nil, errors.New("HOMEROOM_SMTP_URL is no address")
		}
		driver, err := delivery.NewSMTP(address, c.EmailFrom)
		if err != nil {
			return nil, fmt.Errorf("HOMEROOM_SMTP_URL: %w", err)
		}
		drivers[delivery.Email] = driver
	}
	if text := c.WhatsAppURL; text != "" {
		address, err := url.Parse(text)
		if err != nil {
			return nil, errors.New("HOMEROOM_WHATSAPP_URL is no address")
		}
		driver, err := delivery.NewWhatsApp(address, c.WhatsAppTemplates, c.WhatsAppLanguages)
		if err != nil {
			return nil, fmt.Errorf("HOMEROOM_WHATSAPP_URL: %w", err)
		}
		drivers[delivery.WhatsApp] = driver
	}
	if path := c.FCMCredentials; path != "" {
		driver, err := pushDriver(ctx, push, path, devices)
		if err != nil {
			return nil, fmt.Errorf("HOMEROOM_FCM_CREDENTIALS: %w", err)
		}
		drivers[delivery.Push] = driver
	}
	return drivers, nil
}

func smsDriver(text, public string) (delivery.Driver, error) {
	address, err := url.Parse(text)
	if err != nil {
		return nil, errors.New("is no address") // the parser's message would repeat the secret
	}
	if address.Scheme == "twilio" {
		driver, err := delivery.NewTwilio(address)
		if err == nil && strings.HasPrefix(public, "https://") {
			driver.Callback = publicAddress(public, smsReports)
		}
		return driver, err
	}
	return delivery.NewWebhook(address)
}

func pushDriver(ctx context.Context, push Push, path string, devices delivery.Devices) (delivery.Driver, error) {
	if push == nil {
		return nil, errors.New("this program was built without Firebase")
	}
	key, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return push(ctx, key, devices)
}

// browsers is the same without the trap of a nil pointer in an interface.
func (s *Service) browsers() notification.Browsers {
	if s.Browsers == nil {
		return nil
	}
	return s.Browsers
}
