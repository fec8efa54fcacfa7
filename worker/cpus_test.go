package worker

import (
	"os"
	"path/filepath"
	"testing"
)

func TestCgroupQuota(t *testing.T) {
	for name, c := range map[string]struct {
		self  string
		files map[string]string
		want  int
	}{
		"no cgroup":           {"", nil, 0},
		"v2 without quota":    {"0::/\n", map[string]string{"cpu.max": "max 100000\n"}, 0},
		"v2":                  {"0::/\n", map[string]string{"cpu.max": "200000 100000\n"}, 2},
		"v2 rounds up":        {"0::/\n", map[string]string{"cpu.max": "150000 100000\n"}, 2},
		"v2 less than one":    {"0::/\n", map[string]string{"cpu.max": "5000 100000\n"}, 1},
		"v2 nested":           {"0::/a/b\n", map[string]string{"a/b/cpu.max": "300000 100000\n", "cpu.max": "max 100000\n"}, 3},
		"v2 parent is lower":  {"0::/a/b\n", map[string]string{"a/b/cpu.max": "400000 100000\n", "a/cpu.max": "100000 100000\n"}, 1},
		"v2 path not mounted": {"0::/../other\n", nil, 0},
		"v1": {"3:memory:/m\n2:cpu,cpuacct:/docker/x\n", map[string]string{
			"cpu,cpuacct/docker/x/cpu.cfs_quota_us": "250000\n", "cpu,cpuacct/docker/x/cpu.cfs_period_us": "100000\n"}, 3},
		"v1 in a container sees the root": {"2:cpu,cpuacct:/docker/x\n", map[string]string{
			"cpu,cpuacct/cpu.cfs_quota_us": "200000\n", "cpu,cpuacct/cpu.cfs_period_us": "100000\n"}, 2},
		"v1 without quota": {"2:cpu:/\n", map[string]string{
			"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"}, 0},
		"v1 cpuset is another": {"2:cpuset:/\n", map[string]string{
			"cpuset/cpu.cfs_quota_us": "100000\n", "cpuset/cpu.cfs_period_us": "100000\n"}, 0},
		"hybrid": {"2:cpu:/\n0::/\n", map[string]string{"cpu.max": "400000 100000\n",
			"cpu/cpu.cfs_quota_us": "200000\n", "cpu/cpu.cfs_period_us": "100000\n"}, 2},
		"nonsense": {"0::/\n", map[string]string{"cpu.max": "many 0\n"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			self := filepath.Join(dir, "self")
			if err := os.WriteFile(self, []byte(c.self), 0o644); err != nil {
				t.Fatal(err)
			}
			mount := filepath.Join(dir, "fs")
			for file, text := range c.files {
				file = filepath.Join(mount, file)
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if got := cgroupQuota(mount, self); got != c.want {
				t.Errorf("%d, want %d", got, c.want)
			}
		})
	}
	if got := cgroupQuota(t.TempDir(), "/nowhere"); got != 0 {
		t.Errorf("without /proc/self/cgroup: %d", got)
	}
}
