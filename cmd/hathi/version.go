package main

import (
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/caddyserver/caddy/v2"
	caddycmd "github.com/caddyserver/caddy/v2/cmd"

	"github.com/hathi-server/hathi/sapi"
)

// version is set by the build: -ldflags "-X main.version=1.2.3".
var version string

// hathiVersion is the version of this build.
func hathiVersion() string {
	if version != "" {
		return "v" + strings.TrimPrefix(version, "v")
	}
	if info, ok := debug.ReadBuildInfo(); ok && strings.HasPrefix(info.Main.Version, "v") {
		return info.Main.Version
	}
	return "dev"
}

// versionLine is what `version` prints.
func versionLine() string {
	php := sapi.PHPVersion()
	if php == "" {
		php = "unknown"
	}
	simple, _ := caddy.Version()
	return fmt.Sprintf("Hathi %s PHP %s Caddy %s", hathiVersion(), php, simple)
}

func versionCommand() caddycmd.Command {
	return caddycmd.Command{
		Name:  "version",
		Short: "Prints the versions of Hathi, PHP and Caddy",
		CobraFunc: command(func(caddycmd.Flags) error {
			fmt.Println(versionLine())
			return nil
		}),
	}
}
