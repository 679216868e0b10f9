package sample

import "strconv"

// work returns the members of a record in a collection about the work of the house, or
// nil for other keys.
func work(d *draw) []member {
	switch d.key {
	case "collaborators":
		return []member{{"name", d.someone()}, {"email", d.email()}, {"role", pick(d.rng, []string{"editor", "translator", "illustrator", "proofreader"})}, {"active", !d.oneIn(5)}}
	case "projects":
		return []member{{"name", pick(d.rng, d.languages).title(d.rng)}, {"label", d.to("labels")}, {"authors", d.refs("authors", 2)}, {"dueOn", d.soon()}}
	case "proposals":
		return []member{
			{"title", pick(d.rng, d.languages).title(d.rng)},
			{"sender", d.someone()},
			{"email", d.email()},
			{"submittedAt", d.stamp(d.moment())},
			{"accepted", []any{nil, true, false}[d.n%3]}, // null if undecided
		}
	case "crowdfundings":
		return d.crowdfunding()
	case "contributions":
		return []member{{"crowdfunding", d.to("crowdfundings")}, {"name", d.someone()}, {"amount", d.amount(200)}, {"message", d.line()}, {"anonymous", d.oneIn(3)}, {"createdAt", d.stamp(d.moment())}}
	case "services":
		return []member{{"name", pick(d.rng, []string{"proofreading", "layout", "cover design", "translation"})}, {"price", d.amount(800)}, {"hourly", d.oneIn(2)}}
	case "news":
		l := pick(d.rng, d.languages)
		title := pick(d.rng, l.lines)
		return []member{
			{"title", title},
			{"slug", slug(title, "news-"+strconv.Itoa(d.id))},
			{"body", l.paragraphs(d.rng, d.between(2, 4))},
			{"label", d.maybe("labels")},
			{"publishedAt", d.stamp(d.moment())},
		}
	case "faqs":
		l := pick(d.rng, d.languages)
		return []member{{"question", "Is " + l.quote(l.title(d.rng)) + " still in print?"}, {"answer", l.paragraphs(d.rng, 1)}, {"position", d.n}}
	}
	return nil
}

func (d *draw) crowdfunding() []member {
	begin := d.near()
	goal := d.between(10, 200) * 100
	return []member{
		{"project", d.to("projects")},
		{"name", pick(d.rng, d.languages).title(d.rng)},
		{"goal", goal},
		{"raised", money(d.between(0, goal*150))}, // at most one and a half times the goal
		{"startDate", date(day(begin))},
		{"endDate", date(day(begin + d.between(1, 9)))},
		{"open", begin >= 0},
	}
}
