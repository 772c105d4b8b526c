package service_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/testkit"
)

// sending is the settings of an instance that sends to a provider.
func sending(sms string) testkit.Change {
	return func(c *config.Config, o *service.Options) {
		c.Profile, c.SMSURL, c.Files = config.Production, sms, ""
		o.Namespace += uuid.NewString()[:8]
	}
}

func TestInProductionACodeLeavesByTheConfiguredProvider(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var bodies []string
	tries := 0
	twilio := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		if tries++; tries == 1 {
			w.WriteHeader(http.StatusInternalServerError) // it recovers
			return
		}
		bodies = append(bodies, string(body))
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, `{"sid":"SM1"}`)
	}))
	t.Cleanup(twilio.Close)
	address := "twilio://AC1:secret@" + strings.TrimPrefix(twilio.URL, "http://") + "?insecure=true&from=%2B15550100"
	app := testkit.StartOn(t, testkit.Stack(t), testkit.DatabaseName()+"_letters", sending(address))
	driver := app.NewSchool(t).Add(t, testkit.Person{Role: api.Driver})
	if a := app.Nobody().Call(t, "POST", "/driver/user-auth/send-otp", map[string]any{"phone": driver.Phone}); a.Status != 200 {
		t.Fatalf("send-otp: %d %s", a.Status, a.Body)
	}
	var code string
	testkit.Eventually(t, "the code is sent", func() bool {
		mu.Lock()
		defer mu.Unlock()
		if len(bodies) == 0 {
			return false
		}
		form, err := url.ParseQuery(bodies[0])
		if err != nil || form.Get("To") != driver.Phone {
			t.Errorf("the provider was asked %s", bodies[0])
		}
		code = regexp.MustCompile(`\d{6}`).FindString(form.Get("Body"))
		return true
	})
	if a := app.Nobody().Call(t, "POST", "/driver/user-auth/verify-otp", map[string]any{"phone": driver.Phone, "otp": code}); a.Status != 200 {
		t.Errorf("verify-otp: %d %s", a.Status, a.Body)
	}
	testkit.Eventually(t, "nothing of it is kept", func() bool {
		var n int
		err := app.Service.Cluster.PlatformPool().QueryRow(t.Context(), `select count(*) from platform.message where recipient = $1`,
			driver.Phone).Scan(&n)
		return err == nil && n == 0
	})
	// Nobody has configured e-mail, or a place for files: both are said, to everybody alike.
	for _, email := range []string{"nobody@school.test", "somebody@school.test"} {
		app.Nobody().Refuses(t, "POST", "/auth/password/forgot", map[string]any{"email": email}, 503, "")
	}
}

func TestWithoutAProviderACodeIs503WhoeverAsks(t *testing.T) {
	t.Parallel()
	app := testkit.StartOn(t, testkit.Stack(t), testkit.DatabaseName()+"_letters", sending(""))
	known := app.NewSchool(t).Add(t, testkit.Person{Role: api.Driver})
	for _, phone := range []string{known.Phone, testkit.NewPhone()} {
		app.Nobody().Refuses(t, "POST", "/driver/user-auth/send-otp", map[string]any{"phone": phone}, 503, "")
	}
}
