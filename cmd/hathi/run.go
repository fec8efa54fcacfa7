package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"strings"

	"github.com/caddyserver/caddy/v2"
	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"github.com/hathi-server/hathi/caddymodule"
)

func runCommand() caddycmd.Command {
	return caddycmd.Command{
		Name:  "run",
		Usage: "[--config <path> [--adapter <name>]] [--envfile <path>] [--environ] [--resume] [--watch] [--pidfile <file>]",
		Short: "Serves a configuration in the foreground until it is stopped",
		Long: `
Serves a configuration until it is stopped. Without --config that is the file
"Caddyfile" of the working directory, if there is one.

Signals:

	SIGTERM, SIGINT, SIGQUIT  stop; running requests finish; a second one stops at once
	SIGUSR2, SIGHUP           load the configuration file again, with new PHP processes
	SIGUSR1                   open the log files again

With --resume the configuration that ran last is used, if one was saved, and
--config only if not. With --watch a change of the configuration file loads it.
`,
		CobraFunc: command(run),
	}
}

// configSource is where a configuration came from.
type configSource struct {
	file, adapter string
	config        []byte
}

// reload reads the configuration again and runs it.
func (s configSource) reload() error {
	if s.file == "" {
		return errors.New("the configuration did not come from a file")
	}
	config, _, _, err := caddycmd.LoadConfig(s.file, s.adapter)
	if err != nil {
		return err
	}
	return caddymodule.Load(config, true)
}

func run(fl caddycmd.Flags) error {
	signals := trapSignals()

	// Logs go where the configuration says, once it is loaded.
	_, logger, _ := caddy.BufferedLog()

	if err := loadEnvFiles(fl); err != nil {
		return err
	}
	if fl.Bool("environ") {
		if err := printEnvironment(); err != nil {
			return err
		}
	}
	source, err := readConfig(fl)
	if err != nil {
		return err
	}
	if pidfile := fl.String("pidfile"); pidfile != "" {
		if err := caddy.PIDFile(pidfile); err != nil {
			return fmt.Errorf("pid file: %w", err)
		}
		signals.pidfile = pidfile
	}
	if err := serve(signals, source); err != nil {
		return err
	}
	caddy.UnbufferDefaultLogger(logger) // if nothing was loaded
	if address := fl.String("pingback"); address != "" {
		if err := pingback(address); err != nil {
			return err
		}
	}
	if fl.Bool("watch") {
		go watchConfig(source)
	}
	select {}
}

// serve runs a configuration. From then on signals reload and stop it.
func serve(signals *signalHandler, source configSource) error {
	if err := caddymodule.Load(source.config, true); err != nil {
		signals.removePIDFile()
		return err
	}
	signals.started(source)
	announce()
	return nil
}

// readConfig finds the configuration of the command line.
func readConfig(fl caddycmd.Flags) (configSource, error) {
	var s configSource
	if fl.Bool("resume") {
		config, err := os.ReadFile(caddy.ConfigAutosavePath)
		switch {
		case err == nil:
			if fl.String("config") != "" {
				caddy.Log().Warn("--config is not used: --resume found a saved configuration",
					zap.String("file", caddy.ConfigAutosavePath))
			}
			s.config = config
			return s, nil
		case !errors.Is(err, fs.ErrNotExist):
			return s, fmt.Errorf("saved configuration: %w", err)
		}
		caddy.Log().Info("no configuration is saved", zap.String("file", caddy.ConfigAutosavePath))
	}
	var err error
	s.config, s.file, s.adapter, err = caddycmd.LoadConfig(fl.String("config"), fl.String("adapter"))
	return s, err
}

// announce says what is served. On a terminal the log would not be read.
func announce() {
	s := caddymodule.Running()
	if s.Processes == 0 {
		caddy.Log().Info("no configuration, waiting for one at the admin endpoint")
		return
	}
	if !isTerminal(os.Stderr) {
		return // the master has logged it
	}
	fmt.Fprintf(os.Stderr, "\n%s\nServing %s with %s", versionLine(), strings.Join(s.Addresses, ", "), plural(s.Processes, "process", "processes"))
	for _, w := range s.Workers {
		fmt.Fprintf(os.Stderr, "\n  worker %s", w)
	}
	fmt.Fprint(os.Stderr, "\nStop it with Ctrl-C.\n\n")
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && info.Mode()&os.ModeDevice != 0 && os.Getenv("TERM") != ""
}

// printEnvironment is Caddy's `environ`.
func printEnvironment() error {
	environ, ok := caddycmd.Commands()["environ"]
	if !ok {
		return nil
	}
	cmd := new(cobra.Command)
	environ.CobraFunc(cmd)
	return cmd.RunE(cmd, nil)
}

// pingback tells `start`, which waits at the address, that we serve: it gets back
// the bytes that it wrote to our stdin.
func pingback(address string) error {
	confirmation, err := io.ReadAll(os.Stdin)
	if err != nil {
		return fmt.Errorf("pingback: %w", err)
	}
	c, err := net.Dial("tcp", address)
	if err != nil {
		return fmt.Errorf("pingback: %w", err)
	}
	defer c.Close()
	if _, err := c.Write(confirmation); err != nil {
		return fmt.Errorf("pingback: %w", err)
	}
	return nil
}
