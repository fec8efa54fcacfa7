package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

const longDescription = `Hathi is a PHP application server. It is a Caddy with one PHP per core inside:
HTTP/1.1, HTTP/2, HTTP/3, automatic HTTPS, static files and worker scripts.

Serve the application in the current directory:

	$ %[1]s php-server --root public/

Or with a configuration file, a Caddyfile:

	$ %[1]s run --config Caddyfile

Run a PHP script:

	$ %[1]s php-cli script.php
`

// programName is the name that Hathi was started under: hathi or frankenphp.
func programName() string {
	if len(os.Args) == 0 || os.Args[0] == "" {
		return "hathi"
	}
	return filepath.Base(os.Args[0])
}

// ownCommands are commands of ours, some of them in the place of Caddy's.
func ownCommands() []caddycmd.Command {
	return []caddycmd.Command{
		runCommand(),
		validateCommand(),
		phpServerCommand(),
		phpCLICommand(),
		versionCommand(),
	}
}

// rootCommand has Caddy's commands and ours. It is a root of our own, because
// Caddy's registry takes no second command of a name.
func rootCommand() *cobra.Command {
	name := programName()
	root := &cobra.Command{
		Use:          name,
		Long:         fmt.Sprintf(longDescription, name),
		Version:      versionLine(),
		SilenceUsage: true,
	}
	root.SetVersionTemplate("{{.Version}}\n")

	commands := maps.Clone(caddycmd.Commands())
	for _, c := range ownCommands() {
		// Caddy's flags stay those of the version that is built in.
		if theirs, ok := commands[c.Name]; ok && theirs.CobraFunc != nil {
			ours := c.CobraFunc
			c.CobraFunc = func(cmd *cobra.Command) {
				theirs.CobraFunc(cmd)
				ours(cmd)
			}
		}
		commands[c.Name] = c
	}
	for _, n := range slices.Sorted(maps.Keys(commands)) {
		root.AddCommand(cobraCommand(commands[n]))
	}
	root.AddCommand(manpageCommand())
	return root
}

func cobraCommand(c caddycmd.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use:   strings.TrimSpace(c.Name + " " + c.Usage),
		Short: inOurName(c.Short),
		Long:  strings.TrimSpace(inOurName(c.Long)),
	}
	if c.CobraFunc != nil {
		c.CobraFunc(cmd)
		return cmd
	}
	cmd.RunE = caddycmd.WrapCommandFuncForCobra(c.Func)
	if c.Flags != nil {
		cmd.Flags().AddGoFlagSet(c.Flags)
	}
	return cmd
}

// inOurName makes a text of Caddy's speak of the program that was started.
func inOurName(text string) string {
	return strings.ReplaceAll(text, "the Caddy process", "the "+programName()+" process")
}

// manpageCommand is Caddy's, which is tied to its own root.
func manpageCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "manpage --directory <path>",
		Short: "Writes the manual pages of the commands to a directory",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if dir == "" {
				return failed(fmt.Errorf("manpage: --directory is required"))
			}
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return failed(err)
			}
			header := &doc.GenManHeader{Title: cmd.Root().Name(), Section: "8"}
			if err := doc.GenManTree(cmd.Root(), header, dir); err != nil {
				return failed(err)
			}
			return nil
		},
		SilenceErrors: true,
	}
	cmd.Flags().StringVarP(&dir, "directory", "o", "", "The directory for the pages")
	return cmd
}

// command makes a cobra command report its error as ours do.
func command(f func(caddycmd.Flags) error) func(*cobra.Command) {
	return func(cmd *cobra.Command) {
		cmd.SilenceErrors = true
		cmd.RunE = func(cmd *cobra.Command, _ []string) error {
			if err := f(caddycmd.Flags{FlagSet: cmd.Flags()}); err != nil {
				return failed(err)
			}
			return nil
		}
	}
}
