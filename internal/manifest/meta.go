package manifest

import (
	"strconv"

	"k8s.io/apimachinery/pkg/types"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"

	"github.com/goblinlab/goblinlab/internal/spec"
)

func (o Object) labels(component string, more map[string]string) map[string]string {
	l := map[string]string{
		LabelManagedBy: Manager,
		LabelPartOf:    Manager,
		LabelComponent: component,
	}
	set(l, LabelOwnerID, o.OwnerID)
	set(l, LabelTeamID, o.TeamID)
	for k, v := range more {
		set(l, k, v)
	}
	return l
}

func (o Object) annotations(more map[string]string) map[string]string {
	a := map[string]string{AnnotationGeneration: strconv.FormatInt(o.Generation, 10)}
	set(a, AnnotationName, o.Title)
	set(a, AnnotationOwnerEmail, o.OwnerEmail)
	for k, v := range more {
		set(a, k, v)
	}
	return a
}

// owners are the references of an object that goes with another; none when it stands alone.
func (o Object) owners() []*metav1ac.OwnerReferenceApplyConfiguration {
	if o.Owner == nil {
		return nil
	}
	return []*metav1ac.OwnerReferenceApplyConfiguration{metav1ac.OwnerReference().
		WithAPIVersion(o.Owner.APIVersion).
		WithKind(o.Owner.Kind).
		WithName(o.Owner.Name).
		WithUID(types.UID(o.Owner.UID)).
		WithController(false).
		WithBlockOwnerDeletion(false)}
}

func set(m map[string]string, key, value string) {
	if value != "" {
		m[key] = value
	}
}

func or(value, fallback string) string {
	if value != "" {
		return value
	}
	return fallback
}

func class(c spec.Class) spec.Class {
	if c == spec.ClassOnline {
		return c
	}
	return spec.ClassTest
}
