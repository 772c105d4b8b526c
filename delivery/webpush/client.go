package webpush

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"syscall"
	"time"
)

// CheckEndpoint reports an address that no push service has. A browser says where its push service is, so that anybody may
// name any address: what a name leads to is checked by the client, when it connects.
func CheckEndpoint(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.Fragment != "" {
		return errors.New("must be an https address")
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil && !isPublic(ip) {
		return errors.New("must be an address on the internet")
	}
	return nil
}

// NewClient is the client for push services. It connects to addresses on the internet only, and follows no redirects.
// Behind a proxy (HTTPS_PROXY) it is the proxy that decides what can be reached.
func NewClient() *http.Client { return newClient(isPublic) }

// NewLoopbackClient is NewClient for a developer's machine: it connects to addresses of this machine too.
func NewLoopbackClient() *http.Client {
	return newClient(func(ip netip.Addr) bool { return ip.Unmap().IsLoopback() || isPublic(ip) })
}

func newClient(allowed func(netip.Addr) bool) *http.Client {
	plain := &net.Dialer{Timeout: 5 * time.Second}
	guarded := &net.Dialer{Timeout: 5 * time.Second, Control: refuseUnless(allowed)}
	proxy := proxyAddress()
	return &http.Client{
		Timeout:       10 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
				if address == proxy {
					return plain.DialContext(ctx, network, address)
				}
				return guarded.DialContext(ctx, network, address)
			},
			TLSHandshakeTimeout: 5 * time.Second, MaxIdleConnsPerHost: 16, MaxResponseHeaderBytes: 16 << 10, IdleConnTimeout: time.Minute,
			ForceAttemptHTTP2: true,
			Proxy:             http.ProxyFromEnvironment,
		},
	}
}

// proxyAddress is host:port of the proxy for https; empty: there is none.
func proxyAddress() string {
	u, err := http.ProxyFromEnvironment(&http.Request{URL: &url.URL{Scheme: "https", Host: "push.example.org"}})
	if err != nil || u == nil {
		return ""
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080"}[u.Scheme]
	}
	return net.JoinHostPort(u.Hostname(), port)
}

var errPrivate = errors.New("the address is not on the internet")

// refuseUnless sees the address that a name led to, so that no name can lead elsewhere after it was checked.
func refuseUnless(allowed func(netip.Addr) bool) func(network, address string, _ syscall.RawConn) error {
	return func(_, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil || !allowed(to.Addr()) {
			return errPrivate
		}
		return nil
	}
}

// given is where the internet's addresses of version 6 are given out. Outside of it are those of sites, and those of version 4 inside
// of version 6 (::127.0.0.1, 64:ff9b::127.0.0.1), which a gateway leads to.
var given = netip.MustParsePrefix("2000::/3")

// special are ranges that are not the internet's, besides those that netip knows.
var special = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.88.99.0/24"), netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("240.0.0.0/4"),
	// Addresses of version 4 inside of version 6 here, too: of Teredo and 6to4.
	netip.MustParsePrefix("2001::/32"), netip.MustParsePrefix("2002::/16"),
}

func isPublic(ip netip.Addr) bool {
	ip = ip.Unmap()
	if !ip.IsGlobalUnicast() || ip.IsPrivate() || ip.Is6() && !given.Contains(ip) {
		return false
	}
	for _, p := range special {
		if p.Contains(ip) {
			return false
		}
	}
	return true
}
