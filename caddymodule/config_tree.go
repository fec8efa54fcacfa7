package caddymodule

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/caddyserver/caddy/v2"
)

// The operations of Caddy's /config/ on a configuration: POST sets a value or
// appends to an array, PUT creates one or inserts into an array, PATCH replaces
// what exists, DELETE removes. The last part of an array's path is an index, or
// "..." to append several values.

// getConfig returns the value at a path, nil for a missing key.
func getConfig(tree any, p string) (any, error) {
	for i, part := range pathParts(p) {
		switch v := tree.(type) {
		case object:
			tree = v[part]
		case []any:
			index, err := arrayIndex(part, len(v))
			if err != nil {
				return nil, fmt.Errorf("[%s] %w", p, err)
			}
			tree = v[index]
		default:
			return nil, fmt.Errorf("[%s] nothing is below %q", p, strings.Join(pathParts(p)[:i], "/"))
		}
	}
	return tree, nil
}

// changeConfig applies a method with a value to a path and returns the new tree.
// It may change tree itself.
func changeConfig(tree any, method, p string, value any) (any, error) {
	parts := pathParts(p)
	if len(parts) == 0 {
		switch {
		case method == http.MethodDelete:
			return nil, nil
		case method == http.MethodPut && tree != nil:
			return nil, conflict("[/] a configuration exists already")
		}
		return value, nil
	}
	// Only objects can be filled from here; nil stands for a missing one.
	root, _ := tree.(object)
	if root == nil {
		root = object{}
	}
	return root, change(root, method, p, parts, value)
}

// change applies the method at parts below o.
func change(o object, method, p string, parts []string, value any) error {
	key := parts[0]
	if len(parts) == 1 {
		return changeKey(o, key, method, p, value)
	}
	if o[key] == nil {
		if method != http.MethodPut {
			return notFound("[%s] nothing is at %q", p, key)
		}
		o[key] = object{} // PUT makes the way to the new value
	}
	switch next := o[key].(type) {
	case object:
		return change(next, method, p, parts[1:], value)
	case []any:
		changed, err := changeArray(next, method, p, parts[1:], value)
		if err != nil {
			return err
		}
		o[key] = changed
		return nil
	}
	return fmt.Errorf("[%s] nothing can be below %q", p, key)
}

func changeKey(o object, key, method, p string, value any) error {
	_, exists := o[key]
	switch method {
	case http.MethodPost:
		if array, ok := o[key].([]any); ok {
			value = append(array, value)
		}
		o[key] = value
	case http.MethodPut:
		if exists {
			return conflict("[%s] key already exists: %s", p, key)
		}
		o[key] = value
	case http.MethodPatch:
		if !exists {
			return notFound("[%s] key does not exist: %s", p, key)
		}
		o[key] = value
	case http.MethodDelete:
		if !exists {
			return notFound("[%s] key does not exist: %s", p, key)
		}
		delete(o, key)
	default:
		return fmt.Errorf("method %s not allowed", method)
	}
	return nil
}

func changeArray(array []any, method, p string, parts []string, value any) ([]any, error) {
	if len(parts) == 1 && parts[0] == "..." && method == http.MethodPost {
		values, ok := value.([]any)
		if !ok {
			return nil, fmt.Errorf("[%s] the value is not an array", p)
		}
		return append(array, values...), nil
	}
	if len(parts) == 1 && method == http.MethodPost {
		return append(array, value), nil
	}
	limit := len(array)
	if len(parts) == 1 && method == http.MethodPut {
		limit++ // PUT inserts, also behind the last
	}
	index, err := arrayIndex(parts[0], limit)
	if err != nil {
		return nil, fmt.Errorf("[%s] %w", p, err)
	}
	if len(parts) > 1 {
		switch next := array[index].(type) {
		case object:
			return array, change(next, method, p, parts[1:], value)
		case []any:
			changed, err := changeArray(next, method, p, parts[1:], value)
			array[index] = changed
			return array, err
		}
		return nil, fmt.Errorf("[%s] nothing can be below %q", p, parts[0])
	}
	switch method {
	case http.MethodPut:
		return slices.Insert(array, index, value), nil
	case http.MethodPatch:
		array[index] = value
		return array, nil
	case http.MethodDelete:
		return slices.Delete(array, index, index+1), nil
	}
	return nil, fmt.Errorf("method %s not allowed", method)
}

func pathParts(p string) []string {
	p = strings.Trim(p, "/")
	if p == "" {
		return nil
	}
	return strings.Split(p, "/")
}

func arrayIndex(part string, limit int) (int, error) {
	index, err := strconv.Atoi(part)
	if err != nil || strconv.Itoa(index) != part {
		return 0, fmt.Errorf("invalid array index %q", part)
	}
	if index < 0 || index >= limit {
		return 0, fmt.Errorf("array index out of bounds: %s", part)
	}
	return index, nil
}

// indexIDs finds the "@id" fields below v and the paths of their objects.
func indexIDs(v any, at string, ids map[string]string) error {
	switch v := v.(type) {
	case object:
		for key, e := range v {
			if key != "@id" {
				if err := indexIDs(e, path.Join(at, key), ids); err != nil {
					return err
				}
				continue
			}
			var id string
			switch e := e.(type) {
			case string:
				id = e
			case json.Number:
				id = e.String()
			default:
				return fmt.Errorf("%s: @id is neither a string nor a number", at)
			}
			if other, ok := ids[id]; ok {
				return fmt.Errorf("two objects have the @id %q: %s and %s", id, other, at)
			}
			ids[id] = at
		}
	case []any:
		for i, e := range v {
			if err := indexIDs(e, path.Join(at, strconv.Itoa(i)), ids); err != nil {
				return err
			}
		}
	}
	return nil
}

// decodeValue decodes a request's body.
func decodeValue(body []byte) (any, error) {
	var v any
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		return nil, fmt.Errorf("decoding request body: %w", err)
	}
	return v, nil
}

func badRequest(err error) error {
	if _, ok := errors.AsType[caddy.APIError](err); ok {
		return err
	}
	return caddy.APIError{HTTPStatus: http.StatusBadRequest, Err: err}
}

func notFound(format string, args ...any) error {
	return caddy.APIError{HTTPStatus: http.StatusNotFound, Err: fmt.Errorf(format, args...)}
}

func conflict(format string, args ...any) error {
	return caddy.APIError{HTTPStatus: http.StatusConflict, Err: fmt.Errorf(format, args...)}
}
