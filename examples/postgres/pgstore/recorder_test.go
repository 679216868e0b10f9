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

// recorder is a proxy between a store and its server that records statements.
type recorder struct {
	dsn        string // for the store
	mu         sync.Mutex
	statements []statement
}

// statement is a statement that the server received. The parameters of COPY are its
// rows.
type statement struct {
	text   string
	params [][]byte
}

func newRecorder(t *testing.T, dsn string) *recorder {
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
	p := &recorder{dsn: fmt.Sprintf("host=%s port=%d user=%s password=%s dbname=%s sslmode=disable",
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

// keyword quotes a value in a DSN.
func keyword(value string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(value) + "'"
}

// serve copies all data between a client and the server.
func (p *recorder) serve(client net.Conn, host string, port uint16) {
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

// listen reads the messages of a connection. A message is a byte for its type, except
// for the first message, and its length, which includes itself.
func (p *recorder) listen(r io.Reader) {
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

// note records the statement or the parameters of a message.
func (p *recorder) note(kind byte, body []byte, prepared map[string]string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch kind {
	case 'P':
		var m pgproto3.Parse
		if m.Decode(body) == nil {
			prepared[m.Name] = m.Query
			p.statements = append(p.statements, statement{text: m.Query})
		}
	case 'Q':
		var m pgproto3.Query
		if m.Decode(body) == nil {
			p.statements = append(p.statements, statement{text: m.String})
		}
	case 'B':
		var m pgproto3.Bind
		if m.Decode(body) == nil {
			p.statements = append(p.statements, statement{prepared[m.PreparedStatement], m.Parameters})
		}
	case 'd':
		last := &p.statements[len(p.statements)-1]
		last.params = append(last.params, body)
	}
}

// take returns the statements since the last call.
func (p *recorder) take() []statement {
	p.mu.Lock()
	defer p.mu.Unlock()
	statements := p.statements
	p.statements = nil
	return statements
}
