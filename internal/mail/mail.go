// Package mail sends messages of the platform through the mail server that is
// set, one at a time and with a deadline.
package mail

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"

	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/fault"
)

const timeout = 15 * time.Second

// Message is one mail. Text is plain.
type Message struct{ To, Subject, Text string }

// Sender sends messages. The zero value trusts the certificates that the system does.
type Sender struct {
	Roots *x509.CertPool // nil for the system's
}

// Send sends a message or gives a fault that says what the mail server said.
func (s *Sender) Send(ctx context.Context, c config.Mail, m Message) error {
	if c.Host == "" || c.From == "" {
		return fault.New(fault.FailedPrecondition, "mail.off", nil)
	}
	msg := gomail.NewMsg()
	if err := errors.Join(msg.From(c.From), msg.To(m.To)); err != nil {
		return failed(c, err)
	}
	msg.Subject(m.Subject)
	msg.SetBodyString(gomail.TypeTextPlain, m.Text)
	client, err := s.client(c)
	if err != nil {
		return failed(c, err)
	}
	ctx, stop := context.WithTimeout(ctx, timeout)
	defer stop()
	if err := client.DialAndSendWithContext(ctx, msg); err != nil {
		return failed(c, err)
	}
	return nil
}

func (s *Sender) client(c config.Mail) (*gomail.Client, error) {
	o := []gomail.Option{gomail.WithPort(c.Port), gomail.WithTimeout(timeout),
		gomail.WithTLSConfig(&tls.Config{ServerName: c.Host, MinVersion: tls.VersionTLS12, RootCAs: s.Roots})}
	switch c.TLS {
	case "tls":
		o = append(o, gomail.WithSSL())
	case "none":
		o = append(o, gomail.WithTLSPolicy(gomail.NoTLS))
	default: // a server that offers none is refused: the password would go in the clear
		o = append(o, gomail.WithTLSPolicy(gomail.TLSMandatory))
	}
	if c.User != "" {
		o = append(o, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover), gomail.WithUsername(c.User), gomail.WithPassword(c.Password))
	}
	return gomail.NewClient(c.Host, o...)
}

const maxDetail = 300 // characters

// failed says what went wrong in the server's own words, without the password.
func failed(c config.Mail, err error) error {
	detail := err.Error()
	if c.Password != "" {
		detail = strings.ReplaceAll(detail, c.Password, "•••")
	}
	if r := []rune(strings.ToValidUTF8(detail, "\uFFFD")); len(r) > maxDetail {
		detail = string(r[:maxDetail]) + "…"
	}
	return fault.New(fault.FailedPrecondition, "mail.failed", fault.Args{"host": c.Host, "port": c.Port, "detail": detail})
}
