package main

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gobacklist/backlist/examples/internal/freeport"
)

// file measures programs that serve a JSON file: from their start to their first answer, and the most memory
// that they have had by then. json-server is measured if the command is there.
func file(s setup, n int) []*section {
	if n = 421_298; s.sizes[0] < 10_000 {
		n = 1100
	}
	dir, err := os.MkdirTemp("", "peers")
	check(err)
	defer os.RemoveAll(dir)
	size := writeFilms(filepath.Join(dir, "db.json"), n)
	out, err := exec.Command("go", "build", "-o", filepath.Join(dir, "backlist"), "github.com/gobacklist/backlist/examples/backlist").CombinedOutput()
	if err != nil {
		check(fmt.Errorf("%w: %s", err, out))
	}
	sec := &section{title: fmt.Sprintf("A FILE OF %.0f MB, %s RECORDS", float64(size)/1e6, thousands(n)), names: []string{"backlist", "json-server"}}
	var times, sizes [2][]float64
	for range min(s.rounds, 3) {
		for i, name := range []string{filepath.Join(dir, "backlist"), "json-server"} {
			path, err := exec.LookPath(name)
			if err != nil {
				continue
			}
			free, err := freeport.Addresses(1)
			check(err)
			address := free[0]
			_, port, _ := net.SplitHostPort(address)
			cmd := exec.Command(path, "-addr", address, "db.json")
			if i == 1 {
				cmd = exec.Command(path, "--port", port, "db.json")
			}
			cmd.Dir = dir
			took, kilobytes := firstAnswer(cmd, map[int]string{0: "http://" + address + "/api/films/", 1: "http://" + address + "/films?_limit=21"}[i])
			times[i], sizes[i] = append(times[i], float64(took)), append(sizes[i], kilobytes/1e3)
		}
	}
	sec.values("start to the first answer", times[:], duration, goal{})
	sec.values("the most memory by then, in MB", sizes[:], whole, goal{bound: 600, own: true})
	return []*section{sec}
}

// writeFilms writes a file of n films of eight members, and returns its size.
func writeFilms(path string, n int) int64 {
	f, err := os.Create(path)
	check(err)
	w := bufio.NewWriter(f)
	w.WriteString(`{"films":[`)
	for i := range n {
		if i > 0 {
			w.WriteByte(',')
		}
		fmt.Fprintf(w, `{"id":%d,"title":"The Film of Number %[1]d","year":%d,"genre":"g%d","rating":%d.%d,"released":"19%02d-0%d-1%d","url":"https://films.example/%[1]d","summary":"%[9]s"}`,
			i+1, 1900+i%120, i%20, i%9, i%10, i%100, 1+i%9, i%10, strings.Repeat("a film about something ", 1+i%5))
	}
	w.WriteString("]}\n")
	check(w.Flush())
	about, err := f.Stat()
	check(err)
	check(f.Close())
	return about.Size()
}

// firstAnswer starts a program, waits until it answers, and ends it. It returns the time and the kilobytes of
// memory that the program has had at most, of which Linux keeps account.
func firstAnswer(cmd *exec.Cmd, url string) (took time.Duration, kilobytes float64) {
	start := time.Now()
	check(cmd.Start())
	defer cmd.Wait()
	defer cmd.Process.Kill()
	for {
		resp, err := http.Get(url)
		if err == nil && resp.StatusCode == http.StatusOK {
			resp.Body.Close()
			break
		}
		if time.Since(start) > 5*time.Minute {
			check(fmt.Errorf("%s: no answer: %v", cmd, err))
		}
		time.Sleep(5 * time.Millisecond)
	}
	took = time.Since(start)
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
	check(err)
	_, peak, _ := strings.Cut(string(status), "VmHWM:")
	kilobytes, err = strconv.ParseFloat(strings.Fields(peak)[0], 64)
	check(err)
	return took, kilobytes
}
