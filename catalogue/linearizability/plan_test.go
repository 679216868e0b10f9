package linearizability_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue/internal/model"
	"github.com/gobacklist/backlist/catalogue/internal/model/play"
	"github.com/gobacklist/backlist/catalogue/internal/model/playhttp"
)

// A film is a play.Film with methods that yield the processor, as those of a program may.
type film play.Film

func (f film) MarshalJSON() ([]byte, error) {
	runtime.Gosched()
	return json.Marshal(play.Film(f))
}

func (f *film) UnmarshalJSON(data []byte) error {
	runtime.Gosched()
	return json.Unmarshal(data, (*play.Film)(f))
}

func (f *film) Invalidate() { (*play.Film)(f).Invalidate() }

// A planner chooses the operations of one round.
type planner struct {
	*run
	random  *model.Random
	verbs   []string
	held    []string   // names of snapshots
	popular []model.Op // pages that are read often
}

// A planned is an operation that is performed some times, one after another.
type planned struct {
	op    model.Op
	times int
}

func newPlanner(r *run) *planner {
	p := &planner{run: r, verbs: strings.Fields(r.mix)}
	p.random = &model.Random{Rand: r.rng, Size: max(r.size, 8), Batch: 16}
	for at := range r.from {
		if at.Copy != "" {
			p.held = append(p.held, at.Copy)
		}
	}
	slices.Sort(p.held)
	for range 3 {
		p.popular = append(p.popular, p.page("page"))
	}
	if all := &p.popular[0]; !p.requests { // takes long, so that more happens meanwhile
		all.Where, all.Offset, all.Limit = nil, 0, 0
	}
	return p
}

// plan returns the operations of a client.
func (p *planner) plan(n int) (plan []planned) {
	for range n {
		next := planned{p.op(), 1}
		if slices.Contains([]string{"page", "view", "count", "first", "position"}, next.op.Verb) && p.rng.IntN(2) == 0 {
			next.times = 10 + p.rng.IntN(60) // after 64 reads without a write, a state is frozen
		}
		plan = append(plan, next)
	}
	return plan
}

// place returns a random collection.
func (p *planner) place() model.Place {
	return model.Place{Key: p.models[p.rng.IntN(len(p.models))].Key}
}

// op returns a random operation.
func (p *planner) op() model.Op {
	verb := p.verbs[p.rng.IntN(len(p.verbs))]
	switch verb {
	case "page", "view":
		return p.page(verb)
	case "held":
		return p.reread()
	case "selection":
		verbs := []string{"page", "view", "count", "first", "position", "all", "counts", "counts"}
		if p.requests {
			verbs = verbs[:6]
		}
		return p.request(p.random.On(p.from, p.place(), verbs[p.rng.IntN(len(verbs))]))
	case "snapshot", "clone", "save":
		return p.copy(verb)
	case "nothing":
		return p.nothing()
	case "together":
		op := p.random.Together(p.from, "")
		for i := range op.Ops {
			op.Ops[i].On = "" // what a batch reads outside is of no known state
		}
		return op
	}
	op := p.random.On(p.from, p.place(), verb)
	if verb == "since" {
		op.ID = -1 // the client has seen later revisions
	}
	for i := range op.Ops {
		op.Ops[i].On = "" // what a batch reads outside is of no known state
	}
	return p.request(op)
}

// page returns a random page, mostly of all records, and often a popular one.
func (p *planner) page(verb string) model.Op {
	if len(p.popular) == 3 && p.rng.IntN(2) == 0 {
		op := p.popular[p.rng.IntN(3)]
		if !p.requests { // whose conditions only filters have
			op.Verb = verb
		}
		return op
	}
	op := p.random.On(p.from, p.place(), verb)
	if p.rng.IntN(4) > 0 {
		op.Where, op.Limit = nil, 1+p.rng.IntN(10)
	}
	return p.request(op)
}

// request returns the operation in the form of a request, if requests are made.
func (p *planner) request(op model.Op) model.Op {
	if !p.requests || !isRequest(op) {
		return op
	}
	op = playhttp.Request(op, p.rng)
	if _, result := p.from.Do(op); result == "error: invalid condition" {
		op.Where = nil // the answers to those are tested elsewhere
	}
	return op
}

// reread returns a read of a snapshot of an earlier round.
func (p *planner) reread() model.Op {
	if len(p.held) == 0 {
		return p.page("page")
	}
	at := model.Place{Copy: p.held[p.rng.IntN(len(p.held))], Key: p.models[0].Key}
	return p.random.On(p.from, at, []string{"page", "view", "count", "first", "position", "all", "get"}[p.rng.IntN(7)])
}

// copy returns an operation that copies all collections or one of them, which reads the
// copy later. If it can be written to, a record is inserted and the copy read again.
func (p *planner) copy(verb string) model.Op {
	op := model.Op{Verb: verb, Name: "copy"}
	keys := []string{}
	for _, c := range p.models {
		keys = append(keys, c.Key)
	}
	if verb != "save" && p.rng.IntN(3) == 0 {
		op.In = keys[p.rng.IntN(len(keys))]
		keys = []string{op.In}
	}
	for _, key := range keys {
		at := model.Place{Key: key}
		read := func(verb string) { op.Ops = append(op.Ops, p.random.On(p.from, at, verb)) }
		all := model.Op{In: key, Verb: []string{"page", "view", "all"}[p.rng.IntN(3)], Terms: "id"}
		op.Ops = append(op.Ops, all)
		read([]string{"page", "view", "count", "first", "position", "all"}[p.rng.IntN(6)])
		if read("get"); verb == "snapshot" {
			continue
		}
		read("insert")
		read([]string{"update", "batch", "upsert"}[p.rng.IntN(3)])
		op.Ops = append(op.Ops, all)
	}
	return op
}

// nothing returns a batch that changes nothing but can use an id.
func (p *planner) nothing() model.Op {
	at, id := p.place(), 1000+p.rng.IntN(1000)
	insert := model.Op{Verb: "insert", Records: []string{fmt.Sprintf(`{"id":%d}`, id)}}
	remove := model.Op{Verb: "delete", ID: id}
	read := p.random.On(p.from, at, "count")
	read.In = ""
	steps := [][]model.Op{{}, {read}, {remove}, {insert, read, remove}}[p.rng.IntN(4)]
	return model.Op{In: at.Key, Verb: "batch", Ops: steps}
}
