package kube

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestWhatMayBeAnotherAnswerNextTimeIsNoRefusal(t *testing.T) {
	t.Parallel()
	r := schema.GroupResource{Resource: "resourcequotas"}
	for name, c := range map[string]struct {
		err     error
		refused bool
	}{
		"forbidden":                    {apierrors.NewForbidden(r, "team", errors.New("a policy says no")), true},
		"invalid":                      {apierrors.NewInvalid(schema.GroupKind{Kind: "ResourceQuota"}, "team", nil), true},
		"a webhook's bad request":      {apierrors.NewBadRequest("no"), true},
		"wrapped":                      {fmt.Errorf("apply: %w", apierrors.NewForbidden(r, "team", errors.New("no"))), true},
		"timeout":                      {apierrors.NewTimeoutError("request did not complete", 1), false},
		"server timeout":               {apierrors.NewServerTimeout(r, "patch", 1), false},
		"too many requests":            {apierrors.NewTooManyRequests("later", 1), false},
		"a webhook that does not come": {apierrors.NewInternalError(errors.New("failed calling webhook")), false},
		"unavailable":                  {apierrors.NewServiceUnavailable("etcd"), false},
		"conflict":                     {apierrors.NewConflict(r, "team", errors.New("changed")), false},
		"gone meanwhile":               {apierrors.NewNotFound(r, "team"), false},
		"unknown":                      {apierrors.NewGenericServerResponse(http.StatusBadGateway, "patch", r, "team", "", 0, true), false},
		"no answer at all":             {context.DeadlineExceeded, false},
		"none":                         {nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if said, ok := Refusal(c.err); ok != c.refused || ok && said == "" {
				t.Errorf("%q, %v", said, ok)
			}
		})
	}
}
