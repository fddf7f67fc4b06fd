package mail_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"io"
	"math/big"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/mail"
)

const user, password = "lab", "hunter2-hunter2"

// server is a real mail server that keeps what it is sent.
type server struct {
	mu     sync.Mutex
	got    []string // whole messages
	from   string
	signed bool // somebody signed in
	refuse error
	port   int
	roots  *x509.CertPool
}

type session struct{ s *server }

func (s *server) NewSession(*smtp.Conn) (smtp.Session, error) { return &session{s}, nil }
func (x *session) AuthMechanisms() []string                   { return []string{sasl.Plain} }
func (x *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, name, word string) error {
		if name != user || word != password {
			return errors.New("no such user, or another password")
		}
		x.s.mu.Lock()
		defer x.s.mu.Unlock()
		x.s.signed = true
		return nil
	}), nil
}

func (x *session) Mail(from string, _ *smtp.MailOptions) error {
	x.s.mu.Lock()
	defer x.s.mu.Unlock()
	x.s.from = from
	return x.s.refuse
}
func (x *session) Rcpt(string, *smtp.RcptOptions) error { return nil }
func (x *session) Data(r io.Reader) error {
	b, err := io.ReadAll(r)
	x.s.mu.Lock()
	defer x.s.mu.Unlock()
	x.s.got = append(x.s.got, string(b))
	return err
}
func (x *session) Reset()        {}
func (x *session) Logout() error { return nil }

// serve starts one; how is a mode of the settings.
func serve(t *testing.T, how string) *server {
	t.Helper()
	s := &server{}
	cert := certificate(t)
	s.roots = x509.NewCertPool()
	s.roots.AddCert(cert.Leaf)
	srv := smtp.NewServer(s)
	srv.Domain, srv.AllowInsecureAuth = "localhost", true
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.port = l.Addr().(*net.TCPAddr).Port
	switch conf := (&tls.Config{Certificates: []tls.Certificate{cert}}); how {
	case "tls":
		l = tls.NewListener(l, conf)
	case "starttls":
		srv.TLSConfig = conf
	}
	go func() { _ = srv.Serve(l) }()
	t.Cleanup(func() { _ = srv.Close() })
	return s
}

func certificate(t *testing.T) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tpl := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "localhost"}, DNSNames: []string{"localhost"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	raw, err := x509.CreateCertificate(rand.Reader, tpl, tpl, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(raw)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{raw}, PrivateKey: key, Leaf: leaf}
}

func (s *server) settings(how string) config.Mail {
	return config.Mail{Host: "localhost", Port: s.port, TLS: how, User: user, Password: password, From: "lab@example.com"}
}

var message = mail.Message{To: "li@example.com", Subject: "训练完成", Text: "The run ended.\r\n.\r\nA line with one dot is no end."}

func TestAMessageArrivesHoweverTheServerEncrypts(t *testing.T) {
	t.Parallel()
	for _, how := range config.TLSModes {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			s := serve(t, how)
			c := s.settings(how)
			if how == "none" {
				c.User = "" // a password is not sent in the clear
			}
			if err := (&mail.Sender{Roots: s.roots}).Send(t.Context(), c, message); err != nil {
				t.Fatal(err)
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			if len(s.got) != 1 || s.from != "lab@example.com" || s.signed != (how != "none") {
				t.Fatalf("%d messages from %s, signed in: %v", len(s.got), s.from, s.signed)
			}
			for _, part := range []string{"To: <li@example.com>", "Subject: =?UTF-8?", "one dot is no end"} {
				if !strings.Contains(s.got[0], part) {
					t.Errorf("%q is not in\n%s", part, s.got[0])
				}
			}
		})
	}
}

func TestWhatTheServerSaysIsTold(t *testing.T) {
	t.Parallel()
	plain, encrypted := serve(t, "none"), serve(t, "starttls")
	full := serve(t, "starttls")
	full.refuse = &smtp.SMTPError{Code: 452, EnhancedCode: smtp.EnhancedCode{4, 2, 2}, Message: "mailbox full, said " + password}
	for name, c := range map[string]struct {
		sender mail.Sender
		mail   config.Mail
		says   string
	}{
		"no encryption is offered": {mail.Sender{Roots: plain.roots}, plain.settings("starttls"), "STARTTLS"},
		"an unknown certificate":   {mail.Sender{}, encrypted.settings("starttls"), "certificate"},
		"another password": {mail.Sender{Roots: encrypted.roots}, func() config.Mail {
			c := encrypted.settings("starttls")
			c.Password = "wrong-word"
			return c
		}(), "no such user"},
		"refused":      {mail.Sender{Roots: full.roots}, full.settings("starttls"), "mailbox full, said •••"},
		"nobody there": {mail.Sender{}, config.Mail{Host: "localhost", Port: 1, TLS: "none", From: "lab@example.com"}, "refused"},
	} {
		t.Run(name, func(t *testing.T) {
			err := c.sender.Send(t.Context(), c.mail, message)
			var f *fault.Error
			if !errors.As(err, &f) || f.Kind != fault.FailedPrecondition {
				t.Fatalf("%v", err)
			}
			text := lang.Text(lang.English, "fault."+f.ID, f.Args)
			if !strings.Contains(text, c.says) || strings.Contains(text, password) || !strings.Contains(text, "localhost") {
				t.Errorf("%q does not say %q", text, c.says)
			}
		})
	}
	if err := (&mail.Sender{}).Send(t.Context(), config.Mail{}, message); fault.KindOf(err) != fault.FailedPrecondition {
		t.Errorf("without a server: %v", err)
	}
	if n := len(plain.got) + len(encrypted.got) + len(full.got); n != 0 {
		t.Errorf("%d messages were sent all the same", n)
	}
}

func TestAHeaderCannotBeSmuggledIn(t *testing.T) {
	t.Parallel()
	s := serve(t, "none")
	c := s.settings("none")
	c.User = ""
	m := message
	m.Subject = "hello\r\nBcc: victim@example.com\r\n\r\nbody"
	_ = (&mail.Sender{Roots: s.roots}).Send(t.Context(), c, m)
	m.To = "li@example.com>\r\nRCPT TO:<victim@example.com"
	_ = (&mail.Sender{Roots: s.roots}).Send(t.Context(), c, m)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, text := range s.got {
		head, _, _ := strings.Cut(text, "\r\n\r\n")
		if strings.Contains(head, "\nBcc:") || strings.Contains(text, "victim@example.com>") {
			t.Errorf("smuggled:\n%s", text)
		}
	}
}
