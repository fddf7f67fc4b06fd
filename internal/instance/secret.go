package instance

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"strconv"

	"golang.org/x/crypto/ssh"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/internal/audit"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/manifest"
)

// Secret is what one start's login Secret holds. It does not print itself.
type Secret struct{ Password, RootPassword string }

// String keeps the secret out of logs.
func (Secret) String() string { return "(secret)" }

// GoString keeps the secret out of logs.
func (Secret) GoString() string { return "(secret)" }

const (
	passwordBytes = 24
	hostKeyFile   = "ssh_host_ed25519_key"
)

// Reveal shows the secret of the current start to its owner, and nobody else;
// that it was shown is written down first.
func (s *Service) Reveal(ctx context.Context, id string) (Secret, error) {
	v, row, err := s.visible(ctx, id)
	if err != nil {
		return Secret{}, err
	}
	if !v.MayConnect(row.TeamID, row.OwnerID) {
		return Secret{}, fault.New(fault.Forbidden, "instance.not-yours", nil)
	}
	if Handed(row) {
		return Secret{}, fault.New(fault.FailedPrecondition, "instance.handed-over", nil)
	}
	secret, err := s.LoginSecret(ctx, row)
	if err != nil {
		return Secret{}, err
	}
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		return audit.Record(ctx, tx, audit.Entry{Action: "instance.reveal", TeamID: row.TeamID, ObjectID: id,
			After: map[string]any{"start": row.StartNumber}})
	})
	if err != nil {
		return Secret{}, fmt.Errorf("reveal secret of %s: %w", id, err)
	}
	return secret, nil
}

// LoginSecret is the secret of the current start, for a gateway that has
// checked the viewer itself. It is not audited.
func (s *Service) LoginSecret(ctx context.Context, i *ent.Instance) (Secret, error) {
	missing := fault.New(fault.FailedPrecondition, "instance.not-started", nil)
	if !Started(i) {
		return Secret{}, missing
	}
	t, err := s.DB.Client.Team.Get(authz.AsSystem(ctx), i.TeamID)
	if err != nil {
		return Secret{}, fmt.Errorf("team of instance %s: %w", i.ID, err)
	}
	name := manifest.LoginSecretName(manifest.Instance{Object: manifest.Object{Name: i.ObjectName}, Start: i.StartNumber})
	got, err := s.Kube.CoreV1().Secrets(t.Namespace).Get(ctx, name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return Secret{}, missing
	case err != nil:
		return Secret{}, fmt.Errorf("read secret of %s: %w", i.ID, err)
	}
	return Secret{Password: string(got.Data[manifest.EnvPassword]), RootPassword: string(got.Data[manifest.EnvRootPassword])}, nil
}

// password is made of 24 random bytes, in letters and digits alone: shells,
// URLs and terminals take it as it is.
func password() string {
	b := make([]byte, passwordBytes)
	_, _ = rand.Read(b) // never fails
	return new(big.Int).SetBytes(append([]byte{1}, b...)).Text(62)
}

// ensureLogin makes the login Secret of a start once: a repeated attempt finds
// the first one's, which a pod may have read already.
func (s *Service) ensureLogin(ctx context.Context, row *ent.Instance, i manifest.Instance, all bool) error {
	login := manifest.Login{Password: password(), RootPassword: password()}
	if s.Tokens != nil {
		login.Token = s.Tokens.NewInsideText()
	}
	err := s.createSecret(ctx, manifest.LoginSecret(i, login))
	switch {
	case apierrors.IsAlreadyExists(err):
		if !all {
			return nil
		}
		return s.keepFoundToken(ctx, row, i)
	case err != nil:
		return fmt.Errorf("make login secret: %w", err)
	}
	return s.keepToken(ctx, row, login.Token)
}

// ensureHostKey makes the SSH host key of an instance once in its life (P31),
// and gives its fingerprint.
func (s *Service) ensureHostKey(ctx context.Context, i manifest.Instance) (string, error) {
	keys, print, err := newHostKey()
	if err != nil {
		return "", err
	}
	err = s.createSecret(ctx, manifest.HostKeySecret(i, keys))
	if err == nil {
		return print, nil
	}
	if !apierrors.IsAlreadyExists(err) {
		return "", fmt.Errorf("make host key: %w", err)
	}
	got, err := s.Kube.CoreV1().Secrets(i.Namespace).Get(ctx, manifest.HostKeySecretName(i), metav1.GetOptions{})
	if err != nil {
		return "", fmt.Errorf("read host key: %w", err)
	}
	public, _, _, _, err := ssh.ParseAuthorizedKey(got.Data[hostKeyFile+".pub"])
	if err != nil {
		return "", fmt.Errorf("host key of %s/%s is damaged", i.Namespace, got.Name) // the cause might quote it
	}
	return ssh.FingerprintSHA256(public), nil
}

func newHostKey() (files map[string][]byte, fingerprint string, err error) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, "", fmt.Errorf("make key: %w", err)
	}
	block, err := ssh.MarshalPrivateKey(private, "goblinlab")
	if err != nil {
		return nil, "", fmt.Errorf("write key: %w", err)
	}
	line, err := ssh.NewPublicKey(public)
	if err != nil {
		return nil, "", fmt.Errorf("write public key: %w", err)
	}
	return map[string][]byte{
		hostKeyFile:          pem.EncodeToMemory(block),
		hostKeyFile + ".pub": ssh.MarshalAuthorizedKey(line),
	}, ssh.FingerprintSHA256(line), nil
}

// createSecret creates a Secret, where an apply would put new values over those
// that a pod has read.
func (s *Service) createSecret(ctx context.Context, ac *corev1ac.SecretApplyConfiguration) error {
	b, err := json.Marshal(ac)
	if err != nil {
		return fmt.Errorf("write secret: %w", err)
	}
	var secret corev1.Secret
	if err := json.Unmarshal(b, &secret); err != nil {
		return fmt.Errorf("read secret: %w", err)
	}
	_, err = s.Kube.CoreV1().Secrets(secret.Namespace).Create(ctx, &secret, metav1.CreateOptions{FieldManager: manifest.Manager})
	return err
}

// retire deletes the login Secrets of starts before the given one, with the
// token and the secrets that they were given; 0 for all.
func (s *Service) retire(ctx context.Context, i manifest.Instance, before int64) error {
	list, err := s.secrets(ctx, i.Namespace, i.ID)
	if err != nil {
		return err
	}
	for _, one := range list {
		start, err := strconv.ParseInt(one.Annotations[manifest.AnnotationStart], 10, 64)
		if err != nil || before > 0 && start >= before { // the host key has no start
			continue
		}
		if err := s.Kube.CoreV1().Secrets(i.Namespace).Delete(ctx, one.Name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("delete old login secret: %w", err)
		}
	}
	return s.endTokens(ctx, i.ID, before)
}

func (s *Service) secrets(ctx context.Context, namespace, id string) ([]corev1.Secret, error) {
	list, err := s.Kube.CoreV1().Secrets(namespace).List(ctx, selectInstance(id))
	if err != nil {
		return nil, fmt.Errorf("list secrets of %s: %w", id, err)
	}
	return list.Items, nil
}
