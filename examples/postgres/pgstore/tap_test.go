package pgstore_test

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// tap stands between a store and its server, and notes what the store says.
type tap struct {
	dsn  string // for the store
	mu   sync.Mutex
	said []statement
}

// statement is one as the server got it: COPY's parameters are its rows.
type statement struct {
	text   string
	params [][]byte
}

func newTap(t *testing.T, dsn string) *tap {
	t.Helper()
	server, err := pgx.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	address := listener.Addr().(*net.TCPAddr)
	p := &tap{dsn: fmt.Sprintf("host=%s port=%d user=%s password=%s dbname=%s sslmode=disable",
		address.IP, address.Port, keyword(server.User), keyword(server.Password), keyword(server.Database))}
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go p.serve(client, server.Host, server.Port)
		}
	}()
	return p
}

// keyword quotes the value of one in a DSN.
func keyword(value string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(value) + "'"
}

// serve passes all on between a client and the server.
func (p *tap) serve(client net.Conn, host string, port uint16) {
	defer client.Close()
	network, address := pgconn.NetworkAddress(host, port)
	server, err := net.Dial(network, address)
	if err != nil {
		return
	}
	defer server.Close()
	go func() {
		io.Copy(client, server)
		client.Close()
	}()
	p.listen(io.TeeReader(client, server))
}

// listen reads the messages of a connection: each is a byte for its type, but for
// the first, and its length, which counts itself.
func (p *tap) listen(r io.Reader) {
	prepared := map[string]string{}
	head := make([]byte, 5)
	for first := true; ; first = false {
		kind := head
		if first {
			kind = head[1:]
		}
		if _, err := io.ReadFull(r, kind); err != nil {
			return
		}
		body := make([]byte, binary.BigEndian.Uint32(head[1:])-4)
		if _, err := io.ReadFull(r, body); err != nil {
			return
		}
		if !first {
			p.note(head[0], body, prepared)
		}
	}
}

// note takes texts and parameters out of a message.
func (p *tap) note(kind byte, body []byte, prepared map[string]string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch kind {
	case 'P':
		var m pgproto3.Parse
		if m.Decode(body) == nil {
			prepared[m.Name] = m.Query
			p.said = append(p.said, statement{text: m.Query})
		}
	case 'Q':
		var m pgproto3.Query
		if m.Decode(body) == nil {
			p.said = append(p.said, statement{text: m.String})
		}
	case 'B':
		var m pgproto3.Bind
		if m.Decode(body) == nil {
			p.said = append(p.said, statement{prepared[m.PreparedStatement], m.Parameters})
		}
	case 'd':
		last := &p.said[len(p.said)-1]
		last.params = append(last.params, body)
	}
}

// take gives what was said since it was asked last.
func (p *tap) take() []statement {
	p.mu.Lock()
	defer p.mu.Unlock()
	said := p.said
	p.said = nil
	return said
}
