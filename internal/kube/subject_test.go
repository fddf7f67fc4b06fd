package kube

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/goblinlab/goblinlab/internal/ident"
)

func TestSubjectIDIsTheIDInsideAName(t *testing.T) {
	t.Parallel()
	ins, vol, att := ident.New(ident.Instance), ident.New(ident.Volume), ident.New(ident.Attempt)
	cases := map[string]struct{ name, want string }{
		"a StatefulSet":                     {ident.ObjectName("My lab", ins), ins},
		"its pod":                           {ident.ObjectName("My lab", ins) + "-0", ins},
		"a claim":                           {ident.ObjectName("home", vol), vol},
		"the pod of a Job":                  {ident.ObjectName("train", att) + "-x7k2p", att},
		"a person who typed somebody's id":  {ident.ObjectName(vol, ins) + "-0", ins},
		"a person who typed the id thrice":  {ident.ObjectName(ins+" "+ins, vol), vol},
		"a name of somebody else's program": {"coredns-5d78c9869d-abcde", ""},
		"an empty name":                     {"", ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, ok := SubjectID(corev1.ObjectReference{Name: c.name})
			if got != c.want || ok != (c.want != "") {
				t.Errorf("SubjectID(%q) = %q, %v; want %q", c.name, got, ok, c.want)
			}
		})
	}
}
