package worker

import "context"

// Generation is a template and everything forked from it.
type Generation struct{}

// StartGeneration starts PHP, boots the worker scripts and returns when every
// serving process accepts. On failure nothing is left running and the error
// says what failed, with PHP's own message where there is one.
func StartGeneration(ctx context.Context, cfg Config) (*Generation, error) { return nil, ErrUnavailable }

// Stop lets running requests finish, up to the grace period, and ends every process.
func (g *Generation) Stop(ctx context.Context) error { return nil }

// Processes returns the number of serving processes.
func (g *Generation) Processes() int { return 0 }
