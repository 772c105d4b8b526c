package fleet

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"homeroom/localstack"
)

// front is nginx, with the configuration that is shipped.
type front struct {
	url, secure, redirects string
	logs                   string // the folder of its logs
	trusted                *x509.CertPool
}

// shipped is the operator's file, from the top of the repository.
const shipped = "docs/operations/nginx.conf"

// FrontOf is nginx before one instance that is somewhere already: its address, and the
// folder of its logs.
func FrontOf(t testing.TB, instance string) (address, logs string) {
	t.Helper()
	f := openFront(t, []*Instance{{URL: instance}})
	return f.url, f.logs
}

// SecureFrontOf is FrontOf by TLS, and a browser that trusts its certificate.
func SecureFrontOf(t testing.TB, instance string) (address string, browser *http.Client) {
	t.Helper()
	f := openFront(t, []*Instance{{URL: instance}})
	return f.secure, f.browser(t)
}

func openFront(t testing.TB, instances []*Instance) *front {
	t.Helper()
	top, err := source()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(top, shipped))
	if err != nil {
		t.Fatal(err)
	}
	certificate, key, err := selfSigned()
	if err != nil {
		t.Fatalf("making a certificate: %v", err)
	}
	f := &front{trusted: x509.NewCertPool()}
	site := func(folder string, ports []int) string {
		f.logs = folder + "/data"
		site, err := inTests(string(text), folder, ports, instances)
		if err != nil {
			t.Fatalf("%s: %v", shipped, err)
		}
		return site
	}
	n, err := localstack.StartNginx(context.Background(), localstack.NginxOptions{
		Dir: t.TempDir(), Ports: 3, Site: site, Files: map[string]string{"fullchain.pem": certificate, "privkey.pem": key},
	})
	if err != nil {
		t.Fatalf("starting nginx: %v", err)
	}
	t.Cleanup(func() {
		if said := n.Said(); t.Failed() {
			t.Logf("nginx said, at the end:\n%s", said[max(0, len(said)-2000):])
		}
		_ = n.Stop()
	})
	f.trusted.AppendCertsFromPEM([]byte(certificate))
	f.redirects = fmt.Sprintf("http://127.0.0.1:%d", n.Ports[0])
	f.secure = fmt.Sprintf("https://127.0.0.1:%d", n.Ports[1])
	f.url = fmt.Sprintf("http://127.0.0.1:%d", n.Ports[2])
	return f
}

var upstreams = regexp.MustCompile(`( *server )[\d.]+:3001( [^;]*;\n)(?: *server [\d.]+:3001 [^;]*;\n)*`)

// inTests gives the shipped configuration other addresses, ports and files, and besides TLS
// a plain port for clients that cannot speak it; nothing else is changed.
func inTests(text, folder string, ports []int, instances []*Instance) (string, error) {
	if found := len(upstreams.FindAllString(text, -1)); found != 2 {
		return "", fmt.Errorf("%d groups of instances, not 2", found)
	}
	text = strings.ReplaceAll(text, "/var/log/nginx/", folder+"/data/")
	text = upstreams.ReplaceAllStringFunc(text, func(group string) string {
		parts := upstreams.FindStringSubmatch(group)
		var lines strings.Builder
		for _, i := range instances {
			lines.WriteString(parts[1] + strings.TrimPrefix(i.URL, "http://") + parts[2])
		}
		return lines.String()
	})
	for _, change := range [][2]string{
		{"listen 80;", fmt.Sprintf("listen 127.0.0.1:%d;", ports[0])},
		{"listen 443 ssl http2;", fmt.Sprintf("listen 127.0.0.1:%d ssl http2;\n    listen 127.0.0.1:%d;", ports[1], ports[2])},
		{"/etc/ssl/homeroom/fullchain.pem", folder + "/fullchain.pem"},
		{"/etc/ssl/homeroom/privkey.pem", folder + "/privkey.pem"},
	} {
		if strings.Count(text, change[0]) != 1 {
			return "", fmt.Errorf("%q stands there %d times, not once", change[0], strings.Count(text, change[0]))
		}
		text = strings.Replace(text, change[0], change[1], 1)
	}
	return text, nil
}

func selfSigned() (certificate, key string, err error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", "", err
	}
	now := time.Now()
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "school.example.org"}, IsCA: true,
		BasicConstraintsValid: true,
		NotBefore:             now.Add(-time.Hour), NotAfter: now.Add(24 * time.Hour), DNSNames: []string{"school.example.org"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		return "", "", err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return "", "", err
	}
	block := func(kind string, b []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: b}))
	}
	return block("CERTIFICATE", der), block("PRIVATE KEY", secret), nil
}

// SecureURL is nginx's address with TLS; Browser trusts its certificate.
func (f *Fleet) SecureURL() string { return f.front.secure }

// RedirectURL is where nginx sends people on to https.
func (f *Fleet) RedirectURL() string { return f.front.redirects }

// Browser is a client that trusts the fleet's certificate, speaks HTTP/2 where it is offered and follows no redirects.
func (f *Fleet) Browser(t testing.TB) *http.Client {
	t.Helper()
	return f.front.browser(t)
}

func (f *front) browser(t testing.TB) *http.Client {
	t.Helper()
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: f.trusted}, ForceAttemptHTTP2: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}
