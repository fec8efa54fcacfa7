// Package sapi embeds the PHP interpreter. It knows nothing of Caddy or net/http.
package sapi

// Role is what the C constructor made of this process before Go started.
type Role int

const (
	RoleMain    Role = iota // started by a user: the master or any command
	RoleServing             // forked from a template: runs PHP
)

// CurrentRole returns this process's role.
func CurrentRole() Role { return RoleMain }

// PHPVersion returns the version of the libphp that is loaded, such as "8.2.36".
func PHPVersion() string { return "" }
