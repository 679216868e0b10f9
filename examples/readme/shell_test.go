//go:build unix

package readme

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// unchecked are the examples whose commands are not run here, with the reason.
var unchecked = map[string]string{
	"etcd":     "starts a cluster",
	"openapi":  "needs npm packages",
	"peers":    "takes hours",
	"postgres": "needs PostgreSQL",
}

// TestShell runs the blocks marked sh of the READMEs as written, in one shell for each
// README. In blocks with output, commands have a prompt. The output of a command is compared
// if it is shown; "…" stands for any text.
//
// The command go runs in the root of the module, others in an empty directory. A command
// that ends in & is a server, which announces its address. Free ports replace 8080 and 8081,
// and programs of this module replace their latest versions.
func TestShell(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	for _, program := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(program); err != nil && os.Getenv("BACKLIST_SHELL") != "" {
			t.Fatal("BACKLIST_SHELL is set: ", err)
		} else if err != nil {
			t.Skip(err)
		}
	}
	files, err := filepath.Glob("../../examples/*/README.md")
	check(err)
	for _, file := range append(files, "../../README.md") {
		name := filepath.Base(filepath.Dir(file))
		if unchecked[name] != "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			check(err)
			s := newShell(t)
			for _, block := range regexp.MustCompile("(?ms)^```(\\S*)\n(.*?)^```\n").FindAllStringSubmatch(string(text), -1) {
				switch block[1] {
				case "sh":
					s.runBlock(block[2])
				case "":
					t.Errorf("this block does not say what it is:\n%s", block[2])
				}
			}
		})
	}
}

// A shell is a running bash.
type shell struct {
	t       *testing.T
	stdin   io.Writer
	stdout  *bufio.Scanner
	local   *strings.Replacer // of addresses and programs
	address string            // in place of 127.0.0.1:8080
}

func newShell(t *testing.T) *shell {
	t.Helper()
	root, err := filepath.Abs("../..")
	check(err)
	bash, bin := exec.Command("bash"), t.TempDir()
	bash.Dir = t.TempDir()
	bash.Env = append(os.Environ(), "GOBIN="+bin, "PATH="+bin+":"+os.Getenv("PATH"), "ROOT="+root,
		"GOFLAGS="+os.Getenv("GOFLAGS")+" -ldflags=-w") // which links faster
	bash.Stderr, bash.WaitDelay = t.Output(), time.Second // for servers that do not stop
	stdin, err := bash.StdinPipe()
	check(err)
	stdout, err := bash.StdoutPipe()
	check(err)
	check(bash.Start())
	hangs := time.AfterFunc(2*time.Minute, func() { stdout.Close() })
	t.Cleanup(func() {
		hangs.Stop()
		fmt.Fprintln(stdin, "for job in $(jobs -p); do kill -- -$job; done; wait; exit 0")
		kill := time.AfterFunc(time.Minute, func() { bash.Process.Kill() })
		defer kill.Stop()
		check(bash.Wait())
	})
	fmt.Fprintln(stdin, `set -m
		go() { (cd "$ROOT" && command go "$@"); }
		curl() { command curl -sS --max-time 60 "$@"; }`)
	first, second := freeAddress(t), freeAddress(t)
	return &shell{
		t:       t,
		stdin:   stdin,
		stdout:  bufio.NewScanner(stdout),
		address: first,
		local: strings.NewReplacer("127.0.0.1:8080", first, "127.0.0.1:8081", second,
			"github.com/gobacklist/backlist/examples/", "./examples/", "@latest", ""),
	}
}

// runBlock runs the commands of a block.
func (s *shell) runBlock(block string) {
	s.t.Helper()
	if !strings.HasPrefix(block, "$ ") {
		block = "$ " + strings.ReplaceAll(strings.TrimSuffix(block, "\n"), "\n", "\n$ ")
	}
	for _, part := range strings.Split("\n"+block, "\n$ ")[1:] {
		command, output, shown := strings.Cut(strings.TrimSuffix(part, "\n"), "\n")
		if command == "go test ./..." { // CI runs it
			continue
		}
		got, status := s.run(s.local.Replace(command))
		pattern := "^" + strings.ReplaceAll(regexp.QuoteMeta(s.local.Replace(output)), "…", "(?s:.*)") + "$"
		if status != "0" || shown && !regexp.MustCompile(pattern).MatchString(got) {
			s.t.Errorf("%s\n%s\nexit code %s, want\n%s", command, got, status, output)
		}
	}
}

// run runs a command and returns its output, or that of a server as soon as it has an address.
func (s *shell) run(command string) (output, status string) {
	if server, ok := strings.CutSuffix(command, " &"); ok {
		command = "rm -f server.out; " + server + " -addr " + s.address + " >server.out &\n" +
			"for i in {1..2400}; do grep -q ^serving server.out && break; sleep 0.1; done; cat server.out"
	}
	// jobs forgets those that have ended, so that the next one is %1 again.
	fmt.Fprintf(s.stdin, "jobs >/dev/null\n%s\nprintf '\\n~%%s\\n' $?\n", command)
	for s.stdout.Scan() {
		code, ok := strings.CutPrefix(s.stdout.Text(), "~")
		if ok {
			return strings.TrimSpace(output), code
		}
		output += s.stdout.Text() + "\n"
	}
	return output, "none"
}
