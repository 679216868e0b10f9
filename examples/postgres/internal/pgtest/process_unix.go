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

// An account is the user of PostgreSQL's programs. Nil means the user of the test.
type account struct{ uid, gid int }

// unprivileged returns the account of the server: PostgreSQL refuses to run as root.
func unprivileged() (*account, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return nil, fmt.Errorf("pgtest: PostgreSQL does not run as root and needs a user: %w", err)
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

// apart returns attributes for a process in its own session, so that the terminal's
// interrupt reaches the test process only.
func apart(as *account) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setsid: true}
	if as != nil {
		attr.Credential = &syscall.Credential{Uid: uint32(as.uid), Gid: uint32(as.gid)}
	}
	return attr
}
