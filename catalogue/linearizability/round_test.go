package linearizability_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/gobacklist/backlist/catalogue/internal/model"
	"github.com/gobacklist/backlist/catalogue/internal/model/play"
)

// A workload describes collections and the operations that clients perform on them.
type workload struct {
	name     string
	models   []*model.Config
	play     func() (*play.Player, error)
	mix      string                                               // the verbs; see planner
	size     int                                                  // the number of records at the start
	requests bool                                                 // operations have the form of requests
	perform  func(w *workload, p *play.Player) (performer, error) // if nil, the player performs the operations
}

// A performer is a [play.Player], or performs operations in another way.
type performer interface {
	Start(op model.Op) (finish func() string)
}

// A clock numbers the calls and the returns of operations in the order in which they
// happen. The clock of the machine would not do: on a virtual machine, the clocks of two
// processors may differ by more than the duration of an operation.
type clock struct{ last atomic.Int64 }

// next returns a number greater than all that were returned before. For the race
// detector, it does not synchronize the goroutines that call it, because that would hide
// data races between their operations.
func (c *clock) next() int64 {
	ignoreSynchronization(true)
	defer ignoreSynchronization(false)
	return c.last.Add(1)
}

// A run is an execution of a workload: rounds of concurrent operations on the same
// collections. Each round begins in a known state.
type run struct {
	*workload
	player    *play.Player
	performer performer
	from      model.World // at the beginning of the round
	rng       *rand.Rand
	start     time.Time
	clock     clock
	rounds    int
	calls     int // recorded operations
	unknown   int // rounds that could not be checked in time
}

// checkTimeout is the time after which checking a round is given up.
const checkTimeout = 10 * time.Second

// begin returns a run.
func (w *workload) begin(rng *rand.Rand) (*run, error) {
	r := &run{workload: w, rng: rng, start: time.Now()}
	return r, r.restart()
}

// restart makes collections with the records of the start.
func (r *run) restart() error {
	p, err := r.play()
	if err != nil {
		return err
	}
	r.from = model.New(r.models...)
	fill := model.Random{Rand: r.rng, Size: max(r.size, 1)}
	for range r.size {
		for _, c := range r.models {
			r.from, _ = r.step(p, fill.On(r.from, model.Place{Key: c.Key}, "insert"))
		}
	}
	return r.use(p)
}

// step performs an operation while there is no other. The next round finds out if its
// result is wrong.
func (r *run) step(p performer, op model.Op) (model.World, string) {
	p.Start(op)()
	return r.from.Do(op)
}

func (r *run) use(p *play.Player) (err error) {
	p.Pause = func() { pause(rand.IntN(3)) }
	r.player, r.performer = p, p
	if r.perform != nil {
		r.performer, err = r.perform(r.workload, p)
	}
	return err
}

// round runs several clients concurrently and checks the history of their operations.
func (r *run) round() error {
	r.rounds++
	number := 3 + r.rng.IntN(4)
	for _, c := range r.models {
		if c.History > 0 {
			number = min(number, 4) // every order of writes is a different state
		}
	}
	p := newPlanner(r)
	var plans [][]planned
	for range number {
		plans = append(plans, p.plan(8+r.rng.IntN(8)))
	}
	followers := r.followers()
	history := r.concurrently(plans)
	last := &client{run: r, number: number, rng: r.rng, seen: map[string]int{}}
	if err := last.finish(followers); err != nil {
		return err
	}
	history = append(history, last.history...)
	r.calls += len(history)
	final, err := r.check(history)
	switch {
	case err != nil:
		return err
	case final == nil:
		return r.restart() // because the state is not known
	}
	r.from = final
	return r.advance()
}

// concurrently performs the plans concurrently, each with its own client.
func (r *run) concurrently(plans [][]planned) (history []porcupine.Operation) {
	pace := r.rng.IntN(4)
	ready := make(chan struct{})
	var group sync.WaitGroup
	var clients []*client
	for i, plan := range plans {
		c := &client{run: r, number: i, pace: pace, rng: rand.New(rand.NewPCG(r.rng.Uint64(), r.rng.Uint64())), seen: r.revisions()}
		clients = append(clients, c)
		group.Go(func() {
			<-ready
			c.perform(plan)
		})
	}
	close(ready)
	group.Wait()
	for _, c := range clients {
		history = append(history, c.history...)
	}
	return history
}

// revisions returns the revision of each collection at the beginning of the round.
func (r *run) revisions() map[string]int {
	all := map[string]int{}
	for _, c := range r.models {
		_, text := r.from.Do(model.Op{In: c.Key, Verb: "revision"})
		all[c.Key], _ = strconv.Atoi(text)
	}
	return all
}

// advance prepares the next round: sometimes it takes a snapshot that later rounds read, or
// replaces the collections by clones.
func (r *run) advance() error {
	if r.rounds < 4 || r.rng.IntN(6) == 0 {
		r.from, _ = r.step(r.player, model.Op{Verb: "snapshot", Name: fmt.Sprint("s", r.rng.IntN(3)), In: r.models[0].Key})
	}
	if r.rng.IntN(6) == 0 {
		w, _ := r.step(r.player, model.Op{Verb: "clone", Name: "c"})
		r.from = model.World{}
		for at, state := range w {
			if at.Copy == "c" {
				r.from[model.Place{Key: at.Key}] = state
			}
		}
		if err := r.use(r.player.Copy("c")); err != nil {
			return err
		}
	}
	if r.rounds%8 > 0 {
		return nil
	}
	if err := r.player.Check(); err != nil {
		return fmt.Errorf("after round %d: %w", r.rounds, err)
	}
	return nil
}

// check returns the world at the end of a history, or an error wrapping errNotLinearizable if
// the history is not linearizable. It returns neither if it could not be checked in time.
func (r *run) check(history []porcupine.Operation) (model.World, error) {
	s := newSearch()
	m := s.porcupine(r.from)
	switch porcupine.CheckOperationsTimeout(m, history, checkTimeout) {
	case porcupine.Ok:
		return s.final, nil
	case porcupine.Unknown:
		if r.unknown++; r.unknown*100 > r.rounds+100 {
			return nil, fmt.Errorf("%d of %d rounds could not be checked in %v each", r.unknown, r.rounds, checkTimeout)
		}
		return nil, nil
	}
	err := fmt.Errorf("round %d is %w", r.rounds, errNotLinearizable)
	_, info := porcupine.CheckOperationsVerbose(m, history, checkTimeout)
	if path := os.Getenv(htmlVariable); path != "" {
		if failed := porcupine.VisualizePath(m, info, path); failed != nil {
			return nil, fmt.Errorf("%w; %w", err, failed)
		}
		return nil, fmt.Errorf("%w: see %s", err, path)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "from %s\n", m.DescribeState(m.Init()))
	slices.SortFunc(history, func(x, y porcupine.Operation) int { return cmp.Compare(x.Call, y.Call) })
	longest := map[int64]bool{} // the calls of a longest part that is linearizable
	for _, part := range slices.Concat(info.PartialLinearizationsOperations()...) {
		if len(part) > len(longest) {
			clear(longest)
			for _, op := range part {
				longest[op.Call] = true
			}
		}
	}
	for _, op := range history {
		mark := map[bool]string{false: "?"}[longest[op.Call]]
		fmt.Fprintf(&b, "%s%d to %d: client %d: %s -> %s\n", mark, op.Call, op.Return, op.ClientId, op.Input.(input).text, op.Output)
	}
	return nil, fmt.Errorf("%w\n%s", err, &b)
}

// A client performs operations one after another and records them.
type client struct {
	*run
	number   int
	pace     int // see pause
	rng      *rand.Rand
	seen     map[string]int // last known revision of each collection
	history  []porcupine.Operation
	deferred []func() // read the results of earlier operations
}

// pause lets other clients run. The pace determines for how long.
func pause(pace int) {
	switch pace {
	case 1:
		runtime.Gosched()
	case 2:
		for range rand.IntN(4) {
			runtime.Gosched()
		}
	case 3:
		if rand.IntN(2) == 0 {
			time.Sleep(time.Duration(rand.IntN(30)) * time.Microsecond)
		}
	}
}

// perform performs the operations of a plan. Snapshots, clones, iterators and saved
// collections are read some operations later.
func (c *client) perform(plan []planned) {
	for _, p := range plan {
		pause(c.pace)
		if p.times == 1 {
			c.record(p.op)
		} else {
			c.repeat(p)
		}
		for len(c.deferred) > 0 && c.rng.IntN(3) == 0 {
			c.deferred[0]()
			c.deferred = c.deferred[1:]
		}
	}
	for _, read := range c.deferred {
		pause(c.pace)
		read()
	}
	c.deferred = nil
}

// repeat performs a read many times in a row. Of those that have the result of the previous
// one, it records two.
func (c *client) repeat(p planned) {
	in, list, finish := input{op: p.op, text: p.op.String()}, make([]porcupine.Operation, p.times), make([]func() string, p.times)
	for i := range list {
		call := c.clock.next()
		finish[i] = c.performer.Start(p.op)
		list[i] = porcupine.Operation{ClientId: c.number, Input: in, Call: call, Return: c.clock.next()}
	}
	for i, op := range list {
		op.Output = finish[i]()
		if n := len(c.history); i < 2 || op.Output != c.history[n-1].Output {
			c.history = append(c.history, op)
		}
	}
}

// record performs one operation and appends it to the history.
func (c *client) record(op model.Op) {
	if op.Verb == "since" && op.ID < 0 {
		op.ID = c.seen[op.In]
	}
	i, in := len(c.history), input{op: op, text: op.String()}
	call := c.clock.next()
	finish := c.performer.Start(op)
	c.history = append(c.history, porcupine.Operation{ClientId: c.number, Input: in, Call: call, Return: c.clock.next()})
	read := func() {
		result := finish()
		c.history[i].Output = result
		var now int
		if _, err := fmt.Sscanf(result, "now %d", &now); op.Verb == "since" && err == nil {
			c.seen[op.In] = now
		}
	}
	if op.Ops != nil && op.Verb != "batch" || op.Verb == "all" {
		c.deferred = append(c.deferred, read)
	} else {
		read()
	}
}

// do performs an operation, records it and returns its result.
func (c *client) do(op model.Op) string {
	c.record(op)
	return c.history[len(c.history)-1].Output.(string)
}

// finish performs operations after which the state is known, and compares the changes that
// were iterated over with those that are kept.
func (c *client) finish(followers []*follower) error {
	random := model.Random{Rand: c.rng, Size: 1 << 30}
	for _, f := range followers {
		for result := ""; !strings.HasPrefix(result, "id "); {
			op := random.On(c.from, model.Place{Key: f.key}, "insert")
			op.How = ""
			result = c.do(op)
		}
		c.do(model.Op{In: f.key, Verb: "revision"})
		for c.do(model.Op{In: f.key, Verb: "view", Terms: "id"}); f.changes != nil; f.from++ {
			if err, done := f.check(c.do(model.Op{In: f.key, Verb: "since", ID: f.from})); done {
				if err != nil {
					return fmt.Errorf("round %d is %w: %w", c.rounds, errNotLinearizable, err)
				}
				break
			}
		}
	}
	in := c.history[len(c.history)-1].Input.(input)
	in.last = true
	c.history[len(c.history)-1].Input = in
	return nil
}

// A follower iterates over the changes that are made to a collection in a round.
type follower struct {
	key     string
	from    int
	trimmed bool        // not all changes after from are kept
	changes chan string // nil if there is no history
	stop    func()
}

// followers starts a follower for each collection.
func (r *run) followers() (all []*follower) {
	for _, c := range r.models {
		f := &follower{key: c.Key, from: r.revisions()[c.Key]}
		all = append(all, f)
		if c.History == 0 {
			continue
		}
		f.changes = make(chan string, 1000)
		var ctx context.Context
		ctx, f.stop = context.WithTimeout(context.Background(), 20*time.Second)
		seq := r.player.Changes(ctx, c.Key, uint64(f.from))
		go func() {
			defer close(f.changes)
			for text, err := range seq {
				if err != nil {
					text = err.Error()
				}
				f.changes <- text
			}
		}()
	}
	return all
}

// check compares the changes with the result of since. It reports false if the changes
// after the revision are not kept. The follower may have got more of them then, or an error.
func (f *follower) check(since string) (err error, done bool) {
	if since == "error: trimmed" {
		f.trimmed = true
		return nil, false
	}
	defer f.stop()
	_, want, _ := strings.Cut(since, ", ")
	var got string
	for len(got) < len(want) || f.trimmed && !strings.HasSuffix(got, want) {
		text, ok := <-f.changes
		if f.trimmed && strings.Contains(text, "trimmed") {
			return nil, true
		}
		if !ok {
			break
		}
		got = strings.TrimPrefix(got+", "+text, ", ")
	}
	if got == want || f.trimmed && strings.HasSuffix(got, want) {
		return nil, true
	}
	return fmt.Errorf("changes of %s after %d:\ngot:  %s\nwant: %s", f.key, f.from, got, want), true
}
