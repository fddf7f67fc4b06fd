package graph_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/rs/xid"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/flowversion"
	"github.com/goblinlab/goblinlab/ent/step"
	"github.com/goblinlab/goblinlab/internal/flow"
	"github.com/goblinlab/goblinlab/internal/ident"
	"github.com/goblinlab/goblinlab/internal/server/servertest"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

// told are arguments that do tell, and why that is right.
var told = map[string]string{}

// spot is a place for an id in an operation.
type spot struct {
	root  *ast.Definition
	field *ast.FieldDefinition
	path  string // of its argument, as "input.mounts[].volumeId"
}

func (s spot) name() string { return s.root.Name + "." + s.field.Name + " " + s.path }

// spots are all places for ids.
func spots(s *ast.Schema) []spot {
	var out []spot
	for _, root := range []*ast.Definition{s.Query, s.Mutation, s.Subscription} {
		for _, f := range root.Fields {
			if strings.HasPrefix(f.Name, "__") {
				continue
			}
			for _, a := range f.Arguments {
				for _, p := range idPaths(s, a.Type, a.Name, 0) {
					out = append(out, spot{root, f, p})
				}
			}
		}
	}
	return out
}

func idPaths(s *ast.Schema, t *ast.Type, path string, depth int) []string {
	if t.Elem != nil {
		return idPaths(s, t.Elem, path+"[]", depth)
	}
	if t.NamedType == "ID" {
		return []string{path}
	}
	d := s.Types[t.NamedType]
	if d == nil || d.Kind != ast.InputObject || depth > 6 {
		return nil
	}
	var out []string
	for _, f := range d.Fields {
		out = append(out, idPaths(s, f.Type, path+"."+f.Name, depth+1)...)
	}
	return out
}

// attacker is somebody with a team, an instance, a run and so on of their own.
type attacker struct {
	w   *world
	s   *ast.Schema
	own map[string]string // by the beginning of a field's or an argument's name
}

// texts are what arguments of these names take.
var texts = map[string]string{"cpu": "100m", "memory": "64Mi", "name": "probe", "size": "1Gi", "app": "jupyterlab", "path": "/data",
	"subPath": "", "confirmName": "probe", "key": "limits.gpu", "value": "1", "to": "li@example.com", "displayName": "Probe", "command": "true"}

// argument is a value of a type at a path; target stands where the spot is.
func (a *attacker) argument(x spot, t *ast.Type, path, target string) (any, bool) {
	here := x.path == path || strings.HasPrefix(x.path, path+".") || strings.HasPrefix(x.path, path+"[")
	if !t.NonNull && !here {
		return nil, false
	}
	if t.Elem != nil {
		v, ok := a.argument(x, t.Elem, path+"[]", target)
		if !ok || !here && t.Elem.NamedType != "String" {
			return []any{}, true
		}
		return []any{v}, true
	}
	name := path[strings.LastIndexAny(path, ".]")+1:]
	switch t.NamedType {
	case "ID":
		if x.path == path {
			return target, true
		}
		return a.ownID(x, name), true
	case "Int", "Int64":
		return 1, true
	case "Float":
		return 1.5, true
	case "Boolean":
		return false, true
	case "String":
		if v, ok := texts[name]; ok {
			return v, true
		}
		return "probe", true
	case "Time":
		return "2026-01-31T08:00:00Z", true
	}
	d := a.s.Types[t.NamedType]
	if d.Kind == ast.Enum {
		return d.EnumValues[0].Name, true
	}
	out := map[string]any{}
	for _, f := range d.Fields {
		if v, ok := a.argument(x, f.Type, path+"."+f.Name, target); ok {
			out[f.Name] = v
		}
	}
	return out, true
}

// ownID is an id of the attacker's for an argument.
func (a *attacker) ownID(x spot, name string) string {
	for _, text := range []string{strings.ToLower(strings.TrimSuffix(name, "Id")), strings.ToLower(x.field.Name)} {
		for _, noun := range []string{"flowrun", "flow", "instance", "attempt", "volume", "image", "run", "user", "team", "subject", "token", "session", "share"} {
			if strings.Contains(text, noun) && a.own[noun] != "" {
				return a.own[noun]
			}
		}
	}
	return a.own["instance"]
}

// operation is the field with all its arguments as variables, and what it gives.
func (a *attacker) operation(x spot, target string) (string, map[string]any) {
	vars := map[string]any{}
	var declared, passed []string
	for _, arg := range x.field.Arguments {
		v, ok := a.argument(x, arg.Type, arg.Name, target)
		if !ok {
			continue
		}
		vars[arg.Name] = v
		declared = append(declared, "$"+arg.Name+": "+arg.Type.String())
		passed = append(passed, arg.Name+": $"+arg.Name)
	}
	kind := strings.ToLower(x.root.Name)
	return fmt.Sprintf("%s(%s) { %s(%s) %s }", kind, strings.Join(declared, ", "), x.field.Name, strings.Join(passed, ", "), a.selection(x.field.Type, 3)), vars
}

// selection is everything plain of a type, some levels deep.
func (a *attacker) selection(t *ast.Type, depth int) string {
	d := a.s.Types[t.Name()]
	if d.Kind != ast.Object && d.Kind != ast.Interface {
		return ""
	}
	parts := []string{"__typename"}
	for _, f := range d.Fields {
		inner := a.s.Types[f.Type.Name()]
		switch {
		case len(f.Arguments) > 0, strings.HasPrefix(f.Name, "__"):
		case inner.Kind == ast.Scalar || inner.Kind == ast.Enum:
			parts = append(parts, f.Name)
		case depth > 1 && f.Name != "edges" && f.Name != "members" && f.Name != "quota":
			parts = append(parts, f.Name+" "+a.selection(f.Type, depth-1))
		}
	}
	return "{ " + strings.Join(parts, " ") + " }"
}

// victims are ids of things of the member's team, by what they are.
func (w *world) victims(t *testing.T) map[string]string {
	t.Helper()
	i := w.instance(runningInstance)
	w.happened(i.TeamID, i.ID, "Pulled")
	att := w.attempt()
	w.log(att, "a line of another team")
	run := must[*ent.Run](w)(w.DB.Client.Run.Get(w.sys, att.RunID))
	fr := w.failedFlowRun()
	return map[string]string{
		"flow": fr.FlowID, "flowrun": fr.ID, "version": w.DB.Client.FlowVersion.Query().Where(flowversion.FlowID(fr.FlowID)).OnlyIDX(w.sys),
		"step":     w.DB.Client.Step.Query().Where(step.FlowRunID(fr.ID)).FirstIDX(w.sys),
		"backfill": aBackfill(w), "group": w.slotGroup(),
		"team": w.Cast.Team.ID, "user": w.Cast.Member.ID, "image": w.image(&w.Cast.Team.ID).ID, "volume": w.volume().ID, "instance": i.ID,
		"task": run.TaskID, "run": run.ID, "attempt": att.ID, "event": w.DB.Client.Event.Query().FirstIDX(w.sys),
		"share":  w.shareOf(func(c *ent.ShareCreate) { c.SetUserID(w.Cast.Owner.ID).SetGrantee(w.Cast.Owner.Email) }).ID,
		"secret": w.secret(true), "token": aToken(w), "session": aSession(w), "membership": w.DB.Client.Membership.Query().FirstIDX(w.sys),
	}
}

// unknown is an id of the same form of which there is nothing.
func unknown(id string) string {
	if kind, ok := ident.Kind(id); ok {
		return ident.New(kind)
	}
	return xid.New().String()
}

func newAttacker(t *testing.T, w *world) (*attacker, *servertest.Browser) {
	t.Helper()
	c := w.DB.Client
	mine := func(i *ent.InstanceCreate) {
		runningInstance(i)
		i.SetTeamID(w.Cast.OtherTeam.ID).SetOwnerID(w.Cast.Other.ID)
	}
	img := w.image(&w.Cast.OtherTeam.ID)
	vol := c.Volume.Create().SetTeamID(w.Cast.OtherTeam.ID).SetOwnerID(w.Cast.Other.ID).SetName("probe").SetKind("data").
		SetObjectName("probe").SetSizeBytes(1 << 30).SetAccessMode("ReadWriteMany").SaveX(w.sys)
	task := c.Task.Create().SetTeamID(w.Cast.OtherTeam.ID).SetOwnerID(w.Cast.Other.ID).SetName("t").SetImageID(img.ID).
		SetSpec(spec.Task{ImageID: img.ID, Command: []string{"true"}, Resources: small, Class: spec.ClassTest}).SaveX(w.sys)
	r := c.Run.Create().SetTeamID(w.Cast.OtherTeam.ID).SetOwnerID(w.Cast.Other.ID).SetTaskID(task.ID).SetName("t").SaveX(w.sys)
	f := w.flowOf(w.Cast.OtherTeam, w.Cast.Other)
	fr := must[*ent.FlowRun](w)(w.flows.Run(testkit.As(t, w.DB, w.Cast.Other), flow.RunInput{FlowID: f.ID}))
	return &attacker{w, schema(t), map[string]string{"flow": f.ID, "flowrun": fr.ID, "team": w.Cast.OtherTeam.ID, "user": w.Cast.Other.ID, "image": img.ID, "volume": vol.ID,
		"instance": w.instance(mine).ID, "run": r.ID, "share": w.shareOf().ID}}, w.SignIn(t, w.Cast.Other)
}

var (
	anyID     = regexp.MustCompile(`\b[a-z]{2,4}-[0-9a-v]{20}\b|\b[0-9a-v]{20}\b`)
	anyTime   = regexp.MustCompile(`\d{4}-\d\d-\d\dT[0-9:.]+Z`)
	requestID = regexp.MustCompile(`"requestId":"[^"]*"`)
)

// plain is an answer without what is new in each.
func plain(answer string) string {
	return requestID.ReplaceAllString(anyTime.ReplaceAllString(anyID.ReplaceAllString(answer, "ID"), "TIME"), "")
}

// raw sends an operation and gives the answer as it came, and how often the
// database was asked.
func (w *world) raw(b *servertest.Browser, op string, vars map[string]any) (string, int64) {
	w.t.Helper()
	body, err := json.Marshal(map[string]any{"query": op, "variables": vars})
	if err != nil {
		w.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, w.URL+"/graphql", bytes.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	before := w.Queries.Load()
	res, err := b.HTTP.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return fmt.Sprint(res.StatusCode, " ", plain(string(text))), w.Queries.Load() - before
}
