package negotiation

import "testing"

func TestParseMediaTypeAllocations(t *testing.T) {
	allocs := testing.AllocsPerRun(100, func() {
		if !ParseMediaType("Application/JSON; charset=utf-8; x=\"y\"").IsJSON() {
			t.Fatal("not JSON")
		}
	})
	if allocs != 0 {
		t.Errorf("ParseMediaType allocates %v times, want 0", allocs)
	}
}

func TestToUTF8(t *testing.T) {
	const latin, utf8 = "\"\xe9\xff\x00 ~\x80\"", "\"é\u00ff\x00 ~\u0080\""
	tests := []struct{ contentType, want string }{
		{"application/json", latin},
		{"application/json; charset=utf-8", latin},
		{"application/json; charset=koi8-r", latin},
		{"application/json; charset=", latin},
		{"application/json; charset=latin-1", utf8},
		{"application/json; charset=Latin1", utf8},
		{"application/json; charset=l1", utf8},
		{"application/json; charset=ISO_8859-1", utf8},
		{`application/json; charset="iso8859-1"`, utf8},
		{"application/json; charset=utf-8; charset=latin-1", utf8},
	}
	for _, test := range tests {
		if got := ParseMediaType(test.contentType).ToUTF8([]byte(latin)); string(got) != test.want {
			t.Errorf("%s: ToUTF8(%q) = %q, want %q", test.contentType, latin, got, test.want)
		}
	}
}
