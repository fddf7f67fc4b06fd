package graph_test

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/server/servertest"
)

func TestErrorsOfTheLanguageAreOurs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.SignIn(t, w.Cast.Member)
	hash := sha256.Sum256([]byte("another"))
	for name, c := range map[string]struct {
		body             map[string]any
		code, id         string
		english, chinese string // before what the library says
		detail           string
	}{
		"syntax":           {map[string]any{"query": "{ viewer { "}, "INVALID_ARGUMENT", "api.syntax", "The query cannot be read: ", "无法读取查询：", "Expected Name"},
		"an unknown field": {map[string]any{"query": "{ viewer { nothing } }"}, "INVALID_ARGUMENT", "api.validation", "The query does not fit the API: ", "查询不符合接口：", `Cannot query field "nothing"`},
		"no operation":     {map[string]any{"query": ""}, "INVALID_ARGUMENT", "api.validation", "The query does not fit the API: ", "查询不符合接口：", "no operation provided"},
		"a wrong name":     {map[string]any{"query": "query A { __typename }", "operationName": "B"}, "INVALID_ARGUMENT", "api.validation", "The query does not fit the API: ", "查询不符合接口：", "operation B not found"},
		"a variable": {map[string]any{"query": "mutation($in: CreateTeamInput!) { createTeam(input: $in) { team { id } } }", "variables": map[string]any{"in": map[string]any{"name": 5, "nope": 1}}},
			"INVALID_ARGUMENT", "api.variable", "The variable in.", "变量 in.", ""},
		"a variable that is not there": {map[string]any{"query": "query($id: ID!) { node(id: $id) { id } }"}, "INVALID_ARGUMENT", "api.variable", "The variable id ", "变量 id ", "must be defined"},
		"too many words":               {map[string]any{"query": "{ " + strings.Repeat("a ", 9000) + "}"}, "RESOURCE_EXHAUSTED", "api.tokens", "The query has more than 8000 ", "查询超过 8000 ", ""},
		"a persisted one of others": {map[string]any{"query": "{ __typename }", "extensions": map[string]any{"persistedQuery": map[string]any{"version": 1, "sha256Hash": hex.EncodeToString(hash[:])}}},
			"INVALID_ARGUMENT", "api.persisted", "The persisted query cannot be used: ", "无法使用该预存查询：", "does not match"},
	} {
		for l, words := range map[string]string{"en": c.english, "zh-CN": c.chinese} {
			t.Run(name+" in "+l, func(t *testing.T) {
				b := b.For(t)
				b.Language = l
				var a servertest.Answer
				b.Post("/graphql", c.body, &a)
				if a.Code() != c.code || a.Errors[0].Extensions.ID != c.id {
					t.Fatalf("code %q: %+v", a.Code(), a.Errors)
				}
				if m := a.Errors[0].Message; !strings.HasPrefix(m, words) || !strings.Contains(m, c.detail) {
					t.Errorf("it says %q", m)
				}
			})
		}
	}
	var a servertest.Answer
	b.Post("/graphql", map[string]any{"query": "{ " + strings.Repeat("x", 5000) + " }"}, &a)
	if m := a.Errors[0].Message; len(m) > 600 {
		t.Errorf("%d bytes are sent back", len(m))
	}
	// What a client of persisted queries waits for stays as it is.
	b.Post("/graphql", map[string]any{"extensions": map[string]any{"persistedQuery": map[string]any{"version": 1, "sha256Hash": hex.EncodeToString(hash[:])}}}, &a)
	if a.Code() != "PERSISTED_QUERY_NOT_FOUND" || a.Errors[0].Message != "PersistedQueryNotFound" {
		t.Errorf("%+v", a.Errors)
	}
}

// TestEveryInputHasAName asks for a word for each input of the contract, so
// that an error over several fields says which is meant.
func TestEveryInputHasAName(t *testing.T) {
	t.Parallel()
	s := schema(t)
	var look func(path string, typ *ast.Type, depth int)
	look = func(path string, typ *ast.Type, depth int) {
		if typ.Elem != nil {
			path += "[0]"
		}
		for _, l := range []lang.Lang{lang.English, lang.Chinese} {
			if path != "" && path != "input" && path != "input[0]" && lang.FieldName(l, strings.TrimPrefix(path, "input.")) == "" {
				t.Errorf("%s has no name in %s: add field.%s", path, l, path[strings.LastIndex(path, ".")+1:])
			}
		}
		if d := s.Types[typ.Name()]; d.Kind == ast.InputObject && depth < 6 {
			for _, f := range d.Fields {
				look(strings.TrimPrefix(path+"."+f.Name, "."), f.Type, depth+1)
			}
		}
	}
	for _, root := range []*ast.Definition{s.Query, s.Mutation, s.Subscription} {
		for _, f := range root.Fields {
			for _, a := range f.Arguments {
				look(a.Name, a.Type, 0)
			}
		}
	}
}

func TestASentenceOverSeveralFieldsNamesEach(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.SignIn(t, w.Cast.Member)
	const op = `mutation($team: ID!) { createVolume(input: {teamId: $team, name: "", size: "much", accessMode: READ_WRITE_ONCE, storageClass: "A B"}) { volume { id } } }`
	for l, want := range map[string][]string{
		"en":    {"Give a name", "“much” is not a size", "“A B” cannot be the name of a storage class"},
		"zh-CN": {"名称", "无法识别容量“much”", "存储类"},
	} {
		b.Language = l
		a := b.Ask(op, map[string]any{"team": w.Cast.Team.ID})
		if a.Code() != "INVALID_ARGUMENT" || len(a.Errors[0].Extensions.Fields) != 3 {
			t.Fatalf("%+v", a.Errors)
		}
		for _, words := range want {
			if !strings.Contains(a.Errors[0].Message, words) {
				t.Errorf("%q is not in %q", words, a.Errors[0].Message)
			}
		}
		if m := strings.ToLower(a.Errors[0].Message); strings.Contains(m, "memory") || strings.Contains(m, "内存") {
			t.Errorf("a size is called memory: %q", m)
		}
	}
	b.Language = "zh-CN"
	made := b.Ask(`mutation { createSecret(input: {name: "", git: {host: "", token: ""}}) { secret { id } } }`, nil)
	if m := made.Errors[0].Message; !strings.Contains(m, "主机") || strings.Contains(m, "？") {
		t.Errorf("it says %q", m)
	}
}

// TestAnEmptyIDIsMissing sends nothing where an id is asked for.
func TestAnEmptyIDIsMissing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, who := range []string{"member", "admin"} {
		b := w.SignIn(t, w.Cast.Member)
		if who == "admin" {
			b = w.SignIn(t, w.Cast.Admin)
		}
		s := schema(t)
		for _, f := range s.Mutation.Fields {
			a := f.Arguments.ForName("id")
			if a == nil {
				continue
			}
			more := ""
			for _, other := range f.Arguments {
				if other.Name != "id" && other.DefaultValue == nil {
					more += ", " + other.Name + `: "x"`
				}
			}
			payload := " { __typename }"
			for _, id := range []string{"", "   "} {
				got := b.Ask(`mutation { `+f.Name+`(id: "`+id+`"`+more+`)`+payload+` }`, nil)
				switch got.Code() {
				case "INVALID_ARGUMENT", "FORBIDDEN":
				default:
					t.Errorf("%s of %q as %s: %+v", f.Name, id, who, got.Errors)
				}
				if len(got.Errors) > 0 && (strings.Contains(got.Errors[0].Message, " ,") || strings.Contains(got.Errors[0].Message, "  ")) {
					t.Errorf("%s has a hole: %q", f.Name, got.Errors[0].Message)
				}
			}
		}
	}
}
