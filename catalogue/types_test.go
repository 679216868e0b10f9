package catalogue_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/resources"
)

// A book is a type for the books of the publishing house.
type book struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
}

// TestLookups tests the methods that return a collection and their errors.
func TestLookups(t *testing.T) {
	cat := mustHave(resources.New(catalogue.Define[book]("books", catalogue.Options{})))
	in := func(d catalogue.Definition[schema.Record]) error { return second(d.In(cat)) }
	books := func(key string) error { return second(catalogue.Define[book](key, catalogue.Options{}).In(cat)) }
	encoded := func(key string) error { return second(cat.Collection(key)) }
	for _, row := range []struct {
		reason string
		err    error
		want   error
	}{
		{"a defined type", books("books"), nil},
		{"open records", in(resources.Records("authors")), nil},
		{"as a server uses it", encoded("labels"), nil},
		{"another type", books("authors"), catalogue.ErrInvalidType},
		{"not open", in(resources.Records("social-links")), catalogue.ErrInvalidType},
		{"an unknown key", books("boooks"), catalogue.ErrUnknownCollection},
		{"a path segment is no key", encoded("item_variants"), catalogue.ErrUnknownCollection},
		{"a key in another case", in(resources.Records("Authors")), catalogue.ErrUnknownCollection},
	} {
		if !errors.Is(row.err, row.want) {
			t.Errorf("%s: %v, want %v", row.reason, row.err, row.want)
		}
	}
	same := mustIn(resources.Records("authors"), cat)
	if again, _ := catalogue.Define[schema.Record]("authors", catalogue.Options{}).In(cat); again != same {
		t.Error("Records and In returned different collections for the same key")
	}
	types := map[string]reflect.Type{ // of the collections that have no open records
		"books": reflect.TypeFor[book](), "events": reflect.TypeFor[resources.Event](),
		"labels": reflect.TypeFor[resources.Label](), "social-links": reflect.TypeFor[resources.SocialLink](),
	}
	var got []string
	for key, c := range cat.Clone().All() {
		got = append(got, key)
		want, ok := types[key]
		if !ok {
			want = reflect.TypeFor[schema.Record]()
		}
		record, listed := c.ShownTypes()
		if about := c.Description(); about.Key != key || record != want || listed != want {
			t.Errorf("%s: the key is %q and the types %v and %v, want %v", key, about.Key, record, listed, want)
		}
	}
	equal(t, "keys of All", keys, got)
}

// TestDeclaredIndexes checks that a collection lists the orders of Options.Indexes.
func TestDeclaredIndexes(t *testing.T) {
	asc, desc := ordering.Asc, ordering.Desc
	cat := mustHave(catalogue.New(catalogue.Define[schema.Record]("bare", catalogue.Options{}), catalogue.Define[schema.Record]("parts", catalogue.Options{
		Indexes: [][]ordering.Term{{asc("depot"), asc("weight")}, {desc("weight")}},
	})))
	for key, want := range map[string][][]ordering.Term{"bare": nil, "parts": {{asc("depot"), asc("weight")}, {asc("weight")}}} {
		c := mustHave(cat.Collection(key))
		equal(t, "indexes of "+key, want, c.Indexes())
	}
}

// Types of records that are not accepted, for some V.
type (
	entity struct {
		driver interface{ Close() error }
		ID     int `json:"id"`
	}
	chat struct {
		ID   int `json:"id"`
		Conn net.Conn
	}
	resource struct {
		Kind string `json:"kind"`
		Meta struct {
			UID string `json:"uid"`
		} `json:"metadata"`
	}
	identified[V any] struct {
		ID V `json:"id"`
	}
	// A private record has a field that no package but its own can copy.
	private[V any] struct {
		ID     int `json:"id"`
		secret V
	}
	// An outside record has a field outside of its JSON.
	outside[V any] struct {
		ID int `json:"id"`
		Of V   `json:"-"`
	}
	ring struct {
		ID   int   `json:"id"`
		Next *ring `json:"-"`
	}
	// A hider has a method that could write what is unexported.
	hider struct {
		ID     int `json:"id"`
		secret map[string]int
	}
	// A misruled value has a method Validate that nothing calls.
	misruled struct{ Text string }
	key      struct{ n int }
	left     struct{ Side string }
	right    struct{ Side string }
	Base     struct {
		ID int `json:"id"`
	}
)

func (misruled) Validate() error { return nil }

func (h *hider) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &h.secret) }

func (k *key) MarshalText() ([]byte, error) { return fmt.Append(nil, k.n), nil }

// TestTypesRefused checks that the errors for unacceptable types name the cause and, if there
// is one, the remedy.
func TestTypesRefused(t *testing.T) {
	type (
		noID    struct{ Name string }
		derived struct{ *Base }
		clash   struct {
			ID    int `json:"id"`
			Line1 int `json:"line1"`
			Other int `json:"line_1"`
		}
		both struct {
			ID int `json:"id"`
			left
			right
		}
	)
	none := catalogue.Options{}
	for _, row := range []struct {
		reason string
		err    error
		names  []string
	}{
		{"not a struct", refusal[int](none), []string{"int is not a struct"}},
		{"a map", refusal[map[string]any](none), []string{"is not a struct"}},
		{"a pointer to a struct", refusal[*book](none), []string{"*catalogue_test.book is not a struct"}},
		{"no id", refusal[noID](none), []string{"noID", "`json:\"id\"`", "Options{ID: NAME} (want one of Name)"}},
		{"no id of that name", refusal[film](catalogue.Options{ID: "number"}),
			[]string{"film", "`json:\"number\"`", "Options{ID: NAME} (want one of id, name)"}},
		{"the id is a list", refusal[identified[[]string]](none), []string{"ID is []string"}},
		{"the id is a time", refusal[identified[time.Time]](none), []string{"ID is time.Time"}},
		{"the id is an object", refusal[identified[customFields]](none), []string{"ID is catalogue_test.customFields"}},
		{"a text as id, and another mistake", refusal[struct {
			ID    string
			Rules misruled
		}](none), []string{"ID is string", "misruled: the method Validate must be Validate(context.Context) error"}},
		{"two fields with the same name in snake_case", refusal[clash](none), []string{"line_1"}},
		{"two members with the same name", refusal[both](none), []string{`has two members "Side"`}},
		{"no id at the top, as in Kubernetes", refusal[resource](none),
			[]string{"catalogue_test.resource has no id: set Options{ID: NAME} (want one of kind, metadata), or give an integer field the tag `json:\"id\"` or a text field the tag `backlist:\"key\"`"}},
		{"an interface with methods", refusal[chat](none),
			[]string{"catalogue_test.chat: field Conn: net.Conn: an interface with methods cannot be copied: " +
				"give catalogue_test.chat the method Clone() catalogue_test.chat, or the type of the field such a method"}},
		{"a func", refusal[holder[func()]](none),
			[]string{"field Value", "func() has no JSON", "MarshalJSON", "`json:\"-\"`"}},
		{"a channel", refusal[holder[chan int]](none), []string{"field Value"}},
		{"a complex number", refusal[holder[complex128]](none), []string{"field Value"}},
		{"map keys without JSON", refusal[holder[map[[2]int]string]](none), []string{"field Value"}},
		{"map keys that are pointers", refusal[holder[map[*key]int]](none), []string{"field Value"}},
		{"unexported references that methods may write", refusal[holder[*customFields]](none),
			[]string{"field Value", "method Clone() catalogue_test.holder"}},
		{"unexported references that a method of the record may write", refusal[hider](none), []string{"secret", "method Clone"}},
		{"a func outside the JSON", refusal[outside[func()]](none),
			[]string{"field Of", "cannot be copied", "method Clone"}},
		{"channels in a struct outside the JSON", refusal[outside[struct{ Done []chan int }]](none),
			[]string{"field Done", "cannot be copied", "method Clone"}},
		{"an interface outside the JSON", refusal[outside[any]](none), []string{"field Of"}},
		{"a type that refers to itself outside the JSON", refusal[ring](none), []string{"field Next"}},
		{"no UnmarshalJSON", refusal[writesOnly](none),
			[]string{"writesOnly has the method MarshalJSON but no UnmarshalJSON", "both or neither"}},
		{"MarshalText", refusal[writesText](none),
			[]string{"writesText has the method MarshalText", "an object", "remove MarshalText"}},
		{"UnmarshalText", refusal[readsText](none),
			[]string{"readsText has the method UnmarshalText", "an object", "remove UnmarshalText"}},
		{"both", refusal[bothText](none),
			[]string{"bothText has the method MarshalText", "MarshalJSON and UnmarshalJSON"}},
		{"no UnmarshalJSON, in a catalogue", defined[writesOnly](),
			[]string{"writesOnly has the method MarshalJSON but no UnmarshalJSON"}},
		{"MarshalText, in a catalogue", defined[bothText](), []string{"bothText has the method MarshalText"}},
		{"a map whose members encoding/json/v2 inlines", refusal[struct {
			ID   int
			More map[string]any `json:",inline"`
		}](none), []string{"field More: ", "the option inline of its json tag", "remove the option"}},
		{"the option as Go 1.27 calls it", refusal[struct {
			ID   int
			More map[string]any `json:",embed"`
		}](none), []string{"field More: ", "the option embed "}},
		{"an embedded struct with a name", refusal[struct {
			Base  `json:"base,inline"`
			Other int `json:"id"`
		}](none), []string{"field Base: ", "the option inline "}},
		{"an embedded text", refusal[struct {
			ID     int
			Letter `json:",inline"`
		}](none), []string{"field Letter: ", "the option inline "}},
		{"unknown members, in a pointer", refusal[holder[*struct {
			Rest json.RawMessage `json:",unknown"`
		}]](none), []string{"field Value: field Rest: ", "the option unknown "}},
		{"a format, in a list", refusal[holder[[]struct {
			At time.Time `json:"at,omitzero,format:'2006,15:04'"`
		}]](none), []string{"field Value: field At: ", "the option format "}},
		{"a case, in an array in a map", defined[holder[map[int][1]struct {
			Name string `json:"name,case:ignore"`
		}]](), []string{"field Value: field Name: ", "the option case "}},
		{"such an option of a type with a method Clone", refusal[clonedFormat](none), []string{"field At: ", "the option format "}},
		{"an unknown word in a tag", refusal[unknownWord](catalogue.Options{Name: "books"}),
			[]string{"books: ", "field Title", `"nonsense"`, "want one of slug"}},
		{"a misspelled word in a tag", refusal[misspelled](none),
			[]string{"collection: ", "field Price", `"unqiue"`, "did you mean unique?"}},
	} {
		if !errors.Is(row.err, catalogue.ErrInvalidType) {
			t.Errorf("%s: %v, want ErrInvalidType", row.reason, row.err)
			continue
		}
		for _, name := range row.names {
			if !strings.Contains(row.err.Error(), name) {
				t.Errorf("%s: %v: want %s", row.reason, row.err, name)
			}
		}
	}
	type hides struct {
		ID int `json:"id"`
		left
		right
		Side string
	}
	for reason, err := range map[string]error{
		"a field hides two members":            refusal[hides](none),
		"an unexported array":                  refusal[private[[32]byte]](none),
		"an unexported interface, as in ent":   refusal[entity](none),
		"an unexported slice":                  refusal[private[[]int]](none),
		"a pointer to unexported references":   refusal[holder[*strings.Builder]](none),
		"an id in an embedded pointer":         refusal[derived](none),
		"a func with a method Clone":           refusal[hookCloner](none),
		"a complex number outside the JSON":    refusal[outside[complex128]](none),
		"a map without JSON, outside the JSON": refusal[outside[map[[2]int]string]](none),
		"an embedded struct is inline anyway, as in Kubernetes": refusal[struct {
			Base       `json:",inline"`
			*BasicUser `json:",omitempty,inline"`
		}](none),
		"a format outside the JSON": refusal[struct {
			ID int
			At time.Time `json:"-" xml:"at,format:unix"` //lint:ignore SA5008 of another package
		}](none),
		"a format in a type with methods of its own": refusal[holder[methodFormat]](none),
		"a name like an option": refusal[struct {
			ID int `json:"id"`
			V  int `json:"unknown"`
		}](none),
	} {
		if err != nil {
			t.Errorf("%s: %v", reason, err)
		}
	}
	_, _ = private[int]{secret: 0}, entity{driver: nil}
}

// refusal returns the error of NewCollection. It does not compile a collection for each T.
func refusal[T any](opts catalogue.Options) error {
	_, _, err := catalogue.NewBare[T](opts)
	return err
}

// defined returns the error of a catalogue with records of type T.
func defined[T any]() error {
	return second(catalogue.New(catalogue.DefineBare[T]("books", catalogue.Options{})))
}

// Types with an option of a json tag that only encoding/json/v2 knows.
type (
	Letter       string
	clonedFormat struct {
		ID int
		At time.Time `json:"at,format:unix"`
	}
	methodFormat struct {
		At time.Time `json:"at,format:unix"`
	}
)

func (c clonedFormat) Clone() clonedFormat { return c }

func (m methodFormat) MarshalJSON() ([]byte, error)  { return json.Marshal(m.At.Unix()) }
func (m *methodFormat) UnmarshalJSON(b []byte) error { return nil }
