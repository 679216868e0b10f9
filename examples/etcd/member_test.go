package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/etcd/client/pkg/v3/transport"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/gobacklist/backlist/examples/etcd/internal/etcdtest"
)

// TestEndpoints runs two clients of a cluster.
func TestEndpoints(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.Start(t, 3, nil)
	var urls []string
	for _, client := range cluster.Clients {
		urls = append(urls, client.Endpoints()...)
	}
	first := start(t, "-endpoints", strings.Join(urls, ","), "-addr", "127.0.0.1:0", "-open")
	second := start(t, "-endpoints", urls[2], "-addr", "127.0.0.1:0")
	checkEvent(t, "A", first.address(t), second.address(t))
	if got := ask(t, "POST", second.address(t), "events/", "{}"); got.Status != http.StatusForbidden {
		t.Errorf("POST without -open: %+v, want 403", got)
	}
	first.end(t)
	second.end(t)
}

// TestJoin deletes the files of a member, which joins again.
func TestJoin(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	peers, clients := freeURLs(t, "http", 3), freeURLs(t, "http", 3)
	cluster := fmt.Sprintf("n1=%s,n2=%s,n3=%s", peers[0], peers[1], peers[2])
	member := func(i int, more ...string) *process {
		name := fmt.Sprintf("n%d", i+1)
		return start(t, append([]string{"-name", name, "-dir", filepath.Join(dir, name), "-peer", peers[i], "-client", clients[i],
			"-addr", "127.0.0.1:0", "-open"}, more...)...)
	}
	var members [3]*process
	for i := range members {
		members[i] = member(i, "-cluster", cluster)
	}
	checkEvent(t, "A", members[2].address(t), members[0].address(t))
	members[2].end(t)
	must(t, os.RemoveAll(filepath.Join(dir, "n3")))
	checkEvent(t, "B", members[0].address(t), members[1].address(t))

	join := clients[0] + "," + clients[1]
	members[2] = member(2, "-join", join)
	checkEvent(t, "C", members[2].address(t), members[0].address(t), members[1].address(t))
	members[2].end(t)
	members[2] = member(2, "-join", join) // now with its files
	checkEvent(t, "D", members[0].address(t), members[1].address(t), members[2].address(t))
	members[1].end(t)
	checkEvent(t, "E", members[0].address(t), members[2].address(t)) // two of three are a quorum
}

// TestPassword runs clients of a cluster with users.
func TestPassword(t *testing.T) {
	cluster := etcdtest.Start(t, 1, nil)
	client, url := cluster.Clients[0], cluster.Clients[0].Endpoints()[0]
	enableAuth(t, client)
	t.Setenv("BACKLIST_ETCD_PASSWORD", "secret")
	args := []string{"-endpoints", url, "-user", "house", "-addr", "127.0.0.1:0", "-open"}
	permitted := start(t, append(args, "-prefix", "house/")...)
	checkEvent(t, "A", permitted.address(t))
	permitted.end(t)

	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	var stderr output
	err := run(ctx, append(args, "-prefix", "other/"), strings.NewReader(""), io.Discard, &stderr)
	if err == nil || !strings.Contains(err.Error(), "permission denied") || !strings.Contains(stderr.String(), "permission denied") {
		t.Errorf("another prefix: run = %v, log %q, want permission denied", err, &stderr)
	}
	t.Setenv("BACKLIST_ETCD_PASSWORD", "wrong")
	err = run(t.Context(), args, strings.NewReader(""), io.Discard, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "authentication failed") {
		t.Errorf("wrong password: run = %v, want an error", err)
	}
	ctx, cancel = context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	err = run(ctx, []string{"-endpoints", url, "-prefix", "house/"}, strings.NewReader(""), io.Discard, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "user name is empty") {
		t.Errorf("no user: run = %v, want an error", err)
	}
}

// TestTLS starts three members and a client with certificates. Others are refused.
func TestTLS(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files := newAuthority(t, dir, "house")
	strangers := newAuthority(t, dir, "stranger")
	peers, clients := freeURLs(t, "https", 3), freeURLs(t, "https", 3)
	cluster := fmt.Sprintf("n1=%s,n2=%s,n3=%s", peers[0], peers[1], peers[2])
	var members [3]*process
	for i := range members {
		name := fmt.Sprintf("n%d", i+1)
		members[i] = start(t, append([]string{"-name", name, "-dir", filepath.Join(dir, name), "-peer", peers[i], "-client", clients[i],
			"-addr", "127.0.0.1:0", "-open", "-cluster", cluster}, files.flags()...)...)
	}
	client := start(t, append([]string{"-endpoints", strings.Join(clients, ","), "-addr", "127.0.0.1:0", "-open"}, files.flags()...)...)
	checkEvent(t, "A", members[0].address(t), members[1].address(t), members[2].address(t), client.address(t))
	checkEvent(t, "B", client.address(t), members[0].address(t))
	for _, row := range []struct {
		reason string
		tls    *transport.TLSInfo
		url    string
		ok     bool
	}{
		{"certificate", &transport.TLSInfo{CertFile: files.cert, KeyFile: files.key, TrustedCAFile: files.ca}, clients[0], true},
		{"no certificate", &transport.TLSInfo{TrustedCAFile: files.ca}, clients[0], false},
		{"certificate of another authority", &transport.TLSInfo{CertFile: strangers.cert, KeyFile: strangers.key, TrustedCAFile: files.ca}, clients[0], false},
		{"no TLS", nil, strings.Replace(clients[0], "https", "http", 1), false},
	} {
		opts := clientv3.Config{Endpoints: []string{row.url}, Logger: zap.NewNop()}
		if row.tls != nil {
			config, err := row.tls.ClientConfig()
			must(t, err)
			opts.TLS = config
		}
		client, err := clientv3.New(opts)
		must(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		_, err = client.Get(ctx, "backlist/version")
		cancel()
		client.Close()
		if (err == nil) != row.ok {
			t.Errorf("%s: Get = %v", row.reason, err)
		}
	}
}

// enableAuth adds the users root and house, of whom the latter has the keys below house/.
func enableAuth(t *testing.T, client *clientv3.Client) {
	t.Helper()
	ctx := t.Context()
	for _, name := range []string{"root", "house"} {
		_, err := client.RoleAdd(ctx, name)
		must(t, err)
		_, err = client.UserAdd(ctx, name, "secret")
		must(t, err)
		_, err = client.UserGrantRole(ctx, name, name)
		must(t, err)
	}
	_, err := client.RoleGrantPermission(ctx, "house", "house/", clientv3.GetPrefixRangeEnd("house/"), clientv3.PermissionType(clientv3.PermReadWrite))
	must(t, err)
	_, err = client.AuthEnable(ctx)
	must(t, err)
}

// tlsFiles are the files of a certificate.
type tlsFiles struct{ cert, key, ca string }

func (f tlsFiles) flags() []string { return []string{"-cert", f.cert, "-key", f.key, "-ca", f.ca} }

// newAuthority makes an authority and a certificate for loopback that it signs.
func newAuthority(t *testing.T, dir, name string) tlsFiles {
	t.Helper()
	files := tlsFiles{filepath.Join(dir, name+".pem"), filepath.Join(dir, name+"-key.pem"), filepath.Join(dir, name+"-ca.pem")}
	caKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	ca := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	cert := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	private, err := x509.MarshalECPrivateKey(key)
	must(t, err)
	writePEM(t, files.key, "EC PRIVATE KEY", private)
	for file, certificate := range map[string]*x509.Certificate{files.ca: ca, files.cert: cert} {
		public := &key.PublicKey
		if certificate == ca {
			public = &caKey.PublicKey
		}
		der, err := x509.CreateCertificate(rand.Reader, certificate, ca, public, caKey)
		must(t, err)
		writePEM(t, file, "CERTIFICATE", der)
	}
	return files
}

func writePEM(t *testing.T, file, kind string, der []byte) {
	t.Helper()
	must(t, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
}
