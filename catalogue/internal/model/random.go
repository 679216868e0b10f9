package model

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
)

// A Random makes random operations.
type Random struct {
	*rand.Rand
	Size   int      // about the number of records
	Verbs  []string // from which operations are drawn
	Copies bool     // draw snapshots and clones too
	Batch  int      // largest number of operations in a batch; if 0, it depends on Size

	of    *State // that the operation is drawn for
	made  int    // number of copies so far
	names []string
}

// Ops are verbs for [Random.Verbs].
var (
	Reads  = strings.Fields("get has len count page page view view first position all counts explain since revision")
	Writes = strings.Fields("insert insert insert upsert upsert update update update delete updateall deleteall batch replace load")
)

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// Op returns an operation for a world.
func (r *Random) Op(w World) Op {
	if r.Copies && r.IntN(40) == 0 {
		return r.copy()
	}
	verb, on := pick(r.Rand, r.Verbs...), ""
	if len(r.names) > 0 && r.IntN(3) == 0 {
		on = pick(r.Rand, r.names...)
	}
	if on != "" && on[0] == 's' { // a snapshot cannot be written to
		for verb = ""; verb == "" || verb == "since"; {
			verb = pick(r.Rand, Reads...)
		}
	}
	if verb == "batch" && len(w.keys()) > 1 && r.IntN(2) == 0 {
		return r.Together(w, on)
	}
	return r.On(w, Place{on, pick(r.Rand, w.keys()...)}, verb)
}

// Together returns a batch of all collections of a catalogue or of a copy of it. If copies
// of single collections are among the copies, it can fail.
func (r *Random) Together(w World, on string) Op {
	op := Op{On: on, Verb: "batch", How: r.end()}
	for range 2 + r.IntN(8) {
		at := Place{on, pick(r.Rand, w.keys()...)}
		if r.of = w[at]; r.of == nil {
			continue
		}
		inner := r.inner()
		inner.In = at.Key
		op.Ops = append(op.Ops, inner)
	}
	return op
}

// end returns how a callback ends.
func (r *Random) end() string {
	return pick(r.Rand, "", "", "", "", "", "fail", "panic", "goexit")
}

// inner returns an operation of a batch.
func (r *Random) inner() Op {
	inner := r.op(pick(r.Rand, pick(r.Rand, Writes[:11]...), pick(r.Rand, Reads[:len(Reads)-2]...)))
	if inner.How == "panic" || inner.How == "goexit" {
		inner.How = pick(r.Rand, "", "fail", "fail", inner.How)
	}
	if !IsWrite(inner.Verb) && r.IntN(8) == 0 {
		inner.On = "outside"
	}
	return inner
}

// keys returns the keys of the collections, sorted.
func (w World) keys() (list []string) {
	for at := range w {
		if at.Copy == "" {
			list = append(list, at.Key)
		}
	}
	slices.Sort(list)
	return list
}

// On returns an operation with a verb for a collection. It often has another verb if the
// collection would become too small or too large.
func (r *Random) On(w World, at Place, verb string) Op {
	r.of = w[at]
	if (verb == "replace" || verb == "load") && r.IntN(10) > 0 {
		verb = "insert"
	}
	if verb == "insert" && len(r.of.records) > r.Size {
		verb = "delete"
	}
	op := r.op(verb)
	op.On, op.In = at.Copy, at.Key
	if verb == "since" {
		op.ID = max(0, int(r.of.revision)+2-r.IntN(pick(r.Rand, 5, 5, 2*r.of.c.History+5)))
	}
	return op
}

// copy returns an operation that names a copy. There are at most four of each kind.
func (r *Random) copy() Op {
	r.made++
	op := Op{Verb: pick(r.Rand, "snapshot", "snapshot", "clone", "save")}
	op.Name = fmt.Sprint(map[string]string{"snapshot": "s", "clone": "c", "save": "loaded"}[op.Verb], r.made%4)
	if len(r.names) > 0 {
		if on := pick(r.Rand, append(r.names, "")...); on == "" || on[0] != 's' {
			op.On = on
		}
	}
	if !slices.Contains(r.names, op.Name) {
		r.names = append(r.names, op.Name)
	}
	return op
}

// id returns the id of a record or one that may be new.
func (r *Random) id() int {
	if n := len(r.of.records); n > 0 && r.IntN(2) == 0 {
		return r.of.records[r.IntN(n)].id
	}
	return 1 + r.IntN(min(r.of.last, 2*r.Size)+2)
}

func (r *Random) op(verb string) Op {
	op := Op{Verb: verb}
	if slices.Contains(byID, verb) {
		op.ID = r.id()
	}
	switch verb {
	case "insert", "upsert":
		op.Records = []string{r.record(r.id(), verb == "upsert" || r.IntN(3) == 0)}
	case "replace", "load":
		for range r.IntN(r.Size) {
			op.Records = append(op.Records, r.record(1+r.IntN(20*r.Size), verb == "load" || r.IntN(2) == 0))
		}
	case "batch":
		op.How = r.end()
		if len(r.of.c.Unique) > 0 && len(r.of.records) > 1 && r.IntN(6) == 0 {
			op.Ops = r.exchange()
		}
		for range r.IntN(pick(r.Rand, 4, 12, 12, cmp.Or(r.Batch, 2*r.Size))) {
			op.Ops = append(op.Ops, r.inner())
		}
	case "updateall", "deleteall":
		r.query(&op)
		op.Terms = ""
		if len(op.Where) == 0 || r.IntN(3) > 0 { // so that few records are selected
			op.Where = append(op.Where, Condition{"id", "in", fmt.Sprintf("[%d,%d]", r.id(), r.id())})
		}
	case "count", "first", "position", "page", "view", "all", "counts", "explain":
		r.query(&op)
	}
	if verb == "update" || verb == "updateall" {
		op.Records, op.How = []string{r.partial()}, r.end()
	}
	one := verb == "insert" || verb == "upsert" || verb == "update"
	if one && r.of.c.Invalid && op.How == "" && r.IntN(20) == 0 {
		op.How = "invalid"
	}
	return op
}

// exchange returns operations after which two records have exchanged their values of a
// field of a unique set.
func (r *Random) exchange() []Op {
	name := r.of.c.field(pick(r.Rand, pick(r.Rand, r.of.c.Unique...)...)).Member
	order := r.Perm(len(r.of.records))
	a, b := r.of.records[order[0]], r.of.records[order[1]]
	give := func(to, from *record) Op {
		i := slices.IndexFunc(from.members, func(m member) bool { return m.name == name })
		if i < 0 {
			return Op{Verb: "get", ID: to.id}
		}
		return Op{Verb: "update", ID: to.id, Records: []string{object(members(0, from.members[i:i+1]))}}
	}
	return []Op{give(a, b), give(b, a)}
}

// record returns a record, which has the given id if identified is set.
func (r *Random) record(id int, identified bool) string {
	if r.of.c.Keyed && !identified {
		id, identified = 1+r.IntN(1<<20), true // a new key, in place of a new id
	}
	if r.IntN(50) == 0 && r.Size < 100 {
		id = -id
	}
	if !identified {
		id = 0
	}
	fields := slices.Clone(r.of.c.Fields)
	return r.object(id, slices.DeleteFunc(fields, func(Field) bool { return !r.of.c.Whole && r.IntN(4) == 0 }))
}

// partial returns a record with one to three members, rarely with an id.
func (r *Random) partial() string {
	id, fields := 0, slices.Clone(r.of.c.Fields)
	if r.IntN(10) == 0 {
		id = 1 + r.IntN(9)
	}
	r.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
	return r.object(id, fields[:min(1+r.IntN(3), len(fields))])
}

func (r *Random) object(id int, fields []Field) string {
	var list []member
	for _, f := range fields {
		list = append(list, member{f.Member, pick(r.Rand, f.Values...)})
	}
	return object(members(id, list))
}

// query adds conditions, terms and a window, often of the same field.
func (r *Random) query(op *Op) {
	fields := append([]Field{{Name: "id", Like: "1", Values: strings.Fields("-2 0 1 2 3 5 8 13 21 1000 9223372036854775807")}}, r.of.c.Fields...)
	for _, f := range r.of.c.Fields {
		fields = append(fields, f.Inside...)
	}
	f := pick(r.Rand, fields...)
	other := func() {
		if r.IntN(3) > 0 {
			f = pick(r.Rand, fields...)
		}
	}
	for range pick(r.Rand, 0, 1, 1, 1, 1, 2, 2, 2, 3, 4) {
		op.Where = append(op.Where, r.condition(f))
		other()
	}
	if op.Verb == "count" {
		return
	}
	var by []string
	for range pick(r.Rand, 0, 1, 1, 2, 3) {
		by = append(by, pick(r.Rand, "", "-")+f.Name)
		other()
	}
	if op.Verb == "counts" {
		by = []string{f.Name}
	}
	if r.IntN(100) == 0 && op.Verb != "counts" {
		by = append(by, "no_such_field")
	}
	op.Terms = strings.Join(by, ",")
	if op.Verb == "page" || op.Verb == "view" || op.Verb == "all" && r.IntN(2) == 0 {
		op.Limit = pick(r.Rand, 0, 1, 2, 5, 21, math.MaxInt, -1, r.IntN(r.Size+2))
	}
	if op.Verb == "page" || op.Verb == "view" {
		op.Offset = pick(r.Rand, 0, 0, 0, 1, 3, math.MaxInt, -1, r.IntN(r.Size+2))
	}
}

func (r *Random) condition(f Field) Condition {
	operators := strings.Fields("= = = < <= > >= prefix in in between between outside != null notnull")
	c := Condition{f.Name, pick(r.Rand, operators...), ""}
	v, w := pick(r.Rand, f.Values...), pick(r.Rand, f.Values...)
	for v == "null" && r.IntN(20) > 0 {
		v = pick(r.Rand, f.Values...)
	}
	if f.Like != "" && r.IntN(50) == 0 { // a value of the wrong type
		v = map[bool]string{true: `"a"`, false: "1"}[f.Like[0] != '"']
	}
	if c.Operator == "prefix" && valueOf(v).kind != isText {
		c.Operator = "="
	}
	switch c.Operator {
	case "null", "notnull":
		return c
	case "outside":
		v = "[" + v + "," + w + "]"
	case "between":
		if f.value(v).compare(f.value(w)) > 0 && r.IntN(20) > 0 {
			v, w = w, v
		}
		v = "[" + v + "," + w + "]"
	case "in":
		v = pick(r.Rand, "["+v+","+v+"]", "["+v+","+w+"]", "["+v+"]", "[]")
	case "prefix":
		runes := []rune(decoded[string](v))
		data, _ := json.Marshal(string(runes[:r.IntN(len(runes)+1)]))
		v = string(data)
	}
	c.Value = v
	return c
}

// Shrink returns a short list of operations for which fails reports true, as it does for
// ops. It removes operations, those in batches, and records, members and conditions.
func Shrink(ops []Op, fails func([]Op) bool) []Op {
	ops = ops[:sort.Search(len(ops), func(n int) bool { return fails(ops[:n]) })]
	ops = shrinkList(ops, fails)
	for i := range ops {
		try := func(change func(*Op)) bool {
			all := slices.Clone(ops)
			change(&all[i])
			better := fails(all)
			if better {
				ops = all
			}
			return better
		}
		shrinkList(ops[i].Ops, func(list []Op) bool { return try(func(op *Op) { op.Ops = list }) })
		shrinkList(ops[i].Where, func(list []Condition) bool { return try(func(op *Op) { op.Where = list }) })
		try(func(op *Op) { op.How = "" })
		try(func(op *Op) { op.Terms = "" })
		try(func(op *Op) { op.Offset, op.Limit = 0, 0 })
		if ops[i].Verb == "replace" || ops[i].Verb == "load" {
			shrinkList(ops[i].Records, func(list []string) bool { return try(func(op *Op) { op.Records = list }) })
		}
		for j, text := range ops[i].Records {
			r := (&Config{}).record(text)
			shrinkList(members(r.id, r.members), func(list []string) bool {
				return try(func(op *Op) {
					op.Records = slices.Clone(op.Records)
					op.Records[j] = object(list)
				})
			})
		}
	}
	return ops
}

// shrinkList removes parts of a list while fails reports true for the rest.
func shrinkList[T any](list []T, fails func([]T) bool) []T {
	for size := cmp.Or(len(list)/2, 1); size > 0 && len(list) > 0; size /= 2 {
		for at := 0; at < len(list); {
			shorter := slices.Concat(list[:at], list[min(at+size, len(list)):])
			if fails(shorter) {
				list = shorter
			} else {
				at += size
			}
		}
	}
	return list
}
