package main

import (
	"reflect"
	"strings"
	"testing"
)

func TestEnvFile(t *testing.T) {
	have, err := parseEnv(strings.NewReader(`
# a comment
A=1
export B=two words # and a comment
C="quoted # not a comment"
D='it''s'
E="two
lines"
F="a \"quote\""
G=
`))
	if err != nil {
		t.Fatal(err)
	}
	want := []envVar{
		{"A", "1"}, {"B", "two words"}, {"C", "quoted # not a comment"}, {"D", "it''s"},
		{"E", "two\nlines"}, {"F", `a "quote"`}, {"G", ""},
	}
	if !reflect.DeepEqual(have, want) {
		t.Errorf("have %q, want %q", have, want)
	}
	for in, want := range map[string]string{
		"A=1\nB":   "line 2 is not NAME=value",
		"=1":       `line 1: "" is not a name`,
		"A B=1":    `line 1: "A B" is not a name`,
		"A= 1":     "line 1: a space before the value",
		"A=\"open": "line 1: the quote is not closed",
	} {
		if _, err := parseEnv(strings.NewReader(in)); err == nil || err.Error() != want {
			t.Errorf("%q: have %v, want %s", in, err, want)
		}
	}
}
