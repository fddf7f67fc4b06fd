package policy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	networkinglisters "k8s.io/client-go/listers/networking/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/network"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/pki"
)

const (
	// recheck is how often the rules are written again, in case that somebody else has removed them.
	recheck   = 15 * time.Second
	retry     = time.Second
	podPoll   = 10 * time.Millisecond
	podWait   = 5 * time.Second
	claimPath = "/claim"
	claimSize = 4 << 10 // bytes
)

// Config says what an enforcer works with.
type Config struct {
	Client kubernetes.Interface
	Socket string // on which the CNI plug-in announces pods
	Claims string // file that remembers what it announced
	// Trouble is a file that exists while the rules are not up to date, and says why.
	Trouble string
	DNS     netip.Addr
}

// Enforcer keeps the packet filter in line with the cluster's NetworkPolicies. When it ends the rules stay in force.
type Enforcer struct {
	Config
	pods       corelisters.PodLister
	namespaces corelisters.NamespaceLister
	policies   networkinglisters.NetworkPolicyLister
	filter     filter
	wake       chan struct{}

	// What is in force, for the one who applies.
	script string
	chains []string

	mu      sync.Mutex
	claims  *claims
	asked   int           // counts claims
	applied int           // the last claim whose rules are in force
	changed chan struct{} // is closed and made anew when applied or err changes
	err     error
}

// filter is the machine's packet filter.
type filter interface {
	chains() []string // that are ours
	restore(script string) error
}

// iptables is the real one.
type iptables struct{}

func (iptables) chains() []string { return network.OwnChains(table) }

func (iptables) restore(script string) error {
	if err := network.Restore(script); err != nil {
		return err
	}
	for _, from := range hooks {
		if err := network.EnsureJump(table, from, mainChain); err != nil {
			return err
		}
	}
	return nil
}

// Start brings the present policies in force and goes on until ctx ends.
func Start(ctx context.Context, c Config) error {
	e, err := newEnforcer(ctx, c, iptables{})
	if err != nil {
		return err
	}
	if err := e.apply(); err != nil {
		return fmt.Errorf("network policies cannot be enforced: %w", err)
	}
	if err := errors.Join(removeFile(c.Socket), removeFile(c.Trouble)); err != nil { // left behind by a killed process
		return err
	}
	l, err := net.Listen("unix", c.Socket)
	if err != nil {
		return err
	}
	if err := os.Chmod(c.Socket, 0o600); err != nil {
		return err
	}
	server := &http.Server{Handler: e.handler(), ReadHeaderTimeout: 5 * time.Second, BaseContext: func(net.Listener) context.Context { return ctx }}
	go func() { _ = server.Serve(l) }() // ends by Close
	context.AfterFunc(ctx, func() { _ = server.Close() })
	go e.run(ctx)
	return nil
}

// newEnforcer returns when everything that policies are about is known.
func newEnforcer(ctx context.Context, c Config, f filter) (*Enforcer, error) {
	known, err := loadClaims(c.Claims)
	if err != nil {
		return nil, err
	}
	factory := informers.NewSharedInformerFactoryWithOptions(c.Client, 0, informers.WithTransform(trim))
	pods, namespaces, policies := factory.Core().V1().Pods(), factory.Core().V1().Namespaces(), factory.Networking().V1().NetworkPolicies()
	e := &Enforcer{
		Config: c, pods: pods.Lister(), namespaces: namespaces.Lister(), policies: policies.Lister(), filter: f, wake: make(chan struct{}, 1),
		chains: f.chains(), claims: known, changed: make(chan struct{}),
	}
	for _, i := range []cache.SharedIndexInformer{pods.Informer(), namespaces.Informer(), policies.Informer()} {
		if _, err := i.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc: func(any) { e.kick() }, DeleteFunc: func(any) { e.kick() },
			UpdateFunc: func(before, after any) {
				if matters(before, after) {
					e.kick()
				}
			},
		}); err != nil {
			return nil, err
		}
	}
	factory.Start(ctx.Done())
	for kind, ok := range factory.WaitForCacheSync(ctx.Done()) {
		if !ok {
			return nil, fmt.Errorf("list of %s: %w", kind, context.Cause(ctx))
		}
	}
	return e, nil
}

// kick makes the enforcer look again.
func (e *Enforcer) kick() {
	select {
	case e.wake <- struct{}{}:
	default: // it will look anyway
	}
}

func (e *Enforcer) run(ctx context.Context) {
	again := time.NewTicker(recheck)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-e.wake:
		case <-again.C:
			e.script, e.chains = "", e.filter.chains()
		}
		if err := e.apply(); err != nil {
			slog.Error("network policies are not up to date; trying again", "error", err)
			e.script, e.chains = "", e.filter.chains()
			time.AfterFunc(retry, e.kick)
		}
	}
}

// apply brings the rules of what is known now in force.
func (e *Enforcer) apply() error {
	turn, err := e.applyClaims()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.tell(err)
	e.err = err
	if err == nil {
		e.applied = turn
	}
	close(e.changed)
	e.changed = make(chan struct{})
	return err
}

// tell writes or removes the file of the trouble.
func (e *Enforcer) tell(err error) {
	var problem error
	if err != nil {
		problem = pki.WriteFile(e.Trouble, []byte(err.Error()), 0o644)
	} else if e.err != nil {
		problem = removeFile(e.Trouble)
	}
	if problem != nil {
		slog.Error("the state of network policies is not told", "error", problem)
	}
}

func removeFile(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// applyClaims gives the number of the last claim that it has taken into account.
func (e *Enforcer) applyClaims() (int, error) {
	rules, turn, err := e.rules()
	if err != nil {
		return 0, err
	}
	script, _ := rules.script(nil)
	if script == e.script {
		return turn, nil
	}
	whole, chains := rules.script(e.chains)
	if err := e.filter.restore(whole); err != nil {
		return 0, err
	}
	e.script, e.chains = script, chains
	return turn, nil
}

func (e *Enforcer) rules() (Rules, int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	pods, err := e.pods.List(labels.Everything())
	if err != nil {
		return Rules{}, 0, err
	}
	namespaces, err := e.namespaces.List(labels.Everything())
	if err != nil {
		return Rules{}, 0, err
	}
	policies, err := e.policies.List(labels.Everything())
	if err != nil {
		return Rules{}, 0, err
	}
	there := map[string]bool{}
	for _, p := range pods {
		there[string(p.UID)] = true
	}
	if err := e.claims.keep(func(uid string) bool { return there[uid] }); err != nil {
		return Rules{}, 0, err
	}
	of := map[string]labels.Set{}
	for _, n := range namespaces {
		of[n.Name] = n.Labels
	}
	return Compile(policies, of, append(withAddresses(pods, e.claims.by), dnsPod(e.DNS))), e.asked, nil
}

func (e *Enforcer) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+claimPath, func(w http.ResponseWriter, q *http.Request) {
		var c Claim
		err := json.NewDecoder(http.MaxBytesReader(w, q.Body, claimSize)).Decode(&c)
		if err == nil {
			err = c.Validate()
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if err := e.admit(q.Context(), c); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
	return mux
}

// admit returns when the rules of a pod that got its address are in force, and those of the pods that it may reach.
func (e *Enforcer) admit(ctx context.Context, c Claim) error {
	if err := e.awaitPod(ctx, c); err != nil {
		return err
	}
	e.mu.Lock()
	if err := e.claims.add(c); err != nil {
		e.mu.Unlock()
		return err
	}
	e.asked++
	turn := e.asked
	e.mu.Unlock()
	e.kick()
	for {
		e.mu.Lock()
		applied, changed, err := e.applied, e.changed, e.err
		e.mu.Unlock()
		if applied >= turn {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-changed:
		}
	}
}

// awaitPod returns when the pod of a claim has been seen. The kubelet may know it a moment earlier. One that is not seen was
// deleted meanwhile.
func (e *Enforcer) awaitPod(ctx context.Context, c Claim) error {
	ctx, cancel := context.WithTimeout(ctx, podWait)
	defer cancel()
	for !e.knows(c) {
		select {
		case <-ctx.Done():
			return fmt.Errorf("pod %s/%s with uid %s is not known: %w", c.Namespace, c.Name, c.UID, ctx.Err())
		case <-time.After(podPoll):
		}
	}
	return nil
}

func (e *Enforcer) knows(c Claim) bool {
	p, err := e.pods.Pods(c.Namespace).Get(c.Name)
	return err == nil && string(p.UID) == c.UID
}
