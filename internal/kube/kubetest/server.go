package kubetest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"
)

// kinds are the resources that there are.
var kinds = map[string]string{
	"pods": "Pod", "jobs": "Job", "events": "Event", "nodes": "Node", "secrets": "Secret", "namespaces": "Namespace", "services": "Service",
	"resourcequotas": "ResourceQuota", "limitranges": "LimitRange", "rolebindings": "RoleBinding", "roles": "Role", "networkpolicies": "NetworkPolicy",
	"serviceaccounts": "ServiceAccount", "persistentvolumeclaims": "PersistentVolumeClaim", "persistentvolumes": "PersistentVolume",
	"statefulsets": "StatefulSet", "storageclasses": "StorageClass", "priorityclasses": "PriorityClass", "configmaps": "ConfigMap",
	"clusterroles": "ClusterRole", "clusterrolebindings": "ClusterRoleBinding",
}

// Server is one.
type Server struct {
	store *store
	life  Life
	http  *httptest.Server
	file  string
	done  chan struct{}
	pods  sync.WaitGroup

	mu  sync.Mutex
	ran map[string]*Ran // by pod
}

// New starts a server with one node, which ends with the test.
func New(t testing.TB, life Life) *Server {
	t.Helper()
	s := &Server{store: newStore(), life: life, done: make(chan struct{}), ran: map[string]*Ran{}}
	s.node()
	s.http = httptest.NewServer(s)
	s.file = filepath.Join(t.TempDir(), "kubeconfig")
	text := fmt.Sprintf("apiVersion: v1\nkind: Config\ncurrent-context: t\ncontexts: [{name: t, context: {cluster: t, user: t}}]\nclusters: [{name: t, cluster: {server: %q}}]\nusers: [{name: t, user: {}}]\n", s.http.URL)
	if err := os.WriteFile(s.file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		close(s.done)
		s.http.CloseClientConnections()
		s.http.Close()
		s.pods.Wait()
	})
	return s
}

// Kubeconfig is the file by which processes reach it.
func (s *Server) Kubeconfig() string { return s.file }

// target is what a path names.
type target struct{ version, resource, namespace, name string }

func (t target) key() string { return t.namespace + "/" + t.name }

// parse reads /api/v1/… and /apis/group/version/…; what comes after a name is a
// part of the same object.
func parse(path string) (t target, ok bool) {
	p := strings.Split(strings.Trim(path, "/"), "/")
	switch {
	case len(p) > 2 && p[0] == "api":
		t.version, p = p[1], p[2:]
	case len(p) > 3 && p[0] == "apis":
		t.version, p = p[1]+"/"+p[2], p[3:]
	default:
		return t, false
	}
	if len(p) > 2 && p[0] == "namespaces" {
		t.namespace, p = p[1], p[2:]
	}
	t.resource = p[0]
	if len(p) > 1 {
		t.name = p[1]
	}
	return t, kinds[t.resource] != ""
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	t, ok := parse(r.URL.Path)
	switch {
	case r.URL.Path == "/readyz":
		_, _ = io.WriteString(w, "ok")
	case !ok:
		refuse(w, http.StatusNotFound, "NotFound", "there is no "+r.URL.Path)
	case strings.HasSuffix(r.URL.Path, "/log"):
		s.log(r, t)
	case r.Method == http.MethodGet && t.name == "" && r.URL.Query().Get("watch") != "":
		s.watch(w, r, t)
	case r.Method == http.MethodGet && t.name == "":
		s.list(w, r, t)
	case r.Method == http.MethodGet:
		s.get(w, t)
	case r.Method == http.MethodDelete:
		s.remove(w, t)
	default:
		s.write(w, r, t)
	}
}

func refuse(w http.ResponseWriter, code int, why, message string) {
	answer(w, code, map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": why, "message": message})
}

func answer(w http.ResponseWriter, code int, v any) {
	b, ok := v.([]byte)
	if !ok {
		b, _ = json.Marshal(v)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = w.Write(b)
}

// wanted reads the selectors of a request.
func wanted(r *http.Request) (func(object) bool, error) {
	sel, err := labels.Parse(r.URL.Query().Get("labelSelector"))
	if err != nil {
		return nil, err
	}
	name, one := strings.CutPrefix(r.URL.Query().Get("fieldSelector"), "metadata.name=")
	return func(o object) bool { return (!one || o.text("name") == name) && sel.Matches(o.labels()) }, nil
}

func (s *Server) list(w http.ResponseWriter, r *http.Request, t target) {
	want, err := wanted(r)
	if err != nil {
		refuse(w, http.StatusBadRequest, "BadRequest", err.Error())
		return
	}
	rows, number := s.store.list(t.resource, t.namespace, want)
	items := make([]json.RawMessage, len(rows))
	for i, o := range rows {
		items[i] = o.raw
	}
	answer(w, http.StatusOK, map[string]any{"kind": kinds[t.resource] + "List", "apiVersion": t.version,
		"metadata": map[string]any{"resourceVersion": strconv.FormatInt(number, 10)}, "items": items})
}

func (s *Server) watch(w http.ResponseWriter, r *http.Request, t target) {
	want, err := wanted(r)
	if err != nil || r.URL.Query().Get("sendInitialEvents") != "" { // clients list, then
		refuse(w, http.StatusUnprocessableEntity, "Invalid", "this server lists")
		return
	}
	number, _ := strconv.ParseInt(r.URL.Query().Get("resourceVersion"), 10, 64)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	out := json.NewEncoder(w)
	for {
		news, more, ok := s.store.since(t.resource, number)
		if !ok {
			_ = out.Encode(map[string]any{"type": "ERROR", "object": map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 410, "reason": "Expired"}})
			return
		}
		for _, c := range news {
			number = c.number
			if t.namespace != "" && c.row.text("namespace") != t.namespace || !want(c.row.object) {
				continue
			}
			if out.Encode(map[string]any{"type": c.what, "object": json.RawMessage(c.row.raw)}) != nil {
				return
			}
		}
		w.(http.Flusher).Flush()
		select {
		case <-more:
		case <-r.Context().Done():
			return
		case <-s.done:
			return
		}
	}
}

// log says nothing for as long as a pod runs.
func (s *Server) log(r *http.Request, t target) {
	for {
		s.store.mu.Lock()
		o := s.store.kind(t.resource).rows[t.key()]
		more := s.store.news
		s.store.mu.Unlock()
		status, _ := o.object["status"].(map[string]any)
		if phase, _ := status["phase"].(string); phase != "Running" {
			return
		}
		select {
		case <-more:
		case <-r.Context().Done():
			return
		case <-s.done:
			return
		}
	}
}

func (s *Server) get(w http.ResponseWriter, t target) {
	s.store.mu.Lock()
	o, ok := s.store.kind(t.resource).rows[t.key()]
	s.store.mu.Unlock()
	if !ok {
		refuse(w, http.StatusNotFound, "NotFound", t.resource+" "+t.name+" not found")
		return
	}
	answer(w, http.StatusOK, o.raw)
}

// write creates, applies, updates and patches.
func (s *Server) write(w http.ResponseWriter, r *http.Request, t target) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	sent, err := decode(r.Header.Get("Content-Type"), body)
	if err != nil {
		refuse(w, http.StatusBadRequest, "BadRequest", err.Error())
		return
	}
	if t.name == "" {
		t.name = sent.text("name")
	}
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	old, there := s.store.kind(t.resource).rows[t.key()]
	switch {
	case r.Method == http.MethodPost && there:
		refuse(w, http.StatusConflict, "AlreadyExists", t.resource+" "+t.name+" already exists")
		return
	case there && t.resource == "jobs": // its template cannot change
		answer(w, http.StatusOK, old.raw)
		return
	case there:
		o := old.copied()
		merge(o, sent)
		answer(w, http.StatusOK, s.store.put(t.resource, t.key(), o).raw)
		return
	case r.Header.Get("Content-Type") == "application/strategic-merge-patch+json":
		refuse(w, http.StatusNotFound, "NotFound", t.resource+" "+t.name+" not found")
		return
	}
	sent["apiVersion"], sent["kind"] = t.version, kinds[t.resource]
	m := sent.meta()
	m["name"] = t.name
	if t.namespace != "" {
		m["namespace"] = t.namespace
	}
	if t.resource == "persistentvolumeclaims" {
		sent["status"] = map[string]any{"phase": "Bound"}
	}
	made := s.store.put(t.resource, t.key(), sent)
	if t.resource == "jobs" {
		s.start(made.copied())
	}
	answer(w, http.StatusCreated, made.raw)
}

// decode reads what clients send: JSON, YAML, and protobuf.
func decode(kind string, body []byte) (object, error) {
	if strings.Contains(kind, "protobuf") {
		o, _, err := scheme.Codecs.UniversalDeserializer().Decode(body, nil, nil)
		if err != nil {
			return nil, err
		}
		if body, err = json.Marshal(o); err != nil {
			return nil, err
		}
	}
	var out object
	return out, yaml.Unmarshal(body, &out)
}

func (s *Server) remove(w http.ResponseWriter, t target) {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	old, ok := s.store.kind(t.resource).rows[t.key()]
	if !ok {
		refuse(w, http.StatusNotFound, "NotFound", t.resource+" "+t.name+" not found")
		return
	}
	s.store.put(t.resource, t.key(), nil)
	switch t.resource {
	case "pods":
		s.gone(t.name)
	case "jobs":
		pod := t.name + podSuffix
		s.store.put("pods", t.namespace+"/"+pod, nil)
		s.gone(pod)
	}
	answer(w, http.StatusOK, old.raw)
}

func stamp(at time.Time) string { return at.UTC().Format(time.RFC3339) }
