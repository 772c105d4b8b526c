//go:build unix

package localstack

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"path/filepath"
	"time"
)

// certificates are an authority of our own, and what a server proves with that it is 127.0.0.1.
type certificates struct {
	authority, certificate, key string // files
	client                      *tls.Config
}

// makeCertificates writes them into a folder that the servers' user reads.
func makeCertificates(a account, folder string) (*certificates, error) {
	authorityKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	serverKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	authority := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Homeroom's tests"},
		NotBefore: now.Add(-time.Hour),
		NotAfter:  now.AddDate(0, 0, 7), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	server := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "127.0.0.1"}, NotBefore: now.Add(-time.Hour),
		NotAfter: now.AddDate(0, 0, 7), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}} // servers of a cluster are each other's clients
	authorityBytes, err := x509.CreateCertificate(rand.Reader, authority, authority, &authorityKey.PublicKey, authorityKey)
	if err != nil {
		return nil, err
	}
	serverBytes, err := x509.CreateCertificate(rand.Reader, server, authority, &serverKey.PublicKey, authorityKey)
	if err != nil {
		return nil, err
	}
	keyBytes, err := x509.MarshalPKCS8PrivateKey(serverKey)
	if err != nil {
		return nil, err
	}
	block := func(kind string, bytes []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: bytes}))
	}
	c := &certificates{authority: filepath.Join(folder, "authority.pem"), certificate: filepath.Join(folder, "server.pem"),
		key: filepath.Join(folder, "server.key")}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(block("CERTIFICATE", authorityBytes)))
	c.client = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	return c, errors.Join(
		a.write(c.authority, block("CERTIFICATE", authorityBytes)),
		a.write(c.certificate, block("CERTIFICATE", serverBytes)),
		a.write(c.key, block("PRIVATE KEY", keyBytes)))
}
