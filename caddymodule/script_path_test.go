package caddymodule

import (
	"net/url"
	"testing"
)

func TestSplitPathEndsAtASegmentOnly(t *testing.T) {
	php := []string{".php"}
	for _, c := range []struct {
		path, name, info string
		ok               bool
	}{
		{"/x.php", "/x.php", "", true},
		{"/x.php/", "/x.php", "/", true},
		{"/x.php/a/b", "/x.php", "/a/b", true},
		{"/x.php/y.php", "/x.php", "/y.php", true},
		{"/dir.php.d/x.php/y", "/dir.php.d/x.php", "/y", true},
		{"/X.PHP/a", "/X.PHP", "/a", true},
		{"/.php", "/.php", "", true},
		{"/x.phpx", "/x.phpx", "", false},
		{"/x.php5", "/x.php5", "", false},
		{"/x.php.jpg", "/x.php.jpg", "", false},
		{"/x.ph\u1e57", "/x.ph\u1e57", "", false}, // p with acute
		{"/x.\uff50hp", "/x.\uff50hp", "", false}, // full-width p
		{"/", "/", "", false},
		{"", "", "", false},
	} {
		name, info, ok := splitPath(c.path, php)
		if name != c.name || info != c.info || ok != c.ok {
			t.Errorf("%q: have %q, %q, %v, want %q, %q, %v", c.path, name, info, ok, c.name, c.info, c.ok)
		}
	}
	if name, info, _ := splitPath("/a.php5/b.php", []string{".php", ".php5"}); name != "/a.php5" || info != "/b.php" {
		t.Errorf("the first delimiter of several: have %q, %q", name, info)
	}
}

// What FPM behind nginx has for the paths of REQ04.
func TestREQ04ScriptOfAPath(t *testing.T) {
	for _, c := range []struct {
		path string
		want script
	}{
		{"/x.php/a/b", script{"/x.php", "/a/b", "/srv/x.php"}},
		{"/x.php/", script{"/x.php", "/", "/srv/x.php"}},
		{"/a b.php", script{"/a b.php", "", "/srv/a b.php"}},
		{"//x.php", script{"/x.php", "", "/srv/x.php"}},
		{"/.php", script{"/.php", "", "/srv/.php"}},
		{"/d/../x.php", script{"/x.php", "", "/srv/x.php"}},
		{"/../../x.php", script{"/x.php", "", "/srv/x.php"}},
		{"../../x.php", script{"/x.php", "", "/srv/x.php"}},
		{"x.php", script{"/x.php", "", "/srv/x.php"}},
		{"/a.php/../x.php", script{"/x.php", "", "/srv/x.php"}},
	} {
		have, ok := requestScript(c.path, "/srv", []string{".php"})
		if !ok || have != c.want {
			t.Errorf("%s: have %+v, %v, want %+v", c.path, have, ok, c.want)
		}
	}
	if s, ok := requestScript("/dir/", "/srv", []string{".php"}); ok {
		t.Errorf("/dir/: have %+v", s)
	}
}

func TestREQ05PathsThatMeanTwoThingsAreRejected(t *testing.T) {
	for _, c := range []struct {
		uri  string
		want error
	}{
		{"/x.php", nil},
		{"/a%20b.php", nil},
		{"/x.php/a%2Fb", nil},
		{"/x.php%00.jpg", errInvalidPath},
		{"/%00", errInvalidPath},
		{"/x.php%2F..%2Fy.php", errAmbiguousPath},
		{"/a.php/%2e%2e/y.php", errAmbiguousPath},
	} {
		u, err := url.ParseRequestURI(c.uri)
		if err != nil {
			t.Fatal(err)
		}
		if have := checkPath(u, []string{".php"}); have != c.want {
			t.Errorf("%s: have %v, want %v", c.uri, have, c.want)
		}
	}
}

func TestWorkerOutsideTheRootHasNoURLPath(t *testing.T) {
	if have, want := workerScript("/srv/public/api.php", "/srv/public"), (script{"/api.php", "", "/srv/public/api.php"}); have != want {
		t.Errorf("have %+v, want %+v", have, want)
	}
	if have, want := workerScript("/srv/api.php", "/srv/public"), (script{"", "", "/srv/api.php"}); have != want {
		t.Errorf("have %+v, want %+v", have, want)
	}
}

func TestSamePath(t *testing.T) {
	for _, c := range []struct {
		path, name string
		want       bool
	}{
		{"/index.php", "/index.php", true},
		{"//index.php", "/index.php", true},
		{"index.php", "/index.php", true},
		{"/index.php/a", "/index.php", false},
		{"/", "", false},
	} {
		if have := samePath(c.path, c.name); have != c.want {
			t.Errorf("%q, %q: have %v", c.path, c.name, have)
		}
	}
}
