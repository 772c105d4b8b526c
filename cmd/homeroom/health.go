package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"homeroom/config"
)

// healthTime is longer than an instance takes to find out that a server is away.
const healthTime = 5 * time.Second

func healthCommand() *cobra.Command {
	alive := false
	cmd := &cobra.Command{
		Use:   "health",
		Short: "Ask the instance on this machine whether it is ready",
		Long: `Ask the operations listener of a running instance (HOMEROOM_OPS_ADDR) whether it is
ready, and print what it says. The exit code is 0 if it is, else 1: what a container's
health check or a script wants to know, without another program in the image.

With --alive it is asked only whether it is there at all.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			address := environ()["HOMEROOM_OPS_ADDR"]
			if address == "" {
				address = config.OpsAddr
			}
			path := "/readyz"
			if alive {
				path = "/healthz"
			}
			return askHealth(address, path, cmd.OutOrStdout())
		},
	}
	cmd.Flags().BoolVar(&alive, "alive", false, "ask only whether it is there")
	return cmd
}

func askHealth(address, path string, out io.Writer) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("HOMEROOM_OPS_ADDR %q is no address: %w", address, err)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost" // it listens on every address
	}
	client := &http.Client{Timeout: healthTime}
	resp, err := client.Get("http://" + net.JoinHostPort(host, port) + path)
	if err != nil {
		return fmt.Errorf("no instance answers: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	var said map[string]string
	if err := json.NewDecoder(io.LimitReader(resp.Body, 64<<10)).Decode(&said); err != nil {
		return fmt.Errorf("it answers %s, and nothing that can be read", resp.Status)
	}
	for _, what := range []string{"status", "service", "postgres", "connections", "logins", "nodeLogins", "migrations", "redis"} {
		if said[what] != "" {
			fmt.Fprintf(out, "%s: %s\n", what, said[what])
		}
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("it is not ready: %s", resp.Status)
	}
	return nil
}
