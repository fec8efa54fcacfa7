package server

import (
	"fmt"
	"math"
	"os/exec"
	"regexp"
	"strconv"
	"time"
)

var (
	requestsLine = regexp.MustCompile(`(\d+) requests in`)
	failureLine  = regexp.MustCompile(`Non-2xx or 3xx responses: \d+|Socket errors: .*`)
)

// wholeSeconds rounds up: wrk takes no fractions.
func wholeSeconds(d time.Duration) int { return int(math.Ceil(d.Seconds())) }

// Load runs wrk against url and returns how many requests were answered. An
// answer that is not 2xx or 3xx, or a broken connection, is an error.
func Load(url string, connections int, d time.Duration) (requests int, err error) {
	out, err := exec.Command("wrk", "-t1", fmt.Sprintf("-c%d", connections), fmt.Sprintf("-d%d", wholeSeconds(d)), url).CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("wrk: %w: %s", err, out)
	}
	if bad := failureLine.Find(out); bad != nil {
		return 0, fmt.Errorf("%s: void: %s", url, bad)
	}
	m := requestsLine.FindSubmatch(out)
	if m == nil {
		return 0, fmt.Errorf("wrk: unexpected output: %s", out)
	}
	return strconv.Atoi(string(m[1]))
}
