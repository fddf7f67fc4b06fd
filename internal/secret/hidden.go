package secret

import (
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/goblinlab/goblinlab/internal/manifest"
)

// Hidden are the values that must not appear in a log, among the Kubernetes
// Secrets of one consumer, and how many of these were made for a use of a secret.
func Hidden(list []corev1.Secret) (values [][]byte, found int) {
	for i := range list {
		if list[i].Labels[manifest.LabelSecretID] != "" {
			found++
		}
		for key := range strings.SplitSeq(list[i].Annotations[manifest.AnnotationHide], ",") {
			if v := list[i].Data[key]; len(v) > 0 {
				values = append(values, v)
			}
		}
	}
	return values, found
}
