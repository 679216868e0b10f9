//go:build !unix

package pgtest

import (
	"errors"
	"os"
	"syscall"
)

// Find says that there is no server here, so nothing below is reached; it lets
// packages whose tests use this one compile.
const supported = false

var (
	sigStop      = os.Kill
	sigContinue  = os.Kill
	sigFast      = os.Kill
	sigImmediate = os.Kill
)

type account struct{ uid, gid int }

func unprivileged() (*account, error) { return nil, errors.ErrUnsupported }

func apart(*account) *syscall.SysProcAttr { return nil }
