package sapi

import (
	"bytes"
	"encoding/binary"
	"os"
	"regexp"
	"testing"
)

// The two lists of fields are in two languages: their order is the contract.
func TestFieldsAreInTheOrderOfTheHeader(t *testing.T) {
	names := func(file string, pattern string) (list []string) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(pattern).FindAllSubmatch(text, -1) {
			list = append(list, string(bytes.ToLower(bytes.ReplaceAll(m[1], []byte("_"), nil))))
		}
		return list
	}
	c := names("request.h", `(?m)^\tHATHI_FIELD_(\w+),`)
	g := names("record.go", `(?m)^\tField(\w+)(?: Field = iota)?(?: *//.*)?$`)
	if len(c) != len(g) || len(g) != int(numFields) {
		t.Fatalf("%d fields in request.h, %d in record.go", len(c), len(g))
	}
	for i := range c {
		if c[i] != g[i] {
			t.Errorf("field %d is %s in request.h, %s in record.go", i, c[i], g[i])
		}
	}
}

func TestRecordLaysOutItsPartsInPlace(t *testing.T) {
	r := NewRecord()
	r.Set(FieldRequestMethod, "POST")
	r.Set(FieldPathInfo, "")
	r.AddHeader("Accept-Language", "de")
	r.AddEnv("APP_ENV", "prod")
	r.SetBody([]byte("a=1"))
	b := r.Bytes()

	u32 := func(at int) uint32 { return binary.NativeEndian.Uint32(b[at:]) }
	str := func(at int) string {
		off, n := u32(at), u32(at+4)
		if b[off+n] != 0 {
			t.Errorf("string at %d is not terminated", off)
		}
		return string(b[off : off+n])
	}
	if u32(offMagic) != recordMagic || u32(offSize) != uint32(len(b)) {
		t.Errorf("magic %x, size %d of %d", u32(offMagic), u32(offSize), len(b))
	}
	if got := str(offFields + int(FieldRequestMethod)*8); got != "POST" {
		t.Errorf("method %q", got)
	}
	if u32(offFields+int(FieldPathInfo)*8) == 0 {
		t.Error("an empty field counts as not set")
	}
	if u32(offFields+int(FieldRemoteUser)*8) != 0 {
		t.Error("a field that was not set has an offset")
	}
	if h := int(u32(offHeaderOff)); u32(offHeaderCount) != 1 || str(h) != "HTTP_ACCEPT_LANGUAGE" || str(h+8) != "de" {
		t.Errorf("%d headers, the first %q: %q", u32(offHeaderCount), str(h), str(h+8))
	}
	if e := int(u32(offEnvOff)); u32(offEnvCount) != 1 || str(e) != "APP_ENV" || str(e+8) != "prod" {
		t.Errorf("%d env entries, the first %q: %q", u32(offEnvCount), str(e), str(e+8))
	}
	if off := u32(offBodyOff); string(b[off:off+3]) != "a=1" || int32(u32(offBodyFD)) != -1 {
		t.Errorf("body %q, descriptor %d", b[off:off+3], int32(u32(offBodyFD)))
	}
}

func TestReleaseClosesTheBodyFile(t *testing.T) {
	f, err := os.CreateTemp(t.TempDir(), "body")
	if err != nil {
		t.Fatal(err)
	}
	r := NewRecord()
	r.SetBodyFile(f, 0)
	r.Release()
	if _, err := f.Stat(); err == nil {
		t.Error("the file is still open")
	}
}

func TestHeaderBlockGivesNamesAndValues(t *testing.T) {
	var got []string
	HeaderBlock("Content-type: text/html\nSet-Cookie:a=1; b:c\nbroken\nX-Empty: \n").Each(func(name, value string) {
		got = append(got, name+"="+value)
	})
	want := []string{"Content-type=text/html", "Set-Cookie=a=1; b:c", "X-Empty="}
	if len(got) != len(want) {
		t.Fatalf("got %q", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got %q, want %q", got[i], want[i])
		}
	}
}

func TestSplitLogKeepsLevels(t *testing.T) {
	lines := splitLog("3first\x004second\x00")
	if len(lines) != 2 || lines[0] != (LogLine{3, "first"}) || lines[1] != (LogLine{4, "second"}) {
		t.Errorf("got %v", lines)
	}
}
