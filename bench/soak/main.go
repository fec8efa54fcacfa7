// Soak sends many hello requests in worker and in classic mode and fails when
// PHP's memory or a process's PSS keeps growing:
//
//	go run ./soak -hathi ../bin/hathi -apps ../testdata/apps
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hathi-server/hathi/bench/internal/server"
)

func main() {
	hathi := flag.String("hathi", "../bin/hathi", "the binary")
	apps := flag.String("apps", "../testdata/apps", "the applications")
	workers := flag.Int("worker", 1_000_000, "requests in worker mode")
	classic := flag.Int("classic", 200_000, "requests in classic mode")
	flag.Parse()
	dir, err := filepath.Abs(*apps)
	if err == nil {
		err = soak(*hathi, dir, "worker", *workers)
	}
	if err == nil {
		err = soak(*hathi, dir, "classic", *classic)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

const caddyfile = `{
	admin off
	auto_https off
	hathi {
		%[3]s
	}
}
http://127.0.0.1:%[2]d {
	root %[1]s/plain
	php_server {
		%[4]s
	}
}
`

// slack is the growth that counts as none: what a garbage collector leaves
// standing differs between two looks.
const slack = 0.05

// flat is the difference in bytes between two answers of memory_get_usage() that
// counts as none; one byte kept per request would be ten times that.
const flat = 16 << 10

func soak(hathi, apps, mode string, total int) error {
	ports, err := server.Ports(1)
	if err != nil {
		return err
	}
	global, site := "", ""
	if mode == "worker" {
		global = "worker " + apps + "/plain/worker.php"
		site = "try_files {path} worker.php"
	}
	hello := "/hello.php"
	if mode == "worker" {
		hello = "/hello" // no file of that name: it goes to the worker
	}
	base := fmt.Sprintf("http://127.0.0.1:%d", ports[0])
	s, err := server.Start(hathi, fmt.Sprintf(caddyfile, apps, ports[0], global, site), base+hello)
	if err != nil {
		return err
	}
	defer s.Stop()

	var sent int
	var first, last float64 // PSS after the first tenth and at the end
	usage := map[float64]map[float64]bool{}
	for sent < total {
		n, err := server.Load(base+hello, 16, time.Second)
		if err != nil {
			return err
		}
		sent += n
		pss := float64(pssOf(s))
		if first == 0 && sent >= total/10 {
			first = pss
		}
		last = pss
		if first > 0 {
			if err := phpUsage(base, strings.Replace(hello, "hello", "usage", 1), usage); err != nil {
				return err
			}
		}
		fmt.Fprintf(os.Stderr, "\r%s: %d of %d requests, PSS %.1f MiB ", mode, sent, total, pss/(1<<20))
	}
	fmt.Fprintln(os.Stderr)
	fmt.Printf("%s: %d requests; PSS %.1f MiB after the first tenth, %.1f MiB at the end; memory_get_usage by pid: %s\n",
		mode, sent, first/(1<<20), last/(1<<20), describe(usage))
	if last > first*(1+slack) {
		return fmt.Errorf("%s: PSS grows: %.0f to %.0f bytes", mode, first, last)
	}
	for pid, values := range usage {
		if spread(values) > flat {
			return fmt.Errorf("%s: memory_get_usage() of pid %.0f is not flat: %v", mode, pid, values)
		}
	}
	return nil
}

func pssOf(s *server.Server) (sum int64) {
	for _, p := range s.Processes() {
		if p.Name == "hathi-serving" {
			sum += server.PSS(p.PID)
		}
	}
	return sum
}

// phpUsage notes what memory_get_usage() says in each process.
func phpUsage(base, path string, usage map[float64]map[float64]bool) error {
	for range 8 {
		resp, err := http.DefaultClient.Get(base + path)
		if err != nil {
			return err
		}
		var v struct {
			PID   float64 `json:"pid"`
			Usage float64 `json:"usage"`
		}
		err = json.NewDecoder(resp.Body).Decode(&v)
		resp.Body.Close()
		if err != nil || v.Usage == 0 {
			return fmt.Errorf("usage: %v, usage %v", err, v.Usage)
		}
		if usage[v.PID] == nil {
			usage[v.PID] = map[float64]bool{}
		}
		usage[v.PID][v.Usage] = true
		http.DefaultClient.CloseIdleConnections() // the next goes to any process
	}
	return nil
}

func spread(values map[float64]bool) float64 {
	low, high := -1.0, 0.0
	for v := range values {
		if low < 0 || v < low {
			low = v
		}
		high = max(high, v)
	}
	return high - low
}

func describe(usage map[float64]map[float64]bool) string {
	out := ""
	for pid, values := range usage {
		out += fmt.Sprintf("%.0f: %d value(s), spread %.0f bytes; ", pid, len(values), spread(values))
	}
	return out
}
