package caddymodule

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"

	"github.com/cespare/xxhash/v2"
	"golang.org/x/net/http/httpguts"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
)

func init() {
	caddy.RegisterModule(adminAPI{})
}

// adminAPI lets the admin endpoint show and change the user's configuration
// instead of the master's own. Its patterns have methods, so they come before
// Caddy's for the same paths.
type adminAPI struct{}

// CaddyModule returns the Caddy module information.
func (adminAPI) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "admin.api.hathi",
		New: func() caddy.Module { return new(adminAPI) },
	}
}

// Routes returns the routes of the admin endpoint.
func (adminAPI) Routes() []caddy.AdminRoute {
	routes := []caddy.AdminRoute{{Pattern: "POST /load", Handler: caddy.AdminHandlerFunc(handleLoad)}}
	for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE"} {
		handler := caddy.AdminHandlerFunc(handleChange)
		if method == "GET" {
			handler = handleGet
		}
		routes = append(routes,
			caddy.AdminRoute{Pattern: method + " /config/", Handler: handler},
			caddy.AdminRoute{Pattern: method + " /id/", Handler: caddy.AdminHandlerFunc(handleID)})
	}
	return routes
}

// running is the user's configuration that runs.
var running runningConfig

// runningConfig is safe for concurrent use.
type runningConfig struct {
	mu     sync.RWMutex
	config []byte
	ids    map[string]string // "@id" -> path below /config
}

func (r *runningConfig) set(config []byte) {
	ids := make(map[string]string)
	if tree, err := decodeConfig(config); err == nil {
		_ = indexIDs(tree, "/config", ids) // load has checked them
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.config, r.ids = config, ids
}

// tree returns a copy of the configuration.
func (r *runningConfig) tree() (any, error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	tree, err := decodeConfig(r.config)
	if tree == nil {
		return nil, err // not an interface with a nil map
	}
	return tree, err
}

func (r *runningConfig) id(id string) (string, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	p, ok := r.ids[id]
	return p, ok
}

// maxConfigSize is Caddy's.
const maxConfigSize = 100 << 20

// handleLoad replaces the configuration: POST /load.
func handleLoad(w http.ResponseWriter, r *http.Request) error {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxConfigSize))
	if err != nil {
		return badRequest(fmt.Errorf("reading request body: %w", err))
	}
	config, warnings, err := adaptBody(r.Header.Get("Content-Type"), body)
	if err != nil {
		return caddy.APIError{HTTPStatus: http.StatusBadRequest, Err: err, Warnings: warnings}
	}
	if err := Load(config, mustRevalidate(r)); err != nil {
		return caddy.APIError{
			HTTPStatus: http.StatusBadRequest, Err: fmt.Errorf("loading config: %w", err), Warnings: warnings,
		}
	}
	caddy.Log().Named("admin.api").Info("load complete")
	if len(warnings) == 0 {
		return nil
	}
	return json.NewEncoder(w).Encode(struct {
		Warnings []caddyconfig.Warning `json:"warnings"`
	}{warnings})
}

// adaptBody adapts a body to JSON by its Content-Type, as text/caddyfile.
func adaptBody(contentType string, body []byte) ([]byte, []caddyconfig.Warning, error) {
	if contentType == "" {
		return body, nil, nil
	}
	mediaType, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		return nil, nil, fmt.Errorf("invalid Content-Type: %w", err)
	}
	_, name, ok := strings.Cut(mediaType, "/")
	if !ok {
		return nil, nil, fmt.Errorf("malformed Content-Type: %q", contentType)
	}
	if name == "json" {
		return body, nil, nil
	}
	adapter := caddyconfig.GetAdapter(name)
	if adapter == nil {
		return nil, nil, fmt.Errorf("unrecognized config adapter %q", name)
	}
	config, warnings, err := adapter.Adapt(body, nil)
	if err != nil {
		return nil, warnings, fmt.Errorf("adapting config using %s adapter: %w", name, err)
	}
	return config, warnings, nil
}

// mustRevalidate tells that an unchanged configuration is to be loaded too.
func mustRevalidate(r *http.Request) bool {
	return httpguts.HeaderValuesContainsToken(r.Header["Cache-Control"], "must-revalidate")
}

// handleGet returns a part of the configuration: GET /config/...
func handleGet(w http.ResponseWriter, r *http.Request) error {
	tree, err := running.tree()
	if err != nil {
		return err
	}
	value, err := getConfig(tree, configPath(r))
	if err != nil {
		return badRequest(err)
	}
	sum := xxhash.New()
	var out bytes.Buffer
	if err := json.NewEncoder(io.MultiWriter(&out, sum)).Encode(value); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Etag", etag(r.URL.Path, sum))
	_, err = w.Write(out.Bytes())
	return err
}

// handleChange changes a part of the configuration and loads it.
func handleChange(w http.ResponseWriter, r *http.Request) error {
	var value any
	if r.Method != http.MethodDelete {
		if ct := r.Header.Get("Content-Type"); !strings.Contains(ct, "/json") {
			return badRequest(fmt.Errorf("unacceptable content-type: %v; 'application/json' required", ct))
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxConfigSize))
		if err != nil {
			return badRequest(fmt.Errorf("reading request body: %w", err))
		}
		if value, err = decodeValue(body); err != nil {
			return badRequest(err)
		}
	}

	loading.Lock()
	defer loading.Unlock()
	tree, err := running.tree()
	if err != nil {
		return err
	}
	if err := checkIfMatch(tree, r.Header.Get("If-Match")); err != nil {
		return err
	}
	if tree, err = changeConfig(tree, r.Method, configPath(r), value); err != nil {
		return badRequest(err)
	}
	config, err := json.Marshal(tree)
	if err != nil {
		return badRequest(err)
	}
	if err := load(config, mustRevalidate(r)); err != nil {
		return badRequest(fmt.Errorf("loading new config: %w", err))
	}
	return nil
}

// handleID finds an object by its "@id": /id/<id>/... It goes through the whole
// endpoint again, because access may be limited by path.
func handleID(w http.ResponseWriter, r *http.Request) error {
	parts := strings.SplitN(r.URL.Path, "/", 4) // "", "id", id, rest
	if len(parts) < 3 || parts[2] == "" {
		return badRequest(fmt.Errorf("request path is missing object ID"))
	}
	at, ok := running.id(parts[2])
	if !ok {
		return notFound("unknown object ID '%s'", parts[2])
	}
	server, ok := r.Context().Value(http.ServerContextKey).(*http.Server)
	if !ok {
		return fmt.Errorf("admin endpoint: request without a server")
	}
	if len(parts) == 4 {
		at = path.Join(at, parts[3])
	}
	r.URL.Path, r.URL.RawPath = at, ""
	server.Handler.ServeHTTP(w, r)
	return nil
}

// configPath is the path of a request below the configuration.
func configPath(r *http.Request) string { return strings.TrimPrefix(r.URL.Path, "/config") }

// etag is Caddy's form: the path and the hash of what is there.
func etag(p string, sum hash.Hash) string { return fmt.Sprintf(`"%s %x"`, p, sum.Sum(nil)) }

// checkIfMatch compares an If-Match, made by etag, with the configuration.
func checkIfMatch(tree any, header string) error {
	if header == "" {
		return nil
	}
	quoted := len(header) >= 2 && header[0] == '"' && header[len(header)-1] == '"'
	var at, want string
	if quoted {
		at, want, _ = strings.Cut(header[1:len(header)-1], " ")
	}
	if want == "" {
		return badRequest(fmt.Errorf(`malformed If-Match header; expect format "<path> <hash>"`))
	}
	value, err := getConfig(tree, strings.TrimPrefix(at, "/config"))
	if err != nil {
		return badRequest(err)
	}
	sum := xxhash.New()
	if err := json.NewEncoder(sum).Encode(value); err != nil {
		return err
	}
	if fmt.Sprintf("%x", sum.Sum(nil)) != want {
		return caddy.APIError{
			HTTPStatus: http.StatusPreconditionFailed,
			Err:        fmt.Errorf("If-Match header did not match current config hash"),
		}
	}
	return nil
}

var _ caddy.AdminRouter = (*adminAPI)(nil)
