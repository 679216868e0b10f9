package sample

import "encoding/json"

// accounts returns the members of a record in a collection about money, or nil for other
// keys.
func accounts(d *draw) []member {
	switch d.key {
	case "commissions":
		return []member{{"collaborator", d.to("collaborators")}, {"project", d.to("projects")}, {"percentage", json.Number(pick(d.rng, []string{"2.5", "5", "7.50", "10"}))}}
	case "compensations":
		return []member{{"author", d.to("authors")}, {"book", d.to("books")}, {"amount", d.amount(3000)}, {"paidOn", d.paidOn()}}
	case "collaborator-invoices":
		return []member{{"number", d.number("F")}, {"collaborator", d.to("collaborators")}, {"amount", d.amount(2500)}, {"issuedOn", d.soon()}, {"paidOn", d.paidOn()}}
	case "credit-notes":
		return []member{{"number", d.number("NC")}, {"customer", d.someone()}, {"reason", d.line()}, {"issuedOn", d.soon()}}
	case "credit-note-lines":
		return []member{{"creditNote", d.to("credit-notes")}, {"book", d.to("books")}, {"quantity", d.between(1, 9)}, {"amount", d.amount(150)}}
	case "direct-debits":
		return []member{{"mandate", d.number("SDD")}, {"debtor", d.someone()}, {"signedOn", d.soon()}, {"active", !d.oneIn(4)}}
	case "direct-debit-payments":
		return []member{{"directDebit", d.to("direct-debits")}, {"amount", d.amount(90)}, {"dueOn", d.soon()}, {"state", pick(d.rng, []string{"due", "collected", "returned"})}}
	case "expenses":
		return []member{{"project", d.maybe("projects")}, {"category", pick(d.rng, []string{"paper", "printing", "travel", "rights"})}, {"amount", d.amount(5000)}, {"spentOn", d.soon()}}
	case "wires":
		members := []member{{"sender", d.someone()}, {"amount", d.amount(1200)}, {"receivedAt", d.stamp(d.moment())}, {"cart", d.maybe("carts")}}
		if d.every(4, 1) { // a member that most wires lack
			members = append(members, member{"note", d.line()})
		}
		return members
	}
	return nil
}

// paidOn returns a day, or null for unpaid.
func (d *draw) paidOn() any {
	if d.every(3, 1) {
		return nil
	}
	return d.soon()
}
