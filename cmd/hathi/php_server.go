package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/spf13/cobra"
)

func phpServerCommand() caddycmd.Command {
	return caddycmd.Command{
		Name:  "php-server",
		Usage: "[--domain <name>] [--root <path>] [--listen <address>] [--worker <file>[,<n>]...] [--watch[=<glob>]...] [--access-log] [--debug] [--no-compress]",
		Short: "Serves a PHP application without a configuration file",
		Long: `
Serves the PHP application and the files of a directory. With a domain it gets
a certificate and serves HTTPS, HTTP/2 and HTTP/3 on port 443, else HTTP on 80.

--worker runs a script that boots the application once and then answers all
requests; <n> is the number of PHP interpreters for it. The admin endpoint is
off.
`,
		CobraFunc: func(cmd *cobra.Command) {
			f := cmd.Flags()
			f.StringP("domain", "d", "", "Domain name at which to serve")
			f.StringP("root", "r", "", "Document root (default: the working directory)")
			f.StringP("listen", "l", "", "Address to listen on (default :80, or :443 with a domain)")
			f.StringArrayP("worker", "w", nil, "Worker script, with the number of interpreters after a comma")
			f.StringArray("watch", nil, "Files whose change restarts the first worker")
			f.Lookup("watch").NoOptDefVal = defaultWatchFlag
			f.BoolP("access-log", "a", false, "Write an access log")
			f.BoolP("debug", "v", false, "Write a debug log")
			f.BoolP("mercure", "m", false, "Not supported: there is no Mercure hub in this build")
			f.Bool("no-compress", false, "Do not compress responses")
			command(phpServer)(cmd)
		},
	}
}

const defaultWatchFlag = "./**/*.{env,php,twig,yaml,yml}"

// phpServerOptions are the flags of php-server.
type phpServerOptions struct {
	domain, root, listen string
	workers, watch       []string
	accessLog, debug     bool
	compress             bool
}

func phpServer(fl caddycmd.Flags) error {
	signals := trapSignals()
	if fl.Bool("mercure") {
		return errors.New("--mercure: there is no Mercure hub in this build")
	}
	o := phpServerOptions{
		domain:    fl.String("domain"),
		root:      fl.String("root"),
		listen:    fl.String("listen"),
		accessLog: fl.Bool("access-log"),
		debug:     fl.Bool("debug"),
		compress:  !fl.Bool("no-compress"),
	}
	var err error
	if o.workers, err = fl.GetStringArray("worker"); err != nil {
		return err
	}
	if o.watch, err = fl.GetStringArray("watch"); err != nil {
		return err
	}
	if o.root != "" {
		if info, err := os.Stat(o.root); err != nil {
			return fmt.Errorf("--root: %w", err)
		} else if !info.IsDir() {
			return fmt.Errorf("--root: %s is not a directory", o.root)
		}
	}
	config, err := o.config()
	if err != nil {
		return err
	}
	if err := serve(signals, configSource{config: config}); err != nil {
		return err
	}
	select {}
}

// config is the JSON for the options: what the Caddyfile adapter makes of the
// same site, with limits fit for a server that faces the network alone.
func (o phpServerOptions) config() ([]byte, error) {
	adapter := caddyconfig.GetAdapter("caddyfile")
	if adapter == nil {
		return nil, errors.New("this build has no Caddyfile adapter")
	}
	caddyfile, err := o.caddyfile()
	if err != nil {
		return nil, err
	}
	config, _, err := adapter.Adapt([]byte(caddyfile), nil)
	if err != nil {
		return nil, err
	}
	return config, nil
}

// caddyfile is the site of the options as a Caddyfile.
func (o phpServerOptions) caddyfile() (string, error) {
	root := o.root
	if root == "" {
		root = "."
	}
	root, err := filepath.Abs(root)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	line := func(words ...string) { fmt.Fprintln(&b, strings.Join(words, " ")) }

	line("{")
	line("admin off")
	line("persist_config off")
	if o.debug {
		line("debug")
	}
	line("servers {")
	line("timeouts {")
	line("read_header 10s")
	line("idle 30s")
	line("}")
	line("max_header_size 16KiB")
	line("}")
	if len(o.workers) > 0 {
		line("hathi {")
		for i, w := range o.workers {
			file, num, err := workerFlag(w)
			if err != nil {
				return "", err
			}
			line("worker {")
			line("file", quote(file))
			if num > 0 {
				line("num", strconv.Itoa(num))
			}
			if i == 0 {
				for _, pattern := range o.watch {
					line("watch", quote(pattern))
				}
			}
			line("}")
		}
		line("}")
	}
	line("}")

	site, bind, err := o.site()
	if err != nil {
		return "", err
	}
	line(quote(site), "{")
	if bind != "" {
		line("bind", quote(bind))
	}
	if o.accessLog {
		line("log")
	}
	line("root", "*", quote(root))
	if o.compress {
		line("encode zstd br gzip")
	}
	line("php_server")
	line("}")
	return b.String(), nil
}

// site is the address of the site in a Caddyfile, and what it is bound to.
func (o phpServerOptions) site() (site, bind string, err error) {
	listen := o.listen
	if listen == "" {
		if o.domain != "" {
			return o.domain, "", nil
		}
		return ":80", "", nil
	}
	network, host, port, err := caddy.SplitNetworkAddress(listen)
	if err != nil {
		return "", "", fmt.Errorf("--listen %s: %w", listen, err)
	}
	if caddy.IsUnixNetwork(network) || caddy.IsFdNetwork(network) {
		bind = listen
	} else {
		bind = caddy.JoinNetworkAddress(network, host, "")
	}
	scheme := ""
	if o.domain == "" {
		scheme = "http://"
	}
	site = scheme + o.domain
	if port != "" {
		site += ":" + port
	}
	return site, bind, nil
}

// workerFlag reads `<file>[,<n>]`.
func workerFlag(value string) (file string, num int, err error) {
	file, count, ok := strings.Cut(value, ",")
	if file == "" {
		return "", 0, fmt.Errorf("--worker %q: no file is given", value)
	}
	if ok {
		if num, err = strconv.Atoi(count); err != nil || num < 0 {
			return "", 0, fmt.Errorf("--worker %q: %q is not a number of interpreters", value, count)
		}
	}
	if file, err = filepath.Abs(file); err != nil {
		return "", 0, err
	}
	return file, num, nil
}

// quote makes one word of a Caddyfile. A brace would otherwise be a placeholder.
func quote(word string) string {
	return "`" + strings.ReplaceAll(word, "`", "") + "`"
}
