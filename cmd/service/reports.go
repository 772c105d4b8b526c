package service

import (
	"crypto/hmac"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/gin-gonic/gin"

	"homeroom/api"
	"homeroom/delivery"
)

// maxReport is how many bytes a provider's report may have.
const maxReport = 1 << 20

// Where providers report what became of messages. An address is there if its secret is configured.
const (
	smsReports   = "/delivery-report/sms"
	emailReports = "/delivery-report/email"
	metaReports  = "/delivery-report/whatsapp"
)

// mountReports adds the addresses at which providers report what became of messages. They are no rows of the API: body, signature
// and answer are the providers' own.
func (s *Service) mountReports() {
	if address, err := url.Parse(s.Config.SMSURL); err == nil && s.Config.SMSURL != "" {
		secret, _ := address.User.Password()
		s.mountReport(smsReports, delivery.SMS, func(g *gin.Context, body []byte) ([]delivery.Status, error) {
			if address.Scheme != "twilio" {
				return signedStatuses(g, secret, body)
			}
			form, err := url.ParseQuery(string(body))
			if err != nil {
				return nil, err
			}
			called := publicAddress(s.Config.Public, g.Request.URL.RequestURI())
			if err := delivery.CheckTwilio(secret, g.GetHeader("X-Twilio-Signature"), called, form); err != nil {
				return nil, err
			}
			return delivery.ReadTwilio(g.Query("ref"), form), nil
		})
	}
	s.mountWhatsAppReports(s.Config.WhatsAppSecret, s.Config.WhatsAppVerify)
	if secret := s.Config.EmailReportSecret; secret != "" {
		s.mountReport(emailReports, delivery.Email, func(g *gin.Context, body []byte) ([]delivery.Status, error) {
			return signedStatuses(g, secret, body)
		})
	}
}

// mountWhatsAppReports adds the address of Meta's reports. Meta asks for its challenge back when the address is entered there.
func (s *Service) mountWhatsAppReports(secret, verify string) {
	if secret == "" {
		return
	}
	s.Kernel.MountPage(metaReports, func(g *gin.Context) {
		if verify == "" || g.Query("hub.mode") != "subscribe" || !hmac.Equal([]byte(g.Query("hub.verify_token")), []byte(verify)) {
			g.Status(http.StatusForbidden)
			return
		}
		g.String(http.StatusOK, "%s", g.Query("hub.challenge"))
	})
	s.mountReport(metaReports, delivery.WhatsApp, func(g *gin.Context, body []byte) ([]delivery.Status, error) {
		if err := delivery.CheckSignature(secret, g.GetHeader("X-Hub-Signature-256"), body); err != nil {
			return nil, err
		}
		return delivery.ReadWhatsApp(body)
	})
}

// publicAddress is an address of ours as others call it.
func publicAddress(public, path string) string { return strings.TrimSuffix(public, "/") + path }

func signedStatuses(g *gin.Context, secret string, body []byte) ([]delivery.Status, error) {
	if err := delivery.CheckSignature(secret, g.GetHeader("X-Hub-Signature-256"), body); err != nil {
		return nil, err
	}
	return delivery.ReadStatuses(body)
}

// mountReport writes down what the provider of a channel reports. What is not signed is refused, and counted against the limit of
// its address; what cannot be written down is to be sent again.
func (s *Service) mountReport(path string, c delivery.Channel, read func(*gin.Context, []byte) ([]delivery.Status, error)) {
	s.Kernel.MountCall(path, func(g *gin.Context) {
		ctx := g.Request.Context()
		body, err := io.ReadAll(http.MaxBytesReader(g.Writer, g.Request.Body, maxReport))
		if err != nil {
			g.Status(http.StatusRequestEntityTooLarge)
			return
		}
		statuses, err := read(g, body)
		switch {
		case errors.Is(err, delivery.ErrBadSignature):
			g.Status(http.StatusForbidden)
			if s.limits.Take(ctx, api.LimitAuth, "report "+g.ClientIP()) != nil {
				g.Status(http.StatusTooManyRequests)
			}
			return
		case err != nil:
			g.Status(http.StatusBadRequest)
			return
		}
		if err := s.Sender.Record(ctx, c, statuses); err != nil {
			s.Log.Warn("a provider's report could not be recorded", "channel", c, "error", err)
			g.Status(http.StatusServiceUnavailable)
			return
		}
		g.Status(http.StatusOK)
	})
}
