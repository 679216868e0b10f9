// Package tls stands for the one of the standard library in the program of the service worker, which
// makes and accepts no connections. It has what net/http needs to compile.
package tls

import (
	"context"
	"errors"
	"net"
)

// VersionTLS12 is the version 1.2.
const VersionTLS12 = 0x0303

var errAbsent = errors.New("tls: this program has no connections")

// The types of the standard library, with the fields that net/http uses.
type (
	Certificate     struct{ Certificate [][]byte }
	ClientHelloInfo struct{}
	ConnectionState struct {
		HandshakeComplete, NegotiatedProtocolIsMutual bool
		NegotiatedProtocol                            string
	}
	RecordHeaderError struct {
		error
		Msg          string
		RecordHeader [5]byte
		Conn         net.Conn
	}
	Config struct {
		ServerName         string
		NextProtos         []string
		Certificates       []Certificate
		GetCertificate     func(*ClientHelloInfo) (*Certificate, error)
		GetConfigForClient func(*ClientHelloInfo) (*Config, error)
		InsecureSkipVerify bool
	}
	Conn struct{ net.Conn }
)

// The functions fail, or do nothing.

func Client(c net.Conn, _ *Config) *Conn                        { return &Conn{c} }
func Server(c net.Conn, _ *Config) *Conn                        { return &Conn{c} }
func NewListener(l net.Listener, _ *Config) net.Listener        { return l }
func LoadX509KeyPair(string, string) (c Certificate, err error) { return c, errAbsent }
func (c *Config) Clone() *Config                                { return c }
func (*Conn) ConnectionState() (s ConnectionState)              { return s }
func (*Conn) Handshake() error                                  { return errAbsent }
func (*Conn) HandshakeContext(context.Context) error            { return errAbsent }
func (*Conn) VerifyHostname(string) error                       { return errAbsent }
