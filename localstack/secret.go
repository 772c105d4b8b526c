//go:build unix

package localstack

import (
	"crypto/rand"
	"os"
	"strings"
)

// secret is the server's password, made once. Other users of the machine reach the port too, and a superuser of
// Postgres can run programs.
func (d *daemon) secret() (string, error) {
	path := d.path("password")
	if text, err := os.ReadFile(path); err == nil {
		return strings.TrimSpace(string(text)), nil
	} else if !os.IsNotExist(err) {
		return "", err
	}
	password := rand.Text()
	return password, d.account.write(path, password+"\n")
}
