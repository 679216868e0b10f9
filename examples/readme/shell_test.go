//go:build unix

package readme

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/examples/internal/freeport"
)

// TestShell runs the commands of the READMEs and of the package comments of the examples as
// written, in one shell for each file. In a README they are in blocks marked sh, in which
// commands have a prompt if there is output. The output of a command is compared if it is
// shown; "…" stands for any text. In a comment, the servers of a block end with it.
//
// The commands run in an empty directory, in which the packages of this module replace their
// latest versions. All shells use programs that are installed once; go run runs them. A command that ends in & is a server, which announces its address. Free
// ports replace 8080 and 8081. The examples that are modules of their own are not run here,
// and those that build for WebAssembly only if BACKLIST_WASM is set.
func TestShell(t *testing.T) {
	if os.Getenv("BACKLIST_SHELL") == "" || testing.Short() {
		t.Skip("BACKLIST_SHELL is not set: it builds programs")
	}
	for _, program := range []string{"bash", "curl"} {
		_, err := exec.LookPath(program)
		check(err)
	}
	examples, err := filepath.Glob("../../examples/*/*")
	check(err)
	files := []string{"../../README.md"}
	for _, file := range examples {
		_, err := os.Stat(filepath.Join(filepath.Dir(file), "go.mod"))
		if name := filepath.Base(file); errors.Is(err, fs.ErrNotExist) && (name == "README.md" || name == "main.go") {
			files = append(files, file)
		}
	}
	environment := install(t)
	for _, file := range files {
		text, err := os.ReadFile(file)
		check(err)
		blocks, after := readmeBlock.FindAllStringSubmatch(string(text), -1), ""
		if strings.HasSuffix(file, ".go") {
			comment, _, _ := strings.Cut(string(text), "\npackage main")
			blocks, after = commentBlock.FindAllStringSubmatch(comment, -1), stopServers
		}
		t.Run(strings.TrimPrefix(file, "../../"), func(t *testing.T) {
			if strings.Contains(file, "/playground/") && os.Getenv("BACKLIST_WASM") == "" {
				t.Skip("BACKLIST_WASM is not set: it builds for WebAssembly")
			}
			t.Parallel()
			s := newShell(t, environment)
			for _, block := range blocks {
				commands := strings.ReplaceAll(block[2], "//\t", "")
				switch {
				case block[1] == "sh", after != "" && command.MatchString(commands):
					s.runBlock(commands)
					s.run(after)
				case block[1] == "" && after == "":
					t.Errorf("this block does not say what it is:\n%s", block[2])
				}
			}
		})
	}
}

var (
	commentBlock = regexp.MustCompile(`(?m)()((?:^//\t.*\n)+)`)
	command      = regexp.MustCompile(`^(go|curl|backlist|[A-Z_]+=\S*) `)
)

const stopServers = "for job in $(jobs -p); do kill -- -$job; done; wait"

// A shell is a running bash.
type shell struct {
	t       *testing.T
	stdin   io.Writer
	stdout  *bufio.Scanner
	local   *strings.Replacer // of addresses and programs
	address string            // in place of 127.0.0.1:8080
}

// install installs the programs and returns the environment of the shells.
func install(t *testing.T) []string {
	t.Helper()
	root, err := filepath.Abs("../..")
	check(err)
	bin := t.TempDir()
	workspace := filepath.Join(bin, "go.work") // makes the packages known in any directory
	check(os.WriteFile(workspace, fmt.Appendf(nil, "go 1.26\nuse %q\n", root), 0o600))
	environment := append(os.Environ(), "GOBIN="+bin, "PATH="+bin+":"+os.Getenv("PATH"), "GOWORK="+workspace,
		"GOFLAGS="+os.Getenv("GOFLAGS")+" -ldflags=-w") // which links faster
	command := exec.Command("go", "install", "./examples/backlist", "./examples/client", "./examples/films", "./examples/rota", "./examples/shelf", "./examples/shop")
	command.Dir, command.Env, command.Stderr = root, environment, t.Output()
	check(command.Run())
	return environment
}

func newShell(t *testing.T, environment []string) *shell {
	t.Helper()
	bash := exec.Command("bash")
	bash.Dir, bash.Env = t.TempDir(), environment
	bash.Stderr, bash.WaitDelay = t.Output(), time.Second // for servers that do not stop
	stdin, err := bash.StdinPipe()
	check(err)
	stdout, err := bash.StdoutPipe()
	check(err)
	check(bash.Start())
	hangs := time.AfterFunc(5*time.Minute, func() { stdout.Close() })
	t.Cleanup(func() {
		hangs.Stop()
		fmt.Fprintln(stdin, stopServers, "; exit 0")
		kill := time.AfterFunc(time.Minute, func() { bash.Process.Kill() })
		defer kill.Stop()
		check(bash.Wait())
	})
	fmt.Fprintln(stdin, `set -m
		curl() { command curl -sS --max-time 60 "$@"; }`)
	free, err := freeport.Addresses(2)
	check(err)
	return &shell{
		t:       t,
		stdin:   stdin,
		stdout:  bufio.NewScanner(stdout),
		address: free[0],
		local: strings.NewReplacer("git clone https://github.com/gobacklist/backlist", "mkdir backlist", "127.0.0.1:8080", free[0], "127.0.0.1:8081", free[1],
			"go run ./examples/playground", "go run github.com/gobacklist/backlist/examples/playground", "go run ./examples/", "",
			" ./examples/", " github.com/gobacklist/backlist/examples/", "@latest", ""),
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
		port := strings.Replace(s.address, ":", "/", 1)
		command = "rm -f server.out; " + server + " -addr " + s.address + ` >server.out &
			for i in {1..2400}; do
				grep -q ^serving server.out && (: </dev/tcp/` + port + `) && break
				kill -0 $! || break
				sleep 0.1
			done 2>&-
			cat server.out; grep -q ^serving server.out`
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
