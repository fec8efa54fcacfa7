package worker

import (
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// CPUs returns how many processors this process may use: its affinity, limited by
// the CPU quota of its cgroup (v2 cpu.max, v1 cpu.cfs_quota_us), rounded up.
func CPUs() int {
	n := runtime.NumCPU()
	if quota := cgroupQuota("/sys/fs/cgroup", "/proc/self/cgroup"); quota > 0 {
		n = min(n, quota)
	}
	return max(n, 1)
}

// cgroupQuota returns the smallest quota from this process's cgroup up to the
// root, 0 when there is none.
func cgroupQuota(mount, self string) int {
	b, err := os.ReadFile(self)
	if err != nil {
		return 0
	}
	best := 0
	for line := range strings.Lines(string(b)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		base := mount
		switch {
		case parts[0] == "0":
		case strings.Contains(","+parts[1]+",", ",cpu,"):
			base = filepath.Join(mount, parts[1])
		default:
			continue
		}
		for dir := parts[2]; ; dir = filepath.Dir(dir) {
			if q := quotaOf(filepath.Join(base, dir)); q > 0 && (best == 0 || q < best) {
				best = q
			}
			if dir == "/" || dir == "." {
				break
			}
		}
	}
	return best
}

func quotaOf(dir string) int {
	if b, err := os.ReadFile(filepath.Join(dir, "cpu.max")); err == nil {
		if f := strings.Fields(string(b)); len(f) == 2 {
			return quotient(f[0], f[1])
		}
	}
	quota, err1 := os.ReadFile(filepath.Join(dir, "cpu.cfs_quota_us"))
	period, err2 := os.ReadFile(filepath.Join(dir, "cpu.cfs_period_us"))
	if err1 != nil || err2 != nil {
		return 0
	}
	return quotient(strings.TrimSpace(string(quota)), strings.TrimSpace(string(period)))
}

func quotient(quota, period string) int {
	q, err1 := strconv.ParseFloat(quota, 64) // "max" and -1 mean no quota
	p, err2 := strconv.ParseFloat(period, 64)
	if err1 != nil || err2 != nil || q <= 0 || p <= 0 {
		return 0
	}
	return int(math.Ceil(q / p))
}
