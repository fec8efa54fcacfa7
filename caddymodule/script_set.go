package caddymodule

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hathi-server/hathi/worker"
)

// scriptSet collects the worker scripts of a configuration. Workers with one
// file and one environment are one script, whichever site names them; with
// another environment they are another script of another name.
type scriptSet struct {
	scripts []worker.Script
	env     []map[string]string
}

func newScriptSet() *scriptSet { return new(scriptSet) }

// add adds a worker and gives it the name of its script.
func (s *scriptSet) add(w *Worker) {
	for i := range s.scripts {
		script := &s.scripts[i]
		if script.File == w.FileName && maps.Equal(s.env[i], w.Env) {
			script.Num = max(script.Num, w.Num)
			w.Name = script.Name
			return
		}
	}
	w.Name = s.uniqueName(w.Name)
	script := worker.Script{
		Name: w.Name, File: w.FileName, Num: w.Num, MaxConsecutiveFailures: w.MaxConsecutiveFailures,
	}
	for _, name := range slices.Sorted(maps.Keys(w.Env)) {
		script.Env = append(script.Env, worker.INI{Key: name, Value: w.Env[name]})
	}
	s.scripts = append(s.scripts, script)
	s.env = append(s.env, w.Env)
}

func (s *scriptSet) uniqueName(name string) string {
	taken := func(name string) bool {
		return slices.ContainsFunc(s.scripts, func(o worker.Script) bool { return o.Name == name })
	}
	unique := name
	for i := 1; taken(unique); i++ {
		unique = name + "_" + strconv.Itoa(i)
	}
	return unique
}

// addHandlers adds the workers of all php handlers inside v and completes them
// there. Handlers are visited in a fixed order, so that names are stable.
func (s *scriptSet) addHandlers(v any, dir string) error {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			if err := s.addHandlers(e, dir); err != nil {
				return err
			}
		}
	case object:
		if v["handler"] == "php" && v["workers"] != nil {
			return s.addHandler(v, dir)
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if err := s.addHandlers(v[key], dir); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *scriptSet) addHandler(handler object, dir string) error {
	var workers []*Worker
	if err := decodeInto(handler["workers"], &workers); err != nil {
		return fmt.Errorf("php: workers: %w", err)
	}
	root, _ := handler["root"].(string)
	if root == "" || strings.Contains(root, "{") {
		root = dir
	}
	for _, w := range workers {
		if err := w.provision(root); err != nil {
			return err
		}
		if err := w.validate(); err != nil {
			return err
		}
		s.add(w)
	}
	var err error
	handler["workers"], err = encodeTree(workers)
	return err
}
