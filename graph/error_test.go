package graph_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goblinlab/goblinlab/graph"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/server/servertest"
)

func TestErrorsSpeakBothLanguagesAndNameEveryField(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	img := w.image(nil)
	const op = `mutation($team: ID!, $image: ID!) { createInstance(input: {teamId: $team, name: "", imageId: $image, resources: {cpu: "lots", memory: "-1Gi"}}) { instance { id } } }`
	vars := map[string]any{"team": w.Cast.Team.ID, "image": img.ID}
	for l, word := range map[string]string{"en-GB, zh;q=0.1": "memory", "zh-CN,zh;q=0.9": "内存", "": "memory"} {
		b := w.SignIn(t, w.Cast.Member)
		b.Language = l
		a := b.Ask(op, vars)
		if a.Code() != "INVALID_ARGUMENT" {
			t.Fatalf("%s: %+v", l, a.Errors)
		}
		e := a.Errors[0]
		paths := map[string]string{}
		for _, f := range e.Extensions.Fields {
			paths[f.Path] = f.Message
			if !strings.Contains(e.Message, f.Message) {
				t.Errorf("%q is not part of %q", f.Message, e.Message)
			}
		}
		for _, p := range []string{"name", "resources.cpu", "resources.memory"} {
			if paths[p] == "" || strings.HasPrefix(paths[p], "fault.") {
				t.Errorf("%s: field %s says %q", l, p, paths[p])
			}
		}
		if !strings.Contains(strings.ToLower(e.Message), word) {
			t.Errorf("%s: %q", l, e.Message)
		}
		if len(e.Path) != 1 || e.Path[0] != "createInstance" {
			t.Errorf("path %v", e.Path)
		}
	}
}

func TestWhatIsOursToMendStaysInTheLog(t *testing.T) {
	t.Parallel()
	e := graph.Present(t.Context(), &os.PathError{Op: "open", Path: "/secret/place", Err: os.ErrPermission})
	if e.Extensions["code"] != string(fault.Internal) || strings.Contains(e.Message, "secret") {
		t.Errorf("%q %v", e.Message, e.Extensions)
	}
	if e := graph.Present(t.Context(), context.DeadlineExceeded); e.Extensions["code"] != string(fault.Unavailable) {
		t.Errorf("a timeout is %v", e.Extensions)
	}
}

func TestAPanicIsAnAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	i := w.instance(runningInstance) // started, and there is no cluster to read its secret from
	a := w.SignIn(t, w.Cast.Member).Ask(`mutation($id: ID!) { revealInstanceSecret(id: $id) { password } }`, map[string]any{"id": i.ID})
	if a.Code() != "INTERNAL" || a.Errors[0].Extensions.RequestID == "" || strings.Contains(a.Errors[0].Message, "nil pointer") {
		t.Errorf("%+v", a.Errors)
	}
}

// multiplied is a short query whose fragments, written out, are 8^n fields.
func multiplied(n int) string {
	var b strings.Builder
	b.WriteString("{ teams(first: 1) { nodes { ...f0 } } }")
	for i := range n {
		fmt.Fprintf(&b, " fragment f%d on Team {", i)
		for alias := range 8 {
			fmt.Fprintf(&b, " m%d: members { team { ...f%d } }", alias, i+1)
		}
		b.WriteString(" }")
	}
	fmt.Fprintf(&b, " fragment f%d on Team { id }", n)
	return b.String()
}

func TestCostlyOperationsAreRefusedBeforeTheyRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.SignIn(t, w.Cast.Member)
	deep := "id"
	for range 20 {
		deep = "members { team { " + deep + " } }"
	}
	for name, op := range map[string]string{
		"lists in lists":          `{ instances(first: 200) { nodes { id events(first: 200) { nodes { id type message } } } } }`,
		"deep":                    `{ teams(first: 1) { nodes { ` + deep + ` } } }`,
		"fragments that multiply": multiplied(6),
	} {
		t.Run(name, func(t *testing.T) {
			a := b.Ask(op, nil)
			if a.Code() != "RESOURCE_EXHAUSTED" || !strings.Contains(a.Errors[0].Message, "at most") {
				t.Errorf("%+v", a.Errors)
			}
		})
	}
	vars := map[string]any{"n": 200}
	if a := b.Ask(`query($n: Int) { runs(first: $n) { nodes { id events(first: $n) { nodes { id } } } } }`, vars); a.Code() != "RESOURCE_EXHAUSTED" {
		t.Errorf("through variables: %+v", a.Errors)
	}
	if a := b.Ask(`{ instances(first: 200) { nodes { id name state version createdAt owner { id displayName } team { id name } image { id name reference } reason { code text } resources { cpuMilli memoryBytes gpu } can { start stop } } } }`, nil); a.Code() != "" {
		t.Errorf("an ordinary page: %+v", a.Errors)
	}
}

func TestIntrospectionAnswers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var got struct {
		Schema struct{ QueryType struct{ Name string } } `json:"__schema"`
	}
	w.SignIn(t, w.Cast.Member).Get(`{ __schema { queryType { name } types { name fields { name type { name kind ofType { name kind ofType { name kind ofType { name kind ofType { name } } } } } } } } }`, nil, &got)
	if got.Schema.QueryType.Name != "Query" {
		t.Errorf("%+v", got)
	}
}

func TestPrintedSchemaIsFresh(t *testing.T) {
	t.Parallel()
	have, err := os.ReadFile(filepath.Join("..", "schema.graphql"))
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	graph.PrintSchema(&want)
	if !bytes.Equal(have, want.Bytes()) {
		t.Error("schema.graphql is stale: run go generate ./graph")
	}
}

func TestABodyThatIsNoRequestIsToldAndNotSentBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.SignIn(t, w.Cast.Member)
	b.Language = "zh-CN"
	for _, body := range []string{`{"query": secret`, `["secret"]`, `"secret"`, ``} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.URL+"/graphql", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		var a servertest.Answer
		b.Do(req, &a)
		if a.Code() != string(fault.InvalidArgument) || !strings.Contains(a.Errors[0].Message, "JSON，例如") || strings.Contains(fmt.Sprint(a), "secret") {
			t.Errorf("%q: %+v", body, a.Errors)
		}
	}
}
