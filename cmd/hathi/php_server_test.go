package main

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestPHPServerFlagsAreAConfiguration(t *testing.T) {
	for _, c := range []struct {
		name    string
		options phpServerOptions
		want    []string
		not     []string
	}{
		{"defaults", phpServerOptions{root: "/srv", compress: true}, []string{
			`"listen":[":80"]`, `"admin":{"disabled":true,"config":{"persist":false}}`, `"root":"/srv"`,
			`"prefer":["zstd","br","gzip"]`, `"read_header_timeout":10000000000`, `"idle_timeout":30000000000`, `"max_header_bytes":16384`,
			`"handler":"php"`, `"handler":"file_server"`,
		}, []string{`"logs"`, `"hathi"`}},
		{"domain", phpServerOptions{domain: "example.com"}, []string{
			`"listen":[":443"]`, `"host":["example.com"]`,
		}, []string{`"encodings"`}},
		{"listen", phpServerOptions{listen: "127.0.0.1:8080"}, []string{`"listen":["127.0.0.1:8080"]`}, []string{`"host"`}},
		{"listen on a port", phpServerOptions{listen: ":8080"}, []string{`"listen":[":8080"]`}, []string{`"host"`}},
		{"domain and port", phpServerOptions{domain: "example.com", listen: ":8443"}, []string{`"listen":[":8443"]`, `"host":["example.com"]`}, nil},
		{"unix socket", phpServerOptions{listen: "unix//run/h.sock"}, []string{`"listen":["unix//run/h.sock"]`}, nil},
		{"workers", phpServerOptions{workers: []string{"/srv/a.php,3", "/srv/b.php"}, watch: []string{"src/**/*.{php,twig}"}}, []string{
			`"hathi":{"workers":[{"file_name":"/srv/a.php","num":3,"watch":["src/**/*.{php,twig}"]},{"file_name":"/srv/b.php"}]}`,
		}, nil},
		{"logs", phpServerOptions{accessLog: true, debug: true}, []string{`"level":"DEBUG"`, `"logs":{`}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			config, err := c.options.config()
			if err != nil {
				t.Fatal(err)
			}
			if !json.Valid(config) {
				t.Fatalf("not JSON: %s", config)
			}
			for _, want := range c.want {
				if !strings.Contains(string(config), want) {
					t.Errorf("no %s in %s", want, config)
				}
			}
			for _, not := range c.not {
				if strings.Contains(string(config), not) {
					t.Errorf("%s in %s", not, config)
				}
			}
		})
	}
}

func TestPHPServerFlagMistakes(t *testing.T) {
	for _, o := range []phpServerOptions{
		{workers: []string{",2"}},
		{workers: []string{"a.php,many"}},
		{workers: []string{"a.php,-1"}},
	} {
		if config, err := o.config(); err == nil {
			t.Errorf("%+v: have %s", o, config)
		}
	}
}
