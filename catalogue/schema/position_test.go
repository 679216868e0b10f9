package schema_test

import (
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue/schema"
)

// TestPosition has positions of drf-pages, and what str of Python writes for other values.
func TestPosition(t *testing.T) {
	for _, row := range []struct {
		kind  schema.Kind
		value string
		want  string
	}{
		{schema.Timestamp, `"2024-07-26T11:30:00Z"`, "2024-07-26 11:30:00+00:00"},
		{schema.Timestamp, `"2024-07-26T13:30:00.25+02:00"`, "2024-07-26 11:30:00.250000+00:00"},
		{schema.Timestamp, `"soon"`, "soon"},
		{schema.Timestamp, "null", "None"},
		{schema.Text, "", "None"},
		{schema.Text, `"& \"q\""`, `& "q"`},
		{schema.Decimal, `"9.90"`, "9.90"},
		{schema.Integer, "-1", "-1"},
		{schema.Float, "1E2", "100.0"},
		{schema.Boolean, "true", "True"},
		{schema.Boolean, "false", "False"},
		{schema.Date, `"2000-01-02"`, "2000-01-02"},
	} {
		f := schema.Field{Kind: row.kind}
		if got := f.Position(row.value); got != row.want {
			t.Errorf("Position of the %v %s = %q, want %q", row.kind, row.value, got, row.want)
		}
	}
}

// TestParsePosition has positions of drf-pages. Those with which the framework crashes are invalid.
func TestParsePosition(t *testing.T) {
	const invalid = "invalid"
	for _, row := range []struct {
		kind schema.Kind
		text string
		want string
	}{
		{schema.Timestamp, "2024-07-26 11:30:00+00:00", "2024-07-26T11:30:00Z"},
		{schema.Timestamp, "2024-07-26 13:30:00.5+02:00", "2024-07-26T11:30:00.500000Z"},
		{schema.Timestamp, "2024-07-26T11:30", "2024-07-26T11:30:00Z"},
		{schema.Timestamp, "2024-07-26", "2024-07-26T00:00:00Z"},
		{schema.Timestamp, "20240726", invalid},
		{schema.Timestamp, "2024-02-30", invalid},
		{schema.Timestamp, "2024-07-26 11:30:00 00:00", invalid},
		{schema.Timestamp, " 2024-07-26", invalid},
		{schema.Timestamp, "", invalid},
		{schema.Timestamp, "None", invalid},
		{schema.Date, "2000-1-1", "2000-01-01"},
		{schema.Date, "20000101", invalid},
		{schema.Date, "1/2/2000", invalid},
		{schema.Integer, " 1 ", "1"},
		{schema.Integer, "1.0", invalid},
		{schema.Integer, "9999999999", "9999999999"},
		{schema.Reference, "7", "7"},
		{schema.Decimal, "1e1", "1e1"},
		{schema.Decimal, "NaN", "1e1000000"},
		{schema.Decimal, "2025-04-11", invalid},
		{schema.Float, "-0.5", "-0.5"},
		{schema.Boolean, "True", "true"},
		{schema.Boolean, "0", "false"},
		{schema.Boolean, "true", invalid},
		{schema.Text, "None", "None"},
		{schema.Text, "", ""},
		{schema.Text, "\x00", invalid},
		{schema.Array, "[]", invalid},
		{schema.JSON, "1", invalid},
	} {
		f := schema.Field{Kind: row.kind}
		got, ok := f.ParsePosition(row.text, schema.Framework{})
		if !ok {
			got = invalid
		}
		if got != row.want {
			t.Errorf("ParsePosition of the %v %q = %q, want %q", row.kind, row.text, got, row.want)
		}
	}
}

// The texts are those of drf-pages that version 3.18 reads.
func TestParsePosition318(t *testing.T) {
	for _, row := range []struct {
		kind       schema.Kind
		text, want string
	}{
		{schema.Timestamp, "20240726", "2024-07-26T00:00:00Z"},
		{schema.Timestamp, "2024-07-26T11", "2024-07-26T11:00:00Z"},
		{schema.Date, "20000101", "2000-01-01"},
	} {
		f := schema.Field{Kind: row.kind}
		for as, known := range map[schema.Framework]bool{{}: false, schema.DRF318(nil): true, schema.DRF318(time.UTC): true} {
			if got, ok := f.ParsePosition(row.text, as); ok != known || ok && got != row.want {
				t.Errorf("ParsePosition of %q = %q, %v, want %q, %v", row.text, got, ok, row.want, known)
			}
		}
	}
}
