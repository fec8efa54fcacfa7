package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/caddyserver/caddy/v2"
	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/caddyserver/certmagic"
)

// loadEnvFiles sets what the files of --envfile have and the environment has not.
func loadEnvFiles(fl caddycmd.Flags) error {
	files, err := fl.GetStringSlice("envfile")
	if err != nil {
		return err
	}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return fmt.Errorf("environment file: %w", err)
		}
		env, err := parseEnv(f)
		f.Close()
		if err != nil {
			return fmt.Errorf("environment file %s: %w", name, err)
		}
		for _, e := range env {
			if _, ok := os.LookupEnv(e.name); ok {
				continue
			}
			if err := os.Setenv(e.name, e.value); err != nil {
				return fmt.Errorf("environment file %s: %s: %w", name, e.name, err)
			}
		}
	}
	if len(files) > 0 {
		// They follow XDG_CONFIG_HOME, XDG_DATA_HOME and HOME.
		caddy.ConfigAutosavePath = filepath.Join(caddy.AppConfigDir(), "autosave.json")
		caddy.DefaultStorage = &certmagic.FileStorage{Path: caddy.AppDataDir()}
	}
	return nil
}

type envVar struct{ name, value string }

// parseEnv reads lines of NAME=value. "export", comments and quotes are as in
// Caddy's --envfile; a quoted value may have several lines.
func parseEnv(r io.Reader) ([]envVar, error) {
	var env []envVar
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		name = strings.TrimPrefix(name, "export ")
		switch {
		case !ok:
			return nil, fmt.Errorf("line %d is not NAME=value", n)
		case name == "" || strings.ContainsAny(name, " \t"):
			return nil, fmt.Errorf("line %d: %q is not a name", n, name)
		case value != strings.TrimLeft(value, " \t"):
			return nil, fmt.Errorf("line %d: a space before the value", n)
		}
		if value != "" && (value[0] == '"' || value[0] == '\'') {
			quote := value[:1]
			rest := value[1:]
			for !closes(rest, quote) && lines.Scan() {
				n++
				rest += "\n" + lines.Text()
			}
			end := strings.LastIndex(rest, quote)
			if end < 0 {
				return nil, fmt.Errorf("line %d: the quote is not closed", n)
			}
			value = strings.ReplaceAll(rest[:end], `\`+quote, quote)
		} else if before, _, ok := strings.Cut(value, "#"); ok {
			value = strings.TrimRight(before, " \t")
		}
		env = append(env, envVar{name, value})
	}
	return env, lines.Err()
}

// closes tells whether a quoted value ends in s.
func closes(s, quote string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' {
			i++
		} else if s[i] == quote[0] {
			return true
		}
	}
	return false
}
