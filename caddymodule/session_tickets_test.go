package caddymodule

import (
	"testing"
	"time"
)

func TestTicketKeysAreTheSameInAllProcesses(t *testing.T) {
	secret := []byte("of the master")
	noon := time.Date(2030, 1, 2, 12, 0, 1, 0, time.UTC)
	a := ticketKeys(secret, noon, 12*time.Hour, 4)
	b := ticketKeys(secret, noon.Add(11*time.Hour), 12*time.Hour, 4)
	for i := range a {
		if a[i] != b[i] {
			t.Errorf("key %d differs within an interval", i)
		}
	}
	next := ticketKeys(secret, noon.Add(12*time.Hour), 12*time.Hour, 4)
	if next[0] == a[0] || next[1] != a[0] || next[3] != a[2] {
		t.Error("the next interval does not add one key and keep the others")
	}
	if ticketKeys([]byte("of another"), noon, 12*time.Hour, 1)[0] == a[0] {
		t.Error("the key does not depend on the secret")
	}
}

func TestTheUsersSourceOfTicketKeysStays(t *testing.T) {
	apps := object{"tls": object{"session_tickets": object{"key_source": object{"provider": "distributed"}}}}
	shareTickets(apps)
	source := apps["tls"].(object)["session_tickets"].(object)["key_source"].(object)
	if source["provider"] != "distributed" {
		t.Errorf("got %v", source)
	}
	apps = object{}
	shareTickets(apps)
	source = apps["tls"].(object)["session_tickets"].(object)["key_source"].(object)
	if source["provider"] != "hathi" {
		t.Errorf("got %v", source)
	}
}
