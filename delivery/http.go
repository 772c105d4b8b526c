package delivery

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"
)

// maxAnswer is how many bytes of a provider's answer are read.
const maxAnswer = 64 << 10

// NewHTTPClient is the client for providers: it has time limits, and follows no redirects,
// which would send our secrets elsewhere.
func NewHTTPClient() *http.Client {
	return &http.Client{
		Timeout:       sendTime,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DialContext:           (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
			TLSHandshakeTimeout:   5 * time.Second,
			ResponseHeaderTimeout: sendTime,
			MaxIdleConnsPerHost:   32,
			IdleConnTimeout:       time.Minute,
			ForceAttemptHTTP2:     true,
			Proxy:                 http.ProxyFromEnvironment,
		},
	}
}

// post calls a provider and returns its answer. Errors about the message itself (400, 422 …)
// are left to the caller.
func post(client *http.Client, r *http.Request) (status int, body []byte, err error) {
	resp, err := client.Do(r)
	if err != nil {
		return 0, nil, Unavailable(0, "the provider did not answer: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err = io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return 0, nil, Unavailable(0, "the provider's answer broke off: %w", err)
	}
	return resp.StatusCode, body, ProviderFault(resp.StatusCode, resp.Header)
}

// ProviderFault is an answer's error about the provider or our credentials, or nil if the answer
// is about the message: a wrong password must not lose messages.
func ProviderFault(status int, header http.Header) error {
	switch {
	case status == 429 || status >= 500 || status == 408:
		return Unavailable(retryAfter(header), "the provider answered %d", status)
	case status >= 300 && status < 400:
		return Unavailable(0, "the provider redirects (%d), and is not followed", status)
	case status == 401 || status == 403 || status == 404 || status == 405 || status == 407:
		return Unavailable(time.Minute, "the provider answered %d: its address or our credentials are wrong", status)
	case status < 200:
		return Unavailable(0, "the provider answered %d", status)
	}
	return nil
}

// retryAfter reads seconds or a date; more than an hour counts as one.
func retryAfter(header http.Header) time.Duration {
	text := header.Get("Retry-After")
	d := time.Duration(0)
	if seconds, err := strconv.Atoi(text); err == nil {
		d = time.Duration(seconds) * time.Second
	} else if at, err := http.ParseTime(text); err == nil {
		d = time.Until(at)
	}
	return max(0, min(d, time.Hour))
}

// excerpt is the beginning of an answer, for an error's text.
func excerpt(body []byte) string {
	return fmt.Sprintf("%.200q", body)
}
