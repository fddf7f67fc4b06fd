package archtest

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// forbidden text in Go source, with the files that may hold it.
var forbidden = []struct {
	why  string
	text *regexp.Regexp
	may  []string
}{
	{
		"nobody edits the audit log: retention alone deletes from it",
		regexp.MustCompile(`\bAudit\.(Update|UpdateOne|UpdateOneID|Delete|DeleteOne|DeleteOneID)\(|NewAuditClient|(?i)(UPDATE|DELETE FROM|TRUNCATE)\s+["` + "`" + `]?audit\b`),
		[]string{"internal/audit/list.go"},
	},
	{
		"what the page can change is read by Config.Now(), or it counts from the next start only",
		regexp.MustCompile(`\bConfig\.(Limits|Pools|SSH|Defaults|Mail|API|Profiles)\b`),
		[]string{"internal/gateway/ssh.go", "internal/app/app.go"}, // ssh.listen, which counts from the start on
	},
}

func TestSourceHoldsNothingForbidden(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	hits := make([]int, len(forbidden))
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel := filepath.ToSlash(strings.TrimPrefix(path, root+string(filepath.Separator)))
		if d.IsDir() {
			switch rel {
			case "ent", "deploy", "frontend", "bin", ".git", "graph/generated":
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(rel, ".go") || strings.HasSuffix(rel, "_test.go") {
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for i, f := range forbidden {
			for _, at := range f.text.FindAllIndex(b, -1) {
				allowed := false
				for _, m := range f.may {
					allowed = allowed || m == rel
				}
				if hits[i]++; !allowed {
					t.Errorf("%s: %q: %s", rel, b[at[0]:at[1]], f.why)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range hits {
		if n == 0 {
			t.Errorf("nothing matches %q: it guards nothing", forbidden[i].why)
		}
	}
}

// TestNothingOfAnEntryCanBeSet: an update of the audit log has nothing to set.
func TestNothingOfAnEntryCanBeSet(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile(filepath.Join("..", "..", "ent", "audit_update.go"))
	if err != nil {
		t.Fatal(err)
	}
	if m := regexp.MustCompile(`func \([a-z_]+ \*AuditUpdate(One)?\) (Set|Clear|Add|Append)\w+`).FindAll(b, -1); len(m) > 0 {
		t.Errorf("%s", m)
	}
}
