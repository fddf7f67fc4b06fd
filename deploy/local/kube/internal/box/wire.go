package box

import (
	"encoding/json"
	"errors"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// A box takes requests on its socket, one per connection. Open files travel along.

const (
	verbFollow = "follow" // stay connected; the end of the connection is that of the box
	verbExec   = "exec"
	verbAttach = "attach"
	verbSignal = "signal"
	verbReopen = "reopen"

	messageLimit = 160 << 10 // bytes; a message must fit into the socket's buffer
	filesLimit   = 4
)

type request struct {
	Verb   string
	Args   []string `json:",omitempty"`
	TTY    bool     `json:",omitempty"`
	Signal int      `json:",omitempty"`
}

type reply struct {
	Error string `json:",omitempty"`
	Code  int    `json:",omitempty"`
}

// ask sends a request and takes the first reply, with the files that come along.
func ask(socket string, r request, files ...*os.File) (*net.UnixConn, []*os.File, error) {
	c, err := net.DialUnix("unixpacket", nil, &net.UnixAddr{Name: socket, Net: "unixpacket"})
	if err != nil {
		return nil, nil, err
	}
	var got []*os.File
	if err = send(c, r, files...); err == nil {
		var a reply
		if got, err = receive(c, &a); err == nil && a.Error != "" {
			err = errors.New(a.Error)
		}
	}
	if err != nil {
		c.Close()
		return nil, nil, err
	}
	return c, got, nil
}

func send(c *net.UnixConn, v any, files ...*os.File) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if len(b) > messageLimit {
		return errors.New("the command is too long")
	}
	var fds []int
	for _, f := range files {
		fds = append(fds, int(f.Fd()))
	}
	var rights []byte
	if len(fds) > 0 {
		rights = unix.UnixRights(fds...)
	}
	_, _, err = c.WriteMsgUnix(b, rights, nil)
	return err
}

// receive reads a message into v and gives the files that came with it.
func receive(c *net.UnixConn, v any) ([]*os.File, error) {
	b, rights := make([]byte, messageLimit), make([]byte, unix.CmsgSpace(4*filesLimit))
	n, nr, _, _, err := c.ReadMsgUnix(b, rights)
	if err != nil {
		return nil, err
	}
	messages, err := unix.ParseSocketControlMessage(rights[:nr])
	if err != nil {
		return nil, err
	}
	var files []*os.File
	for _, m := range messages {
		fds, err := unix.ParseUnixRights(&m)
		if err != nil {
			return files, err
		}
		for _, fd := range fds {
			files = append(files, os.NewFile(uintptr(fd), "received"))
		}
	}
	if v == nil {
		return files, nil
	}
	return files, json.Unmarshal(b[:n], v)
}
