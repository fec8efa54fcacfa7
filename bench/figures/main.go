// Figures measures what docs/architecture.md states, as ratios within one run:
//
//	go run ./figures -hathi ../bin/hathi -apps ../testdata/apps
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/hathi-server/hathi/bench/internal/server"
)

func main() {
	hathi := flag.String("hathi", "../bin/hathi", "the binary")
	apps := flag.String("apps", "../testdata/apps", "the applications")
	runs := flag.Int("runs", 5, "interleaved runs")
	length := flag.Duration("length", 3*time.Second, "of one run")
	flag.Parse()
	if err := run(*hathi, *apps, *runs, *length); err != nil {
		fmt.Fprintln(os.Stderr, "figures:", err)
		os.Exit(1)
	}
}

// cell is one thing to ask the server for.
type cell struct {
	name, url, want string
	cpu             []float64 // microseconds per request, a value a run
	rate            []float64 // requests per second
}

const caddyfile = `{
	admin off
	%[6]s
	auto_https off
	hathi {
		worker %[1]s/plain/hello-worker.php
	}
}
http://127.0.0.1:%[2]d {
	respond "Hello World"
}
http://127.0.0.1:%[3]d {
	root %[1]s/plain
	rewrite /hello-worker.php
	php
}
http://127.0.0.1:%[4]d {
	root %[1]s/plain
	php_server {
		try_files {path} hello-worker.php
	}
}
http://127.0.0.1:%[5]d {
	root %[1]s/plain
	php
}
`

func run(hathi, apps string, runs int, length time.Duration) error {
	apps, err := filepath.Abs(apps)
	if err != nil {
		return err
	}
	ports, err := server.Ports(4)
	if err != nil {
		return err
	}
	url := func(i int, path string) string { return fmt.Sprintf("http://127.0.0.1:%d%s", ports[i], path) }
	start := func(option string) (*server.Server, error) {
		return server.Start(hathi, fmt.Sprintf(caddyfile, apps, ports[0], ports[1], ports[2], ports[3], option), url(1, "/hello"))
	}
	// The log of forks is at the debug level, with which requests are logged as well.
	s, err := start("debug")
	if err != nil {
		return err
	}
	if err := errors.Join(forks(s), s.Stop()); err != nil {
		return err
	}
	if s, err = start(""); err != nil {
		return err
	}
	defer s.Stop()
	cells := []*cell{
		{name: "Caddy `respond`", url: url(0, "/hello"), want: "Hello World"},
		{name: "Caddy `respond` again (A/A)", url: url(0, "/hello"), want: "Hello World"},
		{name: "worker hello, `php`", url: url(1, "/hello"), want: "Hello World"},
		{name: "worker hello, `php_server`", url: url(2, "/hello"), want: "Hello World"},
	}
	for _, c := range cells {
		if err := c.validate(); err != nil {
			return err
		}
		if _, err := server.Load(c.url, 8, length/3); err != nil { // warm
			return err
		}
	}
	for i := range runs {
		for _, c := range cells {
			fmt.Fprintf(os.Stderr, "\rrun %d of %d: %-40s", i+1, runs, c.name)
			before := s.CPU()
			n, err := server.Load(c.url, 8, length)
			if err != nil {
				return err
			}
			c.cpu = append(c.cpu, float64((s.CPU()-before).Microseconds())/float64(n))
			c.rate = append(c.rate, float64(n)/length.Seconds())
			if err := c.validate(); err != nil {
				return err
			}
		}
	}
	fmt.Fprintln(os.Stderr)
	report(cells)
	memory(s)
	fmt.Printf("\nTime from exec to the first answer of the worker: %v\n", s.ToReady.Round(time.Millisecond))
	return nil
}

func (c *cell) validate() error {
	resp, err := http.Get(c.url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK || string(b) != c.want {
		return fmt.Errorf("%s: void: %s answered %d %q", c.name, c.url, resp.StatusCode, b)
	}
	return nil
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}

func report(cells []*cell) {
	fmt.Println("| cell | CPU us/request, median (min-max) | ratio to `respond`, median of pairs (min-max) | requests/s |")
	fmt.Println("| --- | --- | --- | --- |")
	for _, c := range cells {
		var ratios []float64
		for i := range c.cpu {
			ratios = append(ratios, c.cpu[i]/cells[0].cpu[i])
		}
		fmt.Printf("| %s | %.1f (%.1f-%.1f) | %.2f (%.2f-%.2f) | %.0f |\n", c.name,
			median(c.cpu), slices.Min(c.cpu), slices.Max(c.cpu),
			median(ratios), slices.Min(ratios), slices.Max(ratios), median(c.rate))
	}
}

// forks prints the log's times of forking a serving process.
func forks(s *server.Server) error {
	text, err := os.ReadFile(s.Log)
	if err != nil {
		return err
	}
	for _, m := range regexp.MustCompile(`"msg":"forked","microseconds":"(\d+)"`).FindAllSubmatch(text, -1) {
		fmt.Printf("Fork, until the child is on its own (two forks): %s us\n", m[1])
	}
	fmt.Println()
	return nil
}

func memory(s *server.Server) {
	fmt.Println("\n| process | PSS MiB |")
	fmt.Println("| --- | --- |")
	for _, p := range s.Processes() {
		fmt.Printf("| %s | %.1f |\n", p.Name, float64(server.PSS(p.PID))/(1<<20))
	}
}
