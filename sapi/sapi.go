// Package sapi embeds the PHP interpreter: a coroutine in C that Go resumes with
// a request and that yields with a reason. It knows nothing of Caddy or net/http.
//
// A process that runs PHP was forked from a template, which is C without Go: see
// main.c for how a process becomes what it is, hathi.h for the engine's contract.
package sapi

/*
#cgo CFLAGS: -std=gnu11 -O2 -g -D_GNU_SOURCE -fno-strict-aliasing -Wall -Wno-unused-parameter
#cgo LDFLAGS: -ldl -lpthread
#cgo noescape hathi_resume
#cgo nocallback hathi_resume
#cgo noescape hathi_timeout_check
#cgo nocallback hathi_timeout_check
#include <stdlib.h>
#include "hathi.h"
#include "template.h"

extern const char *hathi_loaded_php_version(void);
*/
import "C"

// Role is what the C constructor made of this process before Go started.
type Role int

const (
	RoleMain    Role = iota // started by a user: the master or any command
	RoleServing             // forked from a template: runs PHP
)

// CurrentRole returns this process's role.
func CurrentRole() Role {
	if C.hathi_child_control >= 0 {
		return RoleServing
	}
	return RoleMain
}

// ChildControl returns the descriptor of a serving process's control socket, and its slot.
func ChildControl() (fd, slot int) {
	return int(C.hathi_child_control), int(C.hathi_child_slot)
}

// PHPVersion returns the version of the libphp that is loaded, such as "8.2.36".
func PHPVersion() string { return C.GoString(C.hathi_loaded_php_version()) }
