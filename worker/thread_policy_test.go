package worker

import (
	"slices"
	"testing"
)

func TestPinnedBy(t *testing.T) {
	for extensions, want := range map[string][]string{
		"":                                 nil,
		"Core,date,SPL,Zend OPcache,PDO":   nil, // the case does not count
		"Core,swoole,date,imagick":         {"swoole", "imagick"},
		"Core,mysql":                       {"mysql"}, // no part of a name
		"Core,redis,,apcu":                 nil,
		"Core,Swoole":                      {"Swoole"},
		"libxml,dom,xsl,soap,simplexml":    nil,
		"Core,curl,openssl,sodium,pdo_oci": {"pdo_oci"},
	} {
		if got := pinnedBy(extensions); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", extensions, got, want)
		}
	}
}
