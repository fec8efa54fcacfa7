package caddymodule

import (
	"fmt"

	"github.com/caddyserver/caddy/v2"
)

// servingAddress rewrites a listen address of the user's configuration to the
// same address on a network of serving processes.
func servingAddress(addr string) (string, error) {
	expanded, err := caddy.NewReplacer().ReplaceOrErr(addr, true, true)
	if err != nil {
		return "", fmt.Errorf("listen address %q: %w", addr, err)
	}
	if _, err := caddy.ParseNetworkAddress(expanded); err != nil {
		return "", fmt.Errorf("listen address %q: %w", addr, err)
	}
	network, host, port, err := caddy.SplitNetworkAddress(expanded)
	if err != nil {
		return "", fmt.Errorf("listen address %q: %w", addr, err)
	}
	if network == "" {
		network = "tcp"
	}
	serving, ok := servingNetwork(network)
	if !ok {
		return "", fmt.Errorf("listen address %q: sockets of the network %q cannot be shared between processes", addr, network)
	}
	return caddy.JoinNetworkAddress(serving, host, port), nil
}
