package lang_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/reason"
)

var (
	placeholder = regexp.MustCompile(`\{([a-zA-Z]+)\??\}`)
	brace       = regexp.MustCompile(`[{}]`)
	chinese     = regexp.MustCompile(`\p{Han}`)
)

// messages reads a language's files, text by id, in a map by the file's name.
func messages(t *testing.T, l lang.Lang) map[string]map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(string(l), "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no files: %v", l, err)
	}
	out := map[string]map[string]string{}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		m := map[string]string{}
		if err := yaml.UnmarshalStrict(b, &m); err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		out[filepath.Base(f)] = m
	}
	return out
}

func placeholders(text string) []string {
	var names []string
	for _, m := range placeholder.FindAllStringSubmatch(text, -1) {
		names = append(names, m[1])
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func TestBothLanguagesSayTheSame(t *testing.T) {
	t.Parallel()
	english, chineseText := messages(t, lang.English), messages(t, lang.Chinese)
	shape := func(files map[string]map[string]string) map[string]map[string][]string {
		out := map[string]map[string][]string{}
		for f, m := range files {
			out[f] = map[string][]string{}
			for id, text := range m {
				out[f][id] = placeholders(text)
			}
		}
		return out
	}
	if diff := cmp.Diff(shape(english), shape(chineseText)); diff != "" {
		t.Errorf("ids or placeholders differ (-en +zh-CN):\n%s", diff)
	}
}

func TestEveryMessageIsWellFormed(t *testing.T) {
	t.Parallel()
	for _, l := range []lang.Lang{lang.English, lang.Chinese} {
		seen := map[string]string{}
		for f, m := range messages(t, l) {
			for id, text := range m {
				if other, twice := seen[id]; twice {
					t.Errorf("%s: %s stands in %s and in %s", l, id, other, f)
				}
				seen[id] = f
				if text == "" {
					t.Errorf("%s: %s is empty", l, id)
				}
				if brace.MatchString(placeholder.ReplaceAllString(text, "")) {
					t.Errorf("%s: %s has a brace that belongs to no placeholder: %q", l, id, text)
				}
				if l == lang.English && chinese.MatchString(text) {
					t.Errorf("%s: %s is Chinese: %q", l, id, text)
				}
			}
		}
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lang lang.Lang
		id   string
		args map[string]any
		want string
	}{
		"English":             {lang.English, "fault.not-found", map[string]any{"what": "@noun.volume", "id": "vol-1"}, "There is no volume vol-1, or you may not see it."},
		"Chinese":             {lang.Chinese, "fault.not-found", map[string]any{"what": "@noun.volume", "id": "vol-1"}, "没有找到存储卷 vol-1，或者您无权查看。"},
		"missing argument":    {lang.English, "fault.not-found", map[string]any{"id": "x"}, "There is no ? x, or you may not see it."},
		"unknown id":          {lang.Chinese, "no.such.id", nil, "no.such.id"},
		"at sign of a user's": {lang.English, "fault.not-found", map[string]any{"what": "@home", "id": "x"}, "There is no @home x, or you may not see it."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := lang.Text(c.lang, c.id, c.args); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// Whatever argument is empty, the sentence says so and has no hole.
func TestNoMessageHasAHole(t *testing.T) {
	t.Parallel()
	for _, l := range []lang.Lang{lang.English, lang.Chinese} {
		for _, m := range messages(t, l) {
			for id, text := range m {
				for _, name := range placeholders(text) {
					for _, nothing := range []any{"", " \t", nil, []string{}, []string{""}} {
						args := map[string]any{}
						for _, other := range placeholders(text) {
							args[other] = "x"
						}
						args[name] = nothing
						got := lang.Text(l, id, args)
						want := "empty"
						if lang.Has("empty." + name) {
							want += "." + name
						}
						if strings.Contains(text, "{"+name+"?}") {
							if strings.Contains(got, lang.Text(l, "empty", nil)) {
								t.Errorf("%s: %s can do without %s, and reads %q", l, id, name, got)
							}
							continue
						}
						if word := lang.Text(l, want, nil); !strings.Contains(got, word) {
							t.Errorf("%s: %s with nothing for %s is %q, without %q", l, id, name, got, word)
						}
					}
				}
			}
		}
	}
}

func TestFieldsHaveTheNamesThatPeopleUse(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lang                 lang.Lang
		path, sentence, want string
	}{
		"by its last part":          {lang.English, "resources.cpu", "Too much.", "CPU: Too much."},
		"in a list":                 {lang.English, "mounts[1].path", "Too long.", "Mount 2, Path: Too long."},
		"a whole entry":             {lang.English, "args[0]", "Too long.", "Argument 1: Too long."},
		"in Chinese":                {lang.Chinese, "env[0].name", "太长。", "第 1 个环境变量，名称：太长。"},
		"named already":             {lang.English, "name", "The name is empty.", "The name is empty."},
		"a setting":                 {lang.English, "limits.volumebytes", "Too much.", "Size of a volume: Too much."},
		"a size of instances":       {lang.Chinese, "profiles[2].memory", "太大。", "第 3 个规格，内存：太大。"},
		"nothing that is known":     {lang.English, "what[ever]", "Wrong.", "Wrong."},
		"a number that is no index": {lang.English, "args[-1]", "Wrong.", "Arguments: Wrong."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := lang.Field(c.lang, c.path, c.sentence); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	for accept, want := range map[string]lang.Lang{
		"":                           lang.English,
		"zh-CN,zh;q=0.9,en;q=0.8":    lang.Chinese,
		"zh":                         lang.Chinese,
		"zh-Hans":                    lang.Chinese,
		"en-GB,zh;q=0.5":             lang.English,
		"fr":                         lang.English,
		"en;q=0.1,zh-CN;q=0.9":       lang.Chinese,
		"not a header at all;;;q=;;": lang.English,
	} {
		if got := lang.Parse(accept); got != want {
			t.Errorf("Parse(%q) is %s, want %s", accept, got, want)
		}
	}
}

func TestEveryReasonHasWordsAndAdvice(t *testing.T) {
	t.Parallel()
	english := messages(t, lang.English)["reason.yaml"]
	known := map[string]bool{}
	for _, code := range reason.Codes() {
		if known[code] {
			t.Errorf("code %s is listed twice", code)
		}
		known[code] = true
		for _, id := range []string{"reason." + code, "advice." + code} {
			if !lang.Has(id) {
				t.Errorf("%s is missing", id)
			}
		}
		// One reason quotes another's advice, which then has no arguments.
		if p := placeholders(english["advice."+code]); p != nil {
			t.Errorf("advice.%s has placeholders %v", code, p)
		}
	}
	for id := range english {
		kind, code, _ := strings.Cut(id, ".")
		if (kind == "reason" || kind == "advice") && !known[code] {
			t.Errorf("%s belongs to no code", id)
		}
	}
}
