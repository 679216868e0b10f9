package sample

import "encoding/json"

// sales returns the members of a record in a collection about sales or stock, or nil for
// other keys.
func sales(d *draw) []member {
	switch d.key {
	case "direct-sales":
		return []member{{"book", d.to("books")}, {"quantity", d.between(1, 12)}, {"amount", d.amount(200)}, {"soldOn", d.soon()}, {"event", d.maybe("events")}}
	case "bookshop-sales":
		return []member{
			{"bookshop", pick(d.rng, d.places).venue},
			{"book", d.to("books")},
			{"quantity", d.between(-3, 60)}, // returns are negative
			{"discount", json.Number(pick(d.rng, []string{"30", "32.5", "35.0", "40"}))},
			{"amount", d.amount(900)},
			{"month", d.soon()[:len("2026-05")]},
		}
	case "inventories":
		return []member{{"warehouse", pick(d.rng, d.places).venue}, {"book", d.to("books")}, {"copies", d.between(0, 3000)}, {"takenOn", d.soon()}}
	case "restockings":
		ordered := d.near()
		var arrived any
		if !d.every(4, 3) {
			arrived = date(day(ordered + d.between(2, 10)))
		}
		return []member{
			{"supplier", d.to("suppliers")},
			{"book", d.to("books")},
			{"quantity", d.between(1, 20) * 50},
			{"orderedOn", date(day(ordered))},
			{"arrivedOn", arrived},
		}
	case "suppliers":
		return []member{{"name", d.someone() + " & Co."}, {"email", d.email()}, {"leadDays", d.between(3, 45)}}
	case "publishers":
		l := pick(d.rng, d.languages)
		return []member{{"name", pick(d.rng, l.family) + " " + pick(d.rng, imprints())}, {"language", l.code}, {"website", "https://publisher" + d.hex(3) + ".example/"}}
	case "tieins":
		return []member{
			{"name", pick(d.rng, d.languages).title(d.rng)},
			{"book", d.to("books")},
			{"medium", pick(d.rng, []string{"film", "series", "play", "game"})},
			{"releasedOn", d.soon()},
		}
	}
	return nil
}
