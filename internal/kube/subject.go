package kube

import (
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/goblinlab/goblinlab/internal/ident"
)

// SubjectID is the id inside the name of an object, as "ins-…" of a pod or
// "vol-…" of a claim. Names hold it whole (see package ident), and what
// Kubernetes derives from them keeps it: the pod of a StatefulSet adds "-0",
// that of a Job "-" and five letters. Of several the last counts, since what
// comes before is what a person typed. It tells the form alone: check that the
// row exists and that its object's name is the beginning of this one.
func SubjectID(o corev1.ObjectReference) (id string, ok bool) {
	parts := strings.Split(o.Name, "-")
	for i := len(parts) - 1; i > 0; i-- {
		id := parts[i-1] + "-" + parts[i]
		if _, ok := ident.Kind(id); ok {
			return id, true
		}
	}
	return "", false
}
