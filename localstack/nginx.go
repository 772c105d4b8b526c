//go:build unix

package localstack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

const nginxLock = "nginx.lock"

// NginxOptions describe a web server in front of something.
type NginxOptions struct {
	Dir string
	// Ports is how many free ports the site wants to listen on.
	Ports int
	// Site writes the configuration within `http { … }`. Folder is where Files will be.
	Site func(folder string, ports []int) string
	// Files are further ones, by name: certificates and the like.
	Files map[string]string
}

// Nginx is a running web server.
type Nginx struct {
	daemon
	// Ports are those the site listens on.
	Ports []int
	lock  *lock
}

// StartNginx runs the real program, for tests. It ends with the process that started it.
func StartNginx(ctx context.Context, o NginxOptions) (*Nginx, error) {
	var err error
	if o.Dir, err = filepath.Abs(o.Dir); err != nil {
		return nil, err
	}
	a, err := serverAccount(o.Dir)
	if err != nil {
		return nil, err
	}
	program := lookIn("nginx", sbinFolders)
	if program == "" {
		return nil, &MissingError{[]string{"nginx"}, []string{"nginx on PATH and in " + strings.Join(sbinFolders, ", ") + ": nothing"}}
	}
	dir, err := a.folder(o.Dir)
	if err != nil {
		return nil, err
	}
	n := &Nginx{}
	folder := filepath.Join(dir, "nginx")
	n.daemon = daemon{
		title: "nginx", folder: folder, account: a, say: func(string, ...any) {}, program: program, answers: n.ping,
		args: func(int) []string {
			return []string{"-e", "stderr", "-p", filepath.Join(folder, "data"), "-c", filepath.Join(folder, "nginx.conf")}
		},
		pidFile: filepath.Join(folder, "data", "nginx.pid"),
		ending:  []syscall.Signal{syscall.SIGTERM},
	}
	return n, n.start(ctx, o)
}

func (n *Nginx) start(ctx context.Context, o NginxOptions) error {
	if err := n.account.own(n.path("data")); err != nil {
		return err
	}
	var err error
	if n.lock, err = openLock(filepath.Join(filepath.Dir(n.folder), nginxLock)); err != nil {
		return err
	}
	if free, err := n.lock.try(syscall.LOCK_EX); err != nil || !free {
		return errors.Join(err, fmt.Errorf("%s: %w", n.folder, ErrInUse))
	}
	if err := startReaper(filepath.Dir(n.folder), nginxLock, 0); err != nil {
		return err
	}
	for name, text := range o.Files {
		if err := n.account.write(n.path(name), text); err != nil {
			return err
		}
	}
	// The ports are in the configuration file, so that they are chosen here and not by launch.
	var ports []int
	for len(ports) < o.Ports+1 {
		port, err := freePort()
		if err != nil {
			return err
		}
		if !slices.Contains(ports, port) {
			ports = append(ports, port)
		}
	}
	n.port, n.Ports = ports[0], ports[1:]
	if err := errors.Join(
		n.account.write(n.path("port"), fmt.Sprintln(n.port)),
		n.account.write(n.path("nginx.conf"), n.configuration(o.Site(n.folder, n.Ports))),
	); err != nil {
		return err
	}
	return n.launch(ctx, true)
}

// configuration puts the site where a distribution's own file would, and beside it a server that says whose nginx it is.
func (n *Nginx) configuration(site string) string {
	return fmt.Sprintf(`daemon off;
worker_processes 2;
pid %[1]s/nginx.pid;
error_log stderr warn;
events { worker_connections 1024; }
http {
    access_log off;
    client_body_temp_path %[1]s/body;
    proxy_temp_path %[1]s/proxy;
    fastcgi_temp_path %[1]s/fastcgi;
    uwsgi_temp_path %[1]s/uwsgi;
    scgi_temp_path %[1]s/scgi;
    server {
        listen 127.0.0.1:%[2]d;
        return 200 '%[3]s';
    }
%[4]s
}
`, n.path("data"), n.port, n.folder, site)
}

// ping asks for the folder, which a stranger on the same port would not have.
func (n *Nginx) ping(ctx context.Context, port int) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address(port), nil)
	if err != nil {
		return err
	}
	r.Close = true
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, 4096))
	if err == nil && string(text) != n.folder {
		err = fmt.Errorf("port %d is another server's", port)
	}
	return err
}

// Said is what the server has complained of so far.
func (n *Nginx) Said() string {
	text, _ := os.ReadFile(n.path("log"))
	return string(text)
}

// Stop ends the server and removes its folder.
func (n *Nginx) Stop() error {
	if n.lock == nil {
		return nil
	}
	defer n.lock.release()
	return errors.Join(n.stop(), os.RemoveAll(n.folder), removeFolder(filepath.Dir(n.folder), nginxLock))
}
