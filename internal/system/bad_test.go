//go:build cluster

package system

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/goblinlab/goblinlab/internal/testkit"
)

// TestBadInput: what cannot work is refused at once, in both languages, with
// the field's path; nothing of it is left.
func TestBadInput(t *testing.T) {
	l := newLab(t)
	p := l.admin()
	team, ns := p.team()
	img := p.image(testkit.ImageMini, true)
	res := func(cpu, memory string, gpu int) vars { return vars{"cpu": cpu, "memory": memory, "gpu": gpu} }
	var vol struct {
		CreateVolume struct{ Volume struct{ ID string } }
	}
	p.do(`mutation($i: CreateVolumeInput!) { createVolume(input: $i) { volume { id } } }`, vars{"i": vars{"teamId": team, "name": "data", "size": "1Gi"}}, &vol)
	v := vol.CreateVolume.Volume.ID
	mount := func(path string) vars { return vars{"volumeId": v, "path": path} }
	cases := map[string]struct {
		field string
		in    vars
	}{
		"empty name":                  {"name", vars{"name": ""}},
		"name of 200 characters":      {"name", vars{"name": strings.Repeat("名", 200)}},
		"name with a control char":    {"name", vars{"name": "a\x00b"}},
		"zero CPU":                    {"resources.cpu", vars{"resources": res("0", "128Mi", 0)}},
		"negative memory":             {"resources.memory", vars{"resources": res("1", "-1Gi", 0)}},
		"no number":                   {"resources.cpu", vars{"resources": res("many", "128Mi", 0)}},
		"enormous memory":             {"resources.memory", vars{"resources": res("1", "999999999Ti", 0)}},
		"P10 more CPU than any node":  {"resources.cpu", vars{"resources": res("200", "128Mi", 0)}},
		"P10 more GPUs than any node": {"resources.gpu", vars{"resources": res("1", "128Mi", 5)}},
		"negative GPUs":               {"resources.gpu", vars{"resources": res("1", "128Mi", -1)}},
		"unknown image":               {"imageId", vars{"imageId": "img-d0000000000000000000"}},
		"mount inside another":        {"mounts[1].path", vars{"mounts": []vars{mount("/data"), mount("/data/in")}}},
		"two mounts on one path":      {"mounts[1].path", vars{"mounts": []vars{mount("/data"), mount("/data")}}},
		"mount that climbs":           {"mounts[0].path", vars{"mounts": []vars{mount("/data/../etc")}}},
		"relative mount":              {"mounts[0].path", vars{"mounts": []vars{mount("data")}}},
		"unknown volume":              {"mounts[0].volumeId", vars{"mounts": []vars{{"volumeId": "vol-d0000000000000000000", "path": "/data"}}}},
		"sub-path that climbs":        {"mounts[0].subPath", vars{"mounts": []vars{{"volumeId": v, "path": "/data", "subPath": "../x"}}}},
		"reserved variable":           {"env[0].name", vars{"env": []vars{{"name": "PASSWORD", "value": "x"}}}},
		"variable that is no name":    {"env[0].name", vars{"env": []vars{{"name": "a b", "value": "x"}}}},
		"port above all ports":        {"ports[0].number", vars{"ports": []vars{{"name": "x", "number": 70000}}}},
		"port of an app":              {"ports[0].number", vars{"ports": []vars{{"name": "x", "number": 8888}}}},
	}
	const create = `mutation($i: CreateInstanceInput!) { createInstance(input: $i) { instance { id } } }`
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			in := vars{"teamId": team, "name": "bad", "imageId": img, "resources": small()}
			for k, v := range c.in {
				in[k] = v
			}
			texts := map[string]string{}
			for _, lang := range []string{"en", "zh-CN"} {
				q := *p
				q.t, q.lang = t, lang
				errs := q.try(create, vars{"i": in}, nil)
				if len(errs) != 1 || errs[0].Extensions.Code != "INVALID_ARGUMENT" && errs[0].Extensions.Code != "RESOURCE_EXHAUSTED" {
					t.Fatalf("%s: %+v, want one refusal", lang, errs)
				}
				for _, f := range errs[0].Extensions.Fields {
					if f.Path == c.field {
						texts[lang] = f.Message
					}
				}
				if texts[lang] == "" {
					t.Fatalf("%s: fields %+v, want %s", lang, errs[0].Extensions.Fields, c.field)
				}
			}
			if !strings.ContainsFunc(texts["zh-CN"], func(r rune) bool { return unicode.Is(unicode.Han, r) }) || texts["en"] == texts["zh-CN"] {
				t.Errorf("words are not in both languages: %q, %q", texts["en"], texts["zh-CN"])
			}
		})
	}
	if d := p.count(); d != 0 {
		t.Errorf("%d instances are left of refused ones", d)
	}
	good := []string{"爱丽丝的环境", "лаборатория", "مختبر", "it's \"quoted\" `x`", "../../etc/passwd", "🧪🐛", "-", "A.B_c#d@e", strings.Repeat("名", 100), strings.Repeat("🧪", 100)}
	for i, name := range good {
		in := p.createInstance(team, img, vars{"name": name, "start": i == 0})
		if in.Name != name {
			t.Errorf("name %q came back as %q", name, in.Name)
		}
		if i == 0 {
			p.until(in.ID, "RUNNING", time.Minute)
		}
		p.act("deleteInstance", in.ID)
		eventually(t, time.Minute, "it is deleted, and makes room for the next", func() error {
			if p.instance(in.ID) != nil {
				return fmt.Errorf("still there")
			}
			return nil
		})
	}
	l.nothingLeft(p, ns)
}

func (p *person) count() int {
	p.t.Helper()
	var d struct{ Instances struct{ TotalCount int } }
	p.do(`{ instances { totalCount } }`, nil, &d)
	return d.Instances.TotalCount
}

// TestImpatience: whoever clicks faster than the cluster works gets a clear
// end all the same.
func TestImpatience(t *testing.T) {
	l := newLab(t)
	p := l.admin()
	team, ns := p.team()
	img := p.image(testkit.ImageMini, true)
	in := p.createInstance(team, img, vars{"start": true})
	p.act("startInstance", in.ID)
	p.act("stopInstance", in.ID) // while starting (P7)
	p.until(in.ID, "STOPPED", time.Minute)
	p.act("startInstance", in.ID)
	p.until(in.ID, "RUNNING", time.Minute)
	p.act("stopInstance", in.ID)
	p.act("startInstance", in.ID) // while stopping
	got := p.until(in.ID, "RUNNING", time.Minute)
	if got.Starts != 3 {
		t.Errorf("%d starts, want 3", got.Starts)
	}
	p.act("deleteInstance", in.ID) // while running
	eventually(t, time.Minute, "it is deleted", func() error {
		if p.instance(in.ID) != nil {
			return fmt.Errorf("still there")
		}
		return nil
	})
	l.nothingLeft(p, ns)
}

// TestP16BadImageThenFixed: an image that does not exist says so, and the
// repaired instance starts.
func TestP16BadImageThenFixed(t *testing.T) {
	l := newLab(t)
	p := l.admin()
	team, ns := p.team()
	in := p.createInstance(team, p.image("goblinlab.local/none:1", true), vars{"start": true})
	eventually(t, time.Minute, "the reason names the image", func() error {
		got := p.instance(in.ID)
		if got.Reason == nil || !strings.HasPrefix(got.Reason.Code, "image-") || got.Reason.Advice == "" {
			return fmt.Errorf("%s, %+v", got.State, got.Reason)
		}
		return nil
	})
	p.do(`mutation($i: UpdateInstanceInput!) { updateInstance(input: $i) { instance { id } } }`, vars{"i": vars{"id": in.ID, "imageId": p.image(testkit.ImageMini, true)}}, nil)
	p.act("restartInstance", in.ID)
	p.until(in.ID, "RUNNING", time.Minute)
	l.nothingLeft(p, ns)
}

// TestP3QuotaExceededByOne: the sentence has the numbers and who holds them.
func TestP3QuotaExceededByOne(t *testing.T) {
	l := newLab(t)
	p := l.admin()
	team, ns := p.team()
	img := p.image(testkit.ImageMini, true)
	p.do(`mutation($i: UpdateTeamInput!) { updateTeam(input: $i) { team { id } } }`, vars{"i": vars{"id": team, "quota": vars{"cpu": "300m", "memory": "8Gi", "pods": 20}}}, nil)
	for i := range 3 {
		in := p.createInstance(team, img, vars{"name": fmt.Sprint("holder ", i), "start": i < 2})
		if i < 2 {
			p.until(in.ID, "RUNNING", time.Minute)
			continue
		}
		p.do(`mutation($i: UpdateInstanceInput!) { updateInstance(input: $i) { instance { id } } }`, vars{"i": vars{"id": in.ID, "resources": vars{"cpu": "101m", "memory": "64Mi", "gpu": 0}}}, nil)
		errs := p.try(`mutation($id: ID!) { startInstance(id: $id) { instance { id } } }`, vars{"id": in.ID}, nil)
		if len(errs) != 1 || errs[0].Extensions.Code != "RESOURCE_EXHAUSTED" && errs[0].Extensions.Code != "INVALID_ARGUMENT" {
			t.Fatalf("over quota by 1m: %+v, want a refusal with numbers", errs)
		}
		if m := fmt.Sprint(errs[0].Message, errs[0].Extensions.Fields); !strings.Contains(m, "0.3") && !strings.Contains(m, "300m") {
			t.Errorf("the refusal lacks the limit: %s", m)
		}
	}
	l.nothingLeft(p, ns)
}
