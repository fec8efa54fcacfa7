// Package caddymodule makes Hathi a Caddy: the app and its Caddyfile syntax, the
// PHP handler, the master that runs the user's configuration in serving
// processes, and the networks that hand those processes their sockets.
//
// The same modules load in two kinds of processes. In a serving process the
// handler runs PHP. In every other one (the master, `hathi validate`,
// `hathi adapt`) they only check the configuration.
package caddymodule
