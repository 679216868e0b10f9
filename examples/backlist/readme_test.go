package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestReadme sends the request of each line in README.md that begins with curl, and compares
// the response with the lines below it. "…" stands for any text.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, "-open", "-control", "127.0.0.1:0")
	addresses := strings.NewReplacer("http://127.0.0.1:8080", s.base, "http://127.0.0.1:8081", s.control)
	commands := regexp.MustCompile(`(?m)^curl (.*)\n((?:[^c\x60\n].*\n)*)`).FindAllStringSubmatch(addresses.Replace(string(text)), -1)
	if len(commands) != 16 || len(commands) != strings.Count(string(text), "\ncurl ") {
		t.Errorf("%d commands in README.md", len(commands))
	}
	for _, command := range commands {
		a := curl(t, command[1])
		pattern := "^" + strings.ReplaceAll(regexp.QuoteMeta(strings.TrimSuffix(command[2], "\n")), "…", "(?s:.*)") + "$"
		if !regexp.MustCompile(pattern).MatchString(strings.TrimSuffix(a.body, "\n")) {
			t.Errorf("curl %s:\n%d %s\nwant\n%s", command[1], a.status, a.body, command[2])
		}
	}
}

// curl sends the request of a command line of curl with the options that README.md uses.
func curl(t *testing.T, line string) answer {
	t.Helper()
	method, url, body := "GET", "", ""
	var headers []string
	words := regexp.MustCompile(`'[^']*'|\S+`).FindAllString(line, -1)
	for i := 0; i < len(words); i++ {
		argument := func() string {
			i++
			return strings.Trim(words[i], "'")
		}
		switch words[i] {
		case "-X":
			method = argument()
		case "-H":
			name, value, _ := strings.Cut(argument(), ": ")
			headers = append(headers, name, value)
		case "-d":
			body = argument()
			if method == "GET" {
				method = "POST"
			}
		default:
			if url != "" || strings.HasPrefix(words[i], "-") {
				t.Fatalf("unknown argument %s in curl %s", words[i], line)
			}
			url = strings.Trim(words[i], "'")
		}
	}
	return ask(t, method+" "+url, body, headers...)
}
