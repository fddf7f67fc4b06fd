package instance

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/internal/account"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/mask"
	"github.com/goblinlab/goblinlab/internal/preflight"
	"github.com/goblinlab/goblinlab/internal/secret"
	"github.com/goblinlab/goblinlab/internal/spec"
)

func consumer(i *ent.Instance) secret.Consumer {
	return secret.Consumer{TeamID: i.TeamID, OwnerID: i.OwnerID}
}

// checkSecrets refuses secrets that are not there, or are not for this viewer
// to give to that owner (P94, P95).
func (s *Service) checkSecrets(ctx context.Context, f *fault.Fields, v *authz.Viewer, to secret.Consumer, want spec.Instance, had []spec.SecretUse) error {
	preflight.CheckSecrets(f, "", want.Secrets, want.Mounts, nil)
	if s.Secrets == nil || len(want.Secrets) == 0 {
		return nil
	}
	return s.Secrets.Check(ctx, f, v, to, want.Secrets, had, want.Env)
}

// checkStranger keeps who manages another person's instance from having its
// program see that person's own secrets: with them, only sizes and the name may
// be changed, and secrets be taken away (P94).
func (s *Service) checkStranger(ctx context.Context, v *authz.Viewer, old *ent.Instance, want spec.Instance) error {
	if s.Secrets == nil || v.UserID == old.OwnerID || len(want.Secrets) == 0 {
		return nil
	}
	before, after := old.Spec, want
	for _, one := range []*spec.Instance{&before, &after} {
		one.Resources, one.Secrets = spec.Resources{}, nil
	}
	if equal(before, after) {
		return nil
	}
	personal, err := s.Secrets.Personal(ctx, want.Secrets)
	if err != nil || !personal {
		return err
	}
	return fault.New(fault.Forbidden, "instance.secrets-not-yours", nil)
}

// checkDelivered refuses a start whose secrets are gone.
func (s *Service) checkDelivered(ctx context.Context, tx *ent.Tx, i *ent.Instance) error {
	if s.Secrets == nil {
		return nil
	}
	gone, err := s.Secrets.Missing(ctx, tx.Client(), consumer(i), i.Spec.Secrets)
	if err != nil || gone == nil {
		return err
	}
	out := &fault.Error{Kind: fault.FailedPrecondition, ID: "instance.secret-missing"}
	for _, n := range gone {
		out.Fields = append(out.Fields, fault.Field{Path: "secrets[" + strconv.Itoa(n) + "].secretId", ID: "secret.missing",
			Args: fault.Args{"id": i.Spec.Secrets[n].SecretID}})
	}
	return out
}

// deliver opens what the current start froze, once more for its owner, and tells
// the container where it is.
func (s *Service) deliver(ctx context.Context, row *ent.Instance, i *manifest.Instance) (secret.Delivery, error) {
	want := row.Spec
	if row.StartedSpec != nil {
		want = *row.StartedSpec
	}
	if s.Secrets == nil || len(want.Secrets) == 0 {
		return secret.Delivery{}, nil
	}
	d, err := s.Secrets.Deliver(ctx, consumer(row), want.Secrets)
	if err != nil {
		return d, waiting(err)
	}
	d.Into(&i.Container, func(n int) string { return manifest.UserSecretName(i.Name, i.Start, n) })
	return d, nil
}

// waiting makes a refusal of secrets a reason that people see.
func waiting(err error) error {
	var refused secret.RefusedError
	if errors.As(err, &refused) {
		return waitsError{&refused.Reason}
	}
	return err
}

// ensureSecrets makes the Secrets of a start once, as ensureLogin does.
func (s *Service) ensureSecrets(ctx context.Context, i manifest.Instance, d secret.Delivery) error {
	for n := range d.Objects {
		u := d.Secret(n, manifest.UserSecretName(i.Name, i.Start, n))
		if err := s.createSecret(ctx, manifest.InstanceSecret(i, u)); err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("make secret of a start: %w", err)
		}
	}
	return nil
}

func (s *Service) keepToken(ctx context.Context, row *ent.Instance, text string) error {
	if s.Tokens == nil || text == "" {
		return nil
	}
	return s.Tokens.KeepInside(ctx, account.Inside{UserID: row.OwnerID, TeamID: row.TeamID, SubjectID: row.ID, Start: row.StartNumber, Name: row.Name}, text)
}

// keepFoundToken makes the token of a login Secret good that an earlier attempt
// made, and ended before it said so.
func (s *Service) keepFoundToken(ctx context.Context, row *ent.Instance, i manifest.Instance) error {
	if s.Tokens == nil {
		return nil
	}
	if known, err := s.Tokens.KnowsInside(ctx, row.ID, row.StartNumber); err != nil || known {
		return err
	}
	got, err := s.Kube.CoreV1().Secrets(i.Namespace).Get(ctx, manifest.LoginSecretName(i), metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("read login secret: %w", err)
	}
	return s.keepToken(ctx, row, string(got.Data[manifest.EnvToken]))
}

func (s *Service) endTokens(ctx context.Context, id string, before int64) error {
	if s.Tokens == nil {
		return nil
	}
	return s.Tokens.EndInside(ctx, id, before)
}

// tokens are hidden by their form.
var tokens = mask.Tokens{Prefix: account.TokenPrefix, Length: account.TokenLength, Is: account.IsToken}

// words are the last words of a program that ended, without what its start was
// given (P96). The start-up program hides it too, but an image may have none.
func (s *Service) words(ctx context.Context, row *ent.Instance, want spec.Instance, p *corev1.Pod) []string {
	words := lastWords(p)
	if words == nil {
		return nil
	}
	var values [][]byte
	if len(want.Secrets) > 0 {
		list, err := s.secrets(ctx, row.Edges.Team.Namespace, row.ID)
		found := 0
		if err == nil {
			values, found = secret.Hidden(slices.DeleteFunc(list, func(o corev1.Secret) bool {
				return o.Annotations[manifest.AnnotationStart] != strconv.FormatInt(row.StartNumber, 10)
			}))
		}
		if err != nil || found < len(want.Secrets) {
			slog.WarnContext(ctx, "last words of an instance are not shown", "instance_id", row.ID, "err", err)
			return []string{mask.Hidden}
		}
	}
	return strings.Split(mask.New(values, tokens).End(strings.Join(words, "\n")), "\n")
}
