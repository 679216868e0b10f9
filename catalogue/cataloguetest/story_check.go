package cataloguetest

import "fmt"

// fetchCode returns the statements of a test that call a Fetch and check its result.
func fetchCode(e *ended) []string {
	wrong := ""
	switch e.problem.kind {
	case missing:
		wrong = fmt.Sprintf("!slices.Contains(ids, %d)", e.problem.id)
	case unknown:
		wrong = fmt.Sprintf("slices.Contains(ids, %d)", e.problem.id)
	case repeated:
		wrong = "len(slices.Compact(slices.Sorted(slices.Values(ids)))) < len(ids)"
	default:
		return e.callCode("fetch(ctx, house.Client, house.URL)")
	}
	return []string{
		"ids, err := fetch(ctx, house.Client, house.URL)",
		"if err == nil && " + wrong + " {",
		"\tt.Errorf(\"fetch = %v and no error\", ids)",
		"}",
	}
}

// createCode is like fetchCode for a Create.
func createCode(e *ended) []string {
	const call = "create(ctx, house.Client, house.URL)"
	collection := fmt.Sprintf("collection, _ := house.Catalogue.Encoded(%q)", e.data.key)
	switch e.problem.kind {
	case duplicated:
		return []string{
			collection,
			"before := collection.Count()",
			"id, err := " + call,
			"if n := collection.Count() - before; err == nil && n != 1 {",
			"\tt.Errorf(\"create = %d and no error, but created %d records\", id, n)",
			"}",
		}
	case uncreated:
		return []string{
			collection,
			"id, err := " + call,
			"if _, notFound := collection.Get(t.Context(), id, nil); err == nil && notFound != nil {",
			"\tt.Errorf(\"create = %d and no error, but %v\", id, notFound)",
			"}",
		}
	}
	return e.callCode(call)
}

// callCode returns the statements for a problem that does not depend on what the client
// returns, or that the house or the bubble detects.
func (e *ended) callCode(call string) []string {
	switch e.problem.kind {
	case unprovoked:
		return []string{"if _, err := " + call + "; err != nil {", "\tt.Error(err)", "}"}
	case otherOrigin:
		return []string{
			"_, err := " + call,
			"if err != nil && strings.Contains(err.Error(), " + fmt.Sprintf("%q", otherAddress) + ") {",
			"\tt.Error(err)",
			"}",
		}
	case endless:
		return []string{
			fmt.Sprintf("house.Break(cataloguetest.Where{After: %d}, cataloguetest.Do(cancel))", e.requestLimit()),
			call + " // hangs if the client ignores ctx",
			fmt.Sprintf("if n := len(house.Exchanges()); n > %d {", e.requestLimit()),
			"\tt.Errorf(\"%d requests\", n)",
			"}",
		}
	case late:
		return []string{
			"start := time.Now()",
			call,
			fmt.Sprintf("if deadline, _ := ctx.Deadline(); time.Since(deadline) > %s {", durationCode(e.grace)),
			"\tt.Errorf(\"returned after %v\", time.Since(start))",
			"}",
		}
	}
	return []string{call + " // the mistake is not visible in its result"}
}
