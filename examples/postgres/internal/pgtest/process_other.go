//go:build !unix

package pgtest

import (
	"errors"
	"os"
	"syscall"
)

// Find returns an error on these systems. The rest lets the package compile.
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
