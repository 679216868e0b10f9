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
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/etcd/client/pkg/v3/transport"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3client"
)

// TestEndpoints runs two clients of a cluster, and ends a member.
func TestEndpoints(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	peers, urls := freeURLs(t, 3), freeURLs(t, 3)
	cluster := fmt.Sprintf("n1=%s,n2=%s,n3=%s", peers[0], peers[1], peers[2])
	var members [3]*process
	for i := range members {
		name := fmt.Sprintf("n%d", i+1)
		members[i] = start(t, "-name", name, "-dir", filepath.Join(dir, name), "-peer", peers[i], "-client", urls[i],
			"-cluster", cluster, "-addr", "127.0.0.1:0", "-open")
	}
	first := start(t, "-endpoints", strings.Join(urls, ","), "-addr", "127.0.0.1:0", "-open")
	second := start(t, "-endpoints", urls[2], "-addr", "127.0.0.1:0")
	checkEvent(t, "A", first.address(t), second.address(t), members[0].address(t), members[1].address(t), members[2].address(t))
	if got := ask(t, "POST", second.address(t), "events/", "{}"); got.Status != http.StatusForbidden {
		t.Errorf("POST without -open: %+v, want 403", got)
	}
	members[0].end(t)
	checkEvent(t, "B", members[1].address(t), second.address(t)) // two of three are a quorum
	first.end(t)
	second.end(t)
}

// TestPassword runs clients of a cluster with users.
func TestPassword(t *testing.T) {
	member := startMember(t, nil)
	url := member.Config().ListenClientUrls[0].String()
	client := v3client.New(member.Server)
	defer client.Close()
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

// TestTLS runs clients of a member that requires certificates.
func TestTLS(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files, strangers := newAuthority(t, dir, "house"), newAuthority(t, dir, "stranger")
	url := startMember(t, &files).Config().ListenClientUrls[0].String()
	client := start(t, append(files.flags(), "-endpoints", url, "-addr", "127.0.0.1:0", "-open")...)
	checkEvent(t, "A", client.address(t))
	for reason, flags := range map[string][]string{
		"no certificate":                     {"-ca", files.ca},
		"no authority":                       {"-cert", files.cert, "-key", files.key},
		"a certificate of another authority": {"-cert", strangers.cert, "-key", strangers.key, "-ca", files.ca},
		"a member of another authority":      {"-cert", files.cert, "-key", files.key, "-ca", strangers.ca},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		err := run(ctx, append(flags, "-endpoints", url), strings.NewReader(""), io.Discard, io.Discard)
		cancel()
		if err == nil {
			t.Errorf("%s: no error", reason)
		}
	}
}

// startMember starts a member, which requires certificates if files is not nil.
func startMember(t *testing.T, files *tlsFiles) *embed.Etcd {
	t.Helper()
	opts := embed.NewConfig()
	opts.Dir, opts.LogLevel, opts.UnsafeNoFsync = t.TempDir(), "fatal", true
	peer, err := url.Parse(freeURLs(t, 1)[0])
	must(t, err)
	client, err := url.Parse(freeURLs(t, 1)[0])
	must(t, err)
	if files != nil {
		client.Scheme = "https"
		opts.ClientTLSInfo = transport.TLSInfo{CertFile: files.cert, KeyFile: files.key, TrustedCAFile: files.ca, ClientCertAuth: true}
	}
	opts.ListenPeerUrls, opts.AdvertisePeerUrls = []url.URL{*peer}, []url.URL{*peer}
	opts.ListenClientUrls, opts.AdvertiseClientUrls = []url.URL{*client}, []url.URL{*client}
	opts.InitialCluster = opts.Name + "=" + peer.String()
	e, err := embed.StartEtcd(opts)
	must(t, err)
	t.Cleanup(func() { stopMember(e) })
	<-e.Server.ReadyNotify()
	return e
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
