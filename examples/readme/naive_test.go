package readme

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/httpapi/clienttest"
)

const naive = "BACKLIST_NAIVE"

// TestFilms fails, with the output that the README shows, if the environment has the variable naive.
func TestFilms(t *testing.T) {
	if os.Getenv(naive) == "" {
		t.Skip("run by TestFindings")
	}
	clienttest.VerifyClient(t, eventIDs, clienttest.Options{Collection: "events"})
}

// eventIDs returns the ids of all events, as filmNames returns names.
func eventIDs(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error) {
	type event struct {
		ID int `json:"id"`
	}
	events, err := follow[event](ctx, client, baseURL+"/api/events/?limit=2")
	for _, e := range events {
		ids = append(ids, e.ID)
	}
	return ids, err
}

// TestFindings checks that the README shows findings of VerifyClient, and their number.
func TestFindings(t *testing.T) {
	command := exec.Command(os.Args[0], "-test.run=^TestFilms$")
	command.Env = append(os.Environ(), naive+"=1")
	output, err := command.Output()
	if err == nil {
		t.Fatal("the client passes")
	}
	words := func(text string) string {
		text = regexp.MustCompile(`\(\d+\.\d+s\)|\w+\.go:\d+:`).ReplaceAllString(text, "")
		return strings.Join(strings.Fields(text), " ")
	}
	found := regexp.MustCompile(`(?m)^ +--- FAIL`).FindAll(output, -1)
	readme := readFile(t, "../../README.md")
	if want := "among 11 findings"; len(found) != 11 || !strings.Contains(readme, want) {
		t.Errorf("%d findings, want those in the README: %s", len(found), want)
	}
	_, block, _ := strings.Cut(readme, "```text\n--- FAIL")
	block, _, _ = strings.Cut(block, "\n```")
	for finding := range strings.SplitSeq(block, "--- FAIL") {
		if want := words("--- FAIL" + finding); !strings.Contains(words(string(output)), want) {
			t.Errorf("there is no finding %s in\n%s", want, output)
		}
	}
}
