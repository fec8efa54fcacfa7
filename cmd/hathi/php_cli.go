package main

import (
	"errors"

	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/spf13/cobra"
)

// phpCLICommand stands in --help. PHP's command line runs in C before Go starts,
// so that signals, pcntl and fork work in scripts.
func phpCLICommand() caddycmd.Command {
	return caddycmd.Command{
		Name:  "php-cli",
		Usage: "[options] [-f] <file> [--] [args...]",
		Short: "Runs a PHP script, as php does",
		Long: `
Runs a PHP script from the command line, with the options of php. Everything
after php-cli is PHP's; php-cli --help prints PHP's own help.
`,
		CobraFunc: func(cmd *cobra.Command) {
			cmd.DisableFlagParsing = true
			command(func(caddycmd.Flags) error {
				return errors.New("php-cli has to be the first argument")
			})(cmd)
		},
	}
}
