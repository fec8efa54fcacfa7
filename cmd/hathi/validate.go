package main

import (
	"errors"
	"fmt"

	caddycmd "github.com/caddyserver/caddy/v2/cmd"

	"github.com/hathi-server/hathi/caddymodule"
)

func validateCommand() caddycmd.Command {
	return caddycmd.Command{
		Name:  "validate",
		Usage: "--config <path> [--adapter <name>] [--envfile <path>]",
		Short: "Tests whether a configuration is valid, without PHP",
		Long: `
Loads and provisions a configuration as run would, but starts nothing. PHP code
is not looked at.
`,
		CobraFunc: command(validate),
	}
}

func validate(fl caddycmd.Flags) error {
	if err := loadEnvFiles(fl); err != nil {
		return err
	}
	config, file, _, err := caddycmd.LoadConfig(fl.String("config"), fl.String("adapter"))
	if err != nil {
		return err
	}
	if file == "" {
		return errors.New("no Caddyfile in the current directory, use --config")
	}
	if err := caddymodule.Validate(config); err != nil {
		return err
	}
	fmt.Println("Valid configuration")
	return nil
}
