package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/gobacklist/backlist/catalogue"
)

// textEvent is an event that encoding/json decodes without calling methods: its
// dates are strings.
type textEvent struct {
	ID          int    `json:"id"`
	Name        string `json:"name"`
	Slug        string `json:"slug"`
	Summary     string `json:"summary"`
	Description string `json:"description"`
	Location    string `json:"location"`
	StartDate   string `json:"startDate"`
	EndDate     string `json:"endDate"`
	Published   bool   `json:"published"`
	Poster      string `json:"poster"`
	PosterWebp  string `json:"posterWebp"`
	Labels      []int  `json:"labels"`
	Authors     []int  `json:"authors"`
}

// fileLoads compares LoadFile with json.Unmarshal of the same bytes.
func fileLoads(s setup, d *data) ([]line, error) {
	text := file(d)
	dir, err := os.MkdirTemp("", "peers-file-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "house.json")
	if err := os.WriteFile(path, text, 0o644); err != nil {
		return nil, err
	}
	load := func() { check(newBacklist().(*backlistStore).house.LoadFile(path, catalogue.LoadOptions{})) }
	unmarshal := func() {
		var house struct {
			Events []textEvent `json:"events"`
		}
		check(json.Unmarshal(text, &house))
	}
	names := columns(s, []string{"backlist", "json"}, "before")
	times := s.timeRow([]work{onceClean(load), onceClean(unmarshal)}, 1)
	bytes := s.sample(1, 2, func(i int) []float64 {
		bytes, _ := allocatedOnce([]func(){load, unmarshal}[i])
		return []float64{bytes / float64(len(text))}
	})
	return []line{
		versus("LoadFile", names, times, atMost(1, "json")).withoutLastPeer(),
		values("  bytes that it allocates ÷ the file's", names, pick(bytes, 0), multiple, atMost(4, "")).withoutLastPeer(),
	}, nil
}

// file returns the records in the format in which a catalogue is saved.
func file(d *data) []byte {
	var b bytes.Buffer
	b.WriteString(`{"events":`)
	for i := range d.records {
		b.WriteByte("[,"[min(i, 1)])
		b.WriteByte('\n')
		b.Write(d.records[i].json)
	}
	b.WriteString("]}\n")
	return b.Bytes()
}
