//go:build e2e

package e2e

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// shareIsAShare measures how much of a processor a container gets that wants all of it.
func shareIsAShare(t *testing.T, l *local) {
	const limit, deviation, window, tries = 0.250, 0.15, 10 * time.Second, 3
	p := sleeper("busy", nil, "while true; do :; done")
	p.Spec.TopologySpreadConstraints = nil
	p.Spec.Containers[0].Resources.Limits = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("250m"), corev1.ResourceMemory: resource.MustParse("32Mi")}
	if err := l.apply(p); err != nil {
		t.Fatal(err)
	}
	l.must("wait", "--for=condition=Ready", "pod/busy", "--timeout=60s")
	defer l.must("delete", "pod", "busy", "--timeout=30s")
	for range tries {
		before := l.useOf("busy")
		time.Sleep(window)
		after := l.useOf("busy")
		share := (after.time - before.time).Seconds() / (after.at - before.at)
		held := float64(after.throttled-before.throttled) / float64(max(after.periods-before.periods, 1))
		t.Logf("%.0fm of 250m; the limit held it back in %.0f %% of the periods", share*1000, held*100)
		if share > limit*(1+deviation) {
			t.Fatalf("got %.3f of a processor, the limit is %.3f", share, limit)
		}
		if held < 0.8 { // others took the processor before the limit could
			continue
		}
		if math.Abs(share-limit) > limit*deviation {
			t.Errorf("got %.3f of a processor, the limit is %.3f", share, limit)
		}
		return
	}
	t.Skip("the machine is too busy to tell whether a container gets all of its share; it never got more")
}

// use is what a container has had of the processors.
type use struct {
	at                 float64       // seconds since the machine started
	time               time.Duration // of the first process
	periods, throttled int
}

func (l *local) useOf(pod string) use {
	l.t.Helper()
	out := l.must("exec", pod, "--", "sh", "-c", "cat /proc/uptime /proc/1/stat /sys/fs/cgroup/cpu/cpu.stat /sys/fs/cgroup/cpu.stat 2>/dev/null; true")
	number := func(text string) int {
		n, err := strconv.Atoi(text)
		if err != nil {
			l.t.Fatalf("%v in\n%s", err, out)
		}
		return n
	}
	named := func(name string) int {
		m := regexp.MustCompile(`(?m)^` + name + ` (\d+)$`).FindStringSubmatch(out)
		if m == nil {
			l.t.Fatalf("no %s in\n%s", name, out)
		}
		return number(m[1])
	}
	const tick = time.Second / 100
	f := strings.Fields(out)
	at, err := strconv.ParseFloat(f[0], 64)
	if err != nil {
		l.t.Fatal(err)
	}
	stat := f[2:] // after the two numbers of uptime
	return use{
		at: at, time: time.Duration(number(stat[13])+number(stat[14])) * tick, // user and system
		periods: named("nr_periods"), throttled: named("nr_throttled"),
	}
}
