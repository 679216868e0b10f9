//go:build unix

package pgtest

import (
	"fmt"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

const supported = true

const (
	sigStop      = syscall.SIGSTOP
	sigContinue  = syscall.SIGCONT
	sigFast      = syscall.SIGINT
	sigImmediate = syscall.SIGQUIT
)

// An account is whom PostgreSQL's programs run as; nil is ourselves.
type account struct{ uid, gid int }

// unprivileged is the account the server runs as: PostgreSQL refuses to be root.
func unprivileged() (*account, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return nil, fmt.Errorf("pgtest: PostgreSQL does not run as root, so there has to be its user: %w", err)
	}
	uid, err := strconv.Atoi(u.Uid)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.Atoi(u.Gid)
	if err != nil {
		return nil, err
	}
	return &account{uid, gid}, nil
}

// apart is a process in a session of its own, which the terminal's ^C does not reach:
// that is for the test process to act on.
func apart(as *account) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setsid: true}
	if as != nil {
		attr.Credential = &syscall.Credential{Uid: uint32(as.uid), Gid: uint32(as.gid)}
	}
	return attr
}
