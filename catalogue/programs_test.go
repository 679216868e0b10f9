package catalogue_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// A program is a record type as programs have it, without tags of this library, and the reason why
// a collection needs to know more of it, if it does.
type program struct {
	source string
	refuse string // part of the error; empty if the type is taken as it is
	reason string
	check  func() error
}

// asIs returns a program whose type is taken as it is. Records are inserted in the order of their ids.
func asIs[T any](source string, records ...T) program {
	return program{source: source, check: func() error { return keeps(records) }}
}

// needsMore returns a program whose type is refused with an error that contains a text.
func needsMore[T any](source, text, reason string, records ...T) program {
	return program{source, text, reason, func() error { return keeps(records) }}
}

// keeps returns an error unless a collection, whose options are zero, keeps records of a type as they
// are: inserted and read, served and sent back, saved and loaded.
func keeps[T any](records []T) error {
	c, insert, err := catalogue.NewBare[T](catalogue.Options{Name: "things"})
	if err != nil {
		return err
	}
	for _, r := range records {
		if _, err := insert(r); err != nil {
			return err
		}
	}
	if got := catalogue.AllBare[T](c); !reflect.DeepEqual(records, got) {
		return fmt.Errorf("inserted: %s, want %s", wireOf(got), wireOf(records))
	}
	var file strings.Builder
	if err := c.Save(&file); err != nil {
		return err
	}
	var want []T // what encoding/json keeps of them: of any, not the type
	if err := json.Unmarshal([]byte(file.String()), &want); err != nil {
		return err
	}
	if text := wireOf(records); wireOf(want) != text {
		return fmt.Errorf("saved: %s, want %s", file.String(), text)
	}
	if err := c.Load(strings.NewReader(file.String()), catalogue.LoadOptions{}); err != nil {
		return err
	}
	if got := catalogue.AllBare[T](c); wireOf(want) != wireOf(got) {
		return fmt.Errorf("loaded: %s, want %s", wireOf(got), wireOf(want))
	}
	if err := c.Check(); err != nil {
		return err
	}
	return keepsServed(records, file.String())
}

// keepsServed returns an error unless the records of a file are what a client gets that sends them back.
func keepsServed[T any](records []T, file string) error {
	cat, err := catalogue.New(catalogue.DefineBare[T]("things", catalogue.Options{}))
	if err != nil {
		return err
	}
	c, err := cat.Collection("things")
	if err != nil {
		return err
	}
	if err := c.Load(strings.NewReader(file), catalogue.LoadOptions{}); err != nil {
		return err
	}
	var before, after strings.Builder
	if err := cat.Save(&before); err != nil {
		return err
	}
	name := c.Description().Identity().Name
	for _, r := range records {
		var members map[string]json.RawMessage
		if err := json.Unmarshal([]byte(wireOf(r)), &members); err != nil {
			return err
		}
		id := strings.Trim(string(members[name]), `"`)
		body, err := c.Get(context.Background(), id, schema.Filter{})
		if err != nil {
			return fmt.Errorf("%s %s: %w", name, id, err)
		}
		for _, partial := range []bool{false, true} {
			answer, err := c.Update(context.Background(), id, catalogue.Edit{Body: body, Partial: partial})
			if err != nil || string(answer) != string(body) {
				return fmt.Errorf("%s sent back: %s, %w", body, answer, err)
			}
		}
	}
	if err := cat.Save(&after); err != nil || after.String() != before.String() {
		return fmt.Errorf("saved: %s, %w, want %s", after.String(), err, before.String())
	}
	return cat.Check()
}

// Types that the records of programs have members of, or embed.
type (
	// APIResource is that of stripe-go.
	APIResource struct {
		LastResponse *APIResponse `json:"-"`
	}
	APIResponse struct {
		Header   http.Header
		RawJSON  []byte
		duration *time.Duration
	}
	// TypeMeta and ObjectMeta are those of Kubernetes.
	TypeMeta struct {
		Kind       string `json:"kind,omitempty"`
		APIVersion string `json:"apiVersion,omitempty"`
	}
	ObjectMeta struct {
		Name              string            `json:"name,omitempty"`
		Namespace         string            `json:"namespace,omitempty"`
		UID               letter            `json:"uid,omitempty"`
		Generation        int64             `json:"generation,omitempty"`
		CreationTimestamp gitStamp          `json:"creationTimestamp,omitempty,omitzero"`
		DeletionTimestamp *gitStamp         `json:"deletionTimestamp,omitempty"`
		Labels            map[string]string `json:"labels,omitempty"`
		Annotations       map[string]string `json:"annotations,omitempty"`
		OwnerReferences   []struct {
			Name       string `json:"name"`
			Controller *bool  `json:"controller,omitempty"`
		} `json:"ownerReferences,omitempty"`
		Finalizers []string `json:"finalizers,omitempty"`
	}
	// A config is what the entities of ent embed.
	config struct {
		driver io.Closer
		debug  bool
		log    func(...any)
		hooks  *struct{ Pet []func() }
	}
	// A messageState is what generated messages of protobuf begin with.
	messageState struct {
		_    [0]sync.Mutex
		info *struct{ fields map[string]any }
	}
	// A Timestamp is a message of protobuf.
	Timestamp struct {
		state         messageState
		sizeCache     int32
		unknownFields []byte
		Seconds       int64 `json:"seconds,omitempty"`
		Nanos         int32 `json:"nanos,omitempty"`
	}
	isEventKind interface{ isEventKind() }
	// A noSerde is what the types of the AWS SDK embed.
	noSerde struct{}
	// BaseModel is embedded by pointer.
	BaseModel struct {
		ID        int64     `json:"id"`
		CreatedAt time.Time `json:"created_at"`
	}
	Named struct {
		Key  string `json:"key"`
		Nick string `json:"nick"`
	}
	Audit struct{ Name, CreatedBy string }
	Owner struct{ Name, Team string }
	// A customFields of Slack is unexported and has methods for JSON.
	customFields struct{ fields map[string]string }
	// A checked record has a method Validate with another signature, as ozzo-validation and protoc-gen-validate have it.
	checkedRecord struct {
		ID int `json:"id"`
	}
	// A rrule is a list or a text in JSON, as jwt.ClaimStrings is.
	claimStrings []string
	// An entUser and an entPet have each other.
	entUser struct {
		config `json:"-"`
		ID     int    `json:"id,omitempty"`
		Age    int    `json:"age,omitempty"`
		Name   string `json:"name,omitempty"`
		Edges  struct {
			Pets        []*entPet `json:"pets,omitempty"`
			loadedTypes [1]bool
		} `json:"edges"`
		selectValues map[string]any
	}
	entPet struct {
		config `json:"-"`
		ID     int    `json:"id,omitempty"`
		Name   string `json:"name,omitempty"`
		Edges  struct {
			Owner *entUser `json:"owner,omitempty"`
		} `json:"edges"`
		userPets     *int
		selectValues map[string]any
	}
	folder struct {
		ID       int    `json:"id"`
		Name     string `json:"name"`
		parent   *folder
		Children []*folder `json:"children,omitempty"`
	}
	// A pgxUUID is null or a UUID, as pgtype.UUID is, which has no method for text.
	pgxUUID struct {
		Bytes uuid
		Valid bool
	}
)

func (checkedRecord) Validate() error { return nil }

func (c customFields) MarshalJSON() ([]byte, error)  { return json.Marshal(c.fields) }
func (c *customFields) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &c.fields) }

func (c claimStrings) MarshalJSON() ([]byte, error) {
	if len(c) == 1 {
		return json.Marshal(c[0])
	}
	return json.Marshal([]string(c))
}

func (c *claimStrings) UnmarshalJSON(b []byte) error {
	if b[0] == '"' {
		*c = claimStrings{""}
		return json.Unmarshal(b, &(*c)[0])
	}
	return json.Unmarshal(b, (*[]string)(c))
}

func (p pgxUUID) MarshalJSON() ([]byte, error) {
	if !p.Valid {
		return []byte("null"), nil
	}
	return json.Marshal(p.Bytes)
}

func (p *pgxUUID) UnmarshalJSON(b []byte) error {
	if p.Valid = string(b) != "null"; !p.Valid {
		return nil
	}
	return json.Unmarshal(b, &p.Bytes)
}

// noon is a time.
var noon = time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)

// programs returns the types. Their names are those of the programs where the id depends on it.
func programs() []program {
	return slices.Concat(programsOfServices(), programsOfStores(), programsOfOwn(), programsRefused())
}

// programsOfServices returns types of clients of services.
func programsOfServices() []program {
	type Instance struct {
		ImageId      *string
		InstanceId   *string
		InstanceType letter
		LaunchTime   *time.Time
		Tags         []struct{ Key, Value *string }
		noSerde
	}
	type Device struct {
		DeviceID uint32            `json:"device_id"`
		SiteID   uint32            `json:"site_id"`
		Online   bool              `json:"online"`
		Readings map[string]Owner  `json:"readings"`
		Names    map[int]string    `json:"names"`
		Limits   map[letter]*int64 `json:"limits"`
	}
	type profile struct {
		RealName string `json:"real_name"`
		Image24  string `json:"image_24"`
		Image240 string `json:"image_240"`
	}
	type slackUser struct {
		ID      string  `json:"id"`
		TeamID  string  `json:"team_id"`
		Name    string  `json:"name"`
		Deleted bool    `json:"deleted"`
		Profile profile `json:"profile"`
		Updated int64   `json:"updated"`
	}
	return []program{
		asIs("go-github: an issue, pointers everywhere", struct {
			ID        *int64            `json:"id,omitempty"`
			NodeID    *string           `json:"node_id,omitempty"`
			Title     *string           `json:"title,omitempty"`
			Locked    *bool             `json:"locked,omitempty"`
			User      *BasicUser        `json:"user,omitempty"`
			Labels    []*BasicUser      `json:"labels,omitempty"`
			CreatedAt *gitStamp         `json:"created_at,omitempty"`
			Texts     map[string]string `json:"texts,omitempty"`
		}{ID: new(int64(7)), NodeID: new("x"), Title: new("a"), User: &BasicUser{Login: new("u")}, CreatedAt: &gitStamp{noon}}),
		asIs("go-github: a repository that contains itself", repository{ID: new(int64(1)), FullName: new("a"), Parent: &repository{ID: new(int64(2))}}),
		asIs("stripe-go: a customer, with the last response", struct {
			APIResource
			ID              string            `json:"id"`
			Object          string            `json:"object"`
			Balance         int64             `json:"balance"`
			DefaultSource   *expandable       `json:"default_source"`
			Metadata        map[string]string `json:"metadata"`
			PreferredLocals []string          `json:"preferred_locales"`
		}{ID: "cus_1", Object: "customer", Metadata: map[string]string{"a": "b"}, PreferredLocals: []string{}}),
		asIs("Kubernetes: ObjectMeta", ObjectMeta{Name: "web", UID: "f5a1", CreationTimestamp: gitStamp{noon}, Labels: map[string]string{"app": "web"}}),
		asIs("Slack: a user", slackUser{ID: "U0", TeamID: "T1", Name: "b", Profile: profile{"B", "/24", "/240"}}, slackUser{ID: "U1", TeamID: "T1", Name: "a", Profile: profile{"A", "/a24", "/a240"}}),
		asIs("AWS: an instance of EC2", Instance{noSerde: noSerde{}, InstanceId: new("i-1"), InstanceType: "t3"}, Instance{InstanceId: new("i-2"), ImageId: new("ami"), InstanceType: "t3", LaunchTime: &noon}),
		asIs("AWS: a message of SQS", struct {
			MessageId     *string
			Body          *string
			Attributes    map[string]string
			ReceiptHandle *string
			noSerde
		}{MessageId: new("m1"), Attributes: map[string]string{}}),
		asIs("Docker: a container", struct {
			ID     string `json:"Id"`
			Names  []string
			Image  string
			State  letter
			Labels map[string]string
			Ports  []struct {
				IP          string `json:"IP,omitempty"`
				PrivatePort uint16
			}
			NetworkSettings *struct{ Networks map[string]*Owner }
		}{ID: "c0ffee", Names: []string{"/web"}, Image: "nginx", State: "running", Labels: map[string]string{}, Ports: nil, NetworkSettings: nil}),
		asIs("OAuth: a client of a server", struct {
			ID             string   `json:"id"`
			Secret         []byte   `json:"client_secret,omitempty"`
			RotatedSecrets [][]byte `json:"rotated_secrets,omitempty"`
			RedirectURIs   []string `json:"redirect_uris"`
			Public         bool     `json:"public"`
		}{ID: "app", Secret: []byte("s"), RedirectURIs: []string{"https://x.example"}}),
		asIs("JWT: the registered claims", struct {
			Issuer    string       `json:"iss,omitempty"`
			Audience  claimStrings `json:"aud,omitempty"`
			ExpiresAt *gitStamp    `json:"exp,omitempty"`
			ID        string       `json:"jti,omitempty"`
		}{Issuer: "i", Audience: claimStrings{"a", "b"}, ExpiresAt: &gitStamp{noon}, ID: "t1"}),
		asIs("a client of Twitter: ids that are quoted", struct {
			ID     int64   `json:"id,string"`
			User   int64   `json:"user,string,omitempty"`
			Score  float64 `json:"score,string"`
			Public bool    `json:",string"`
		}{ID: 1 << 60, User: 5, Score: 0.5}),
		asIs("CloudEvents: an event with any data", struct {
			ID         string         `json:"id"`
			Source     string         `json:"source"`
			Time       *time.Time     `json:"time,omitempty"`
			Data       any            `json:"data,omitempty"`
			Extensions map[string]any `json:"extensions,omitempty"`
		}{ID: "e1", Source: "/a", Time: &noon, Data: map[string]any{"tags": []string{"a", "b"}, "at": noon},
			Extensions: map[string]any{"labels": map[string]string{"a": "b"}, "counts": []int{1, 2}}}),
		asIs("a client of devices: maps of structs", Device{1, 9, true, map[string]Owner{"a": {"n", "t"}}, map[int]string{1: "x"}, map[letter]*int64{"a": nil}}),
	}
}

// programsOfStores returns types of programs with a database.
func programsOfStores() []program {
	type Author struct {
		AuthorID int64          `json:"author_id"`
		Name     string         `json:"name"`
		Bio      sql.NullString `json:"bio"`
	}
	type Book struct {
		BookID    int32
		AuthorID  int32
		Isbn      string
		BookType  letter
		Year      int32
		Available time.Time
		Tags      []string
	}
	type protoBook struct {
		state         messageState
		sizeCache     int32
		unknownFields []byte
		Id            string     `protobuf:"bytes,1,opt,name=id,proto3" json:"id,omitempty"`
		Title         string     `json:"title,omitempty"`
		PageCount     int32      `json:"page_count,omitempty"`
		PublishedAt   *Timestamp `json:"published_at,omitempty"`
		Kind          status     `json:"kind,omitempty"`
	}
	type Shelf struct {
		state         messageState
		sizeCache     int32
		unknownFields []byte
		ShelfId       int64    `json:"shelf_id,omitempty"`
		ThemeId       int64    `json:"theme_id,omitempty"`
		Books         []string `json:"books,omitempty"`
	}
	user := entUser{ID: 1, Age: 30, Name: "a"}
	user.Edges.Pets = []*entPet{{ID: 2, Name: "b"}}
	return []program{
		asIs("gorm.Model, with an association", struct {
			Model
			Name      string
			CompanyID *int
			Company   *Model
			Languages []string
			Birthday  *time.Time
			Activated sql.NullTime
		}{Model: Model{ID: 3, CreatedAt: noon}, Name: "a", Languages: []string{"go"}, Birthday: &noon}),
		asIs("gorm with a text as the primary key, without json tags", struct {
			ID    string `gorm:"primaryKey;type:uuid;default:gen_random_uuid()"`
			Email string `gorm:"uniqueIndex"`
			Posts []Model
		}{ID: "a", Email: "a@x.example", Posts: []Model{}}),
		asIs("gorm with a UUID", struct {
			ID    uuid `gorm:"type:uuid;primaryKey" json:"id"`
			Title string
		}{ID: uuid{15: 1}, Title: "a"}),
		asIs("gorm: the id is for joins alone, clients have a UUID", struct {
			ID    uint   `gorm:"primaryKey" json:"-"`
			UUID  uuid   `gorm:"uniqueIndex" json:"uuid"`
			Title string `json:"title"`
		}{UUID: uuid{15: 1}, Title: "a"}),
		asIs("sqlc with json tags", Author{1, "a", sql.NullString{String: "x", Valid: true}}, Author{AuthorID: 2, Name: "b"}),
		asIs("sqlc without json tags, and a foreign key", Book{BookID: 4, AuthorID: 1, Isbn: "x", BookType: "novel", Available: noon, Tags: []string{}}),
		asIs("sqlc with a UUID of pgtype", struct {
			ID    pgxUUID `json:"id"`
			Title pgText  `json:"title"`
		}{pgxUUID{uuid{15: 1}, true}, pgText{"a", true}}),
		asIs("sqlx with a hand-written store", struct {
			Id      int64           `db:"id"`
			Payload json.RawMessage `db:"payload"`
			Price   json.Number
			At      *time.Time
			Nick    sql.Null[string]
		}{Id: 1, Payload: json.RawMessage(`{"a":[1]}`), Price: "1.50", At: &noon}),
		asIs("ent: an entity with its edges", user),
		asIs("protobuf: a message with an id", protoBook{state: messageState{}, sizeCache: 0, unknownFields: nil, Id: "b1", Title: "a", PublishedAt: &Timestamp{Seconds: 5}, Kind: 1}),
		asIs("protobuf: a message with the name of its type", Shelf{state: messageState{}, sizeCache: 0, unknownFields: nil, ShelfId: 5, ThemeId: 2}),
		asIs("MongoDB: a document", struct {
			ID    objectID       `bson:"_id" json:"_id"`
			Owner objectID       `bson:"owner" json:"owner"`
			Meta  map[string]any `bson:",omitempty" json:"meta,omitempty"`
		}{ID: objectID{1}, Meta: map[string]any{"a": []any{1.5, nil}}}),
		asIs("bun: a model with a base of its own", struct {
			noSerde `bun:"table:users,alias:u"`
			ID      int64 `bun:",pk,autoincrement"`
			Name    string
		}{ID: 1, Name: "a"}),
		asIs("memcache: an item", struct {
			Key        string
			Value      []byte
			Flags      uint32
			Expiration int32
			casid      uint64
		}{Key: "k", Value: []byte("v")}),
		asIs("an event store", struct {
			EventID string          `json:"event_id"`
			Type    string          `json:"type"`
			Payload json.RawMessage `json:"payload"`
			Version uint64          `json:"version"`
			At      time.Time       `json:"at"`
		}{EventID: "e1", Type: "added", Payload: json.RawMessage(`{"a":1.50}`), At: noon}),
	}
}

// programsOfOwn returns types that programs declare for themselves.
func programsOfOwn() []program {
	type User struct {
		UserID     string         `json:"user_id"`
		Name       string         `json:"name"`
		Attributes map[string]any `json:"attributes"`
		Extra      any            `json:"extra"`
	}
	type film struct {
		ID      int
		Title   string
		Minutes *int
		Ratings []float64
	}
	return []program{
		asIs("a user with attributes of any type", User{UserID: "u1", Name: "a", Attributes: map[string]any{
			"roles": []string{"admin"}, "labels": map[string]string{"a": "b"}, "since": noon, "tries": 3, "limits": map[string][]int{"a": {1}}}, Extra: []map[string]any{{"a": nil}}}),
		asIs("an order whose id is not named as the type", struct {
			OrderID string `json:"orderId"`
			Lines   []struct {
				SKU   string      `json:"sku"`
				Price json.Number `json:"price"`
			} `json:"lines"`
			Total big.Int `json:"total"`
		}{OrderID: "o1", Lines: []struct {
			SKU   string      `json:"sku"`
			Price json.Number `json:"price"`
		}{{"x", "1.10"}}}),
		asIs("no json tags at all", film{ID: 1, Title: "a", Ratings: []float64{}}, film{ID: 2, Title: "b", Minutes: new(5), Ratings: []float64{0.1}}),
		asIs("an id in a struct that is embedded by pointer", struct {
			*BaseModel
			Name string `json:"name"`
		}{&BaseModel{1, noon}, "a"}),
		asIs("a key in a struct that is embedded by pointer", struct {
			*Audit
			*Named
		}{&Audit{"a", "b"}, &Named{"k", "n"}}),
		asIs("a tree", folder{parent: nil, ID: 1, Name: "/", Children: []*folder{{ID: 2, Name: "a"}}}),
		asIs("a cache with its lock", struct {
			ID    int
			mu    sync.RWMutex
			items map[string]string
			Name  string
		}{ID: 1, Name: "a"}),
		asIs("a setting with a key", struct {
			Key     string `json:"key"`
			Value   any    `json:"value"`
			OwnerID int    `json:"owner_id"`
		}{"theme", []string{"dark"}, 5}),
		asIs("an enumeration as the key", struct {
			Key  level `json:"key"`
			Text string
		}{3, "a"}),
		asIs("an outer field hides those of embedded structs", struct {
			Audit
			Owner
			ID   int
			Name string
		}{Audit{CreatedBy: "c"}, Owner{Team: "t"}, 1, "n"}),
	}
}

// programsRefused returns types of which a collection must know more.
func programsRefused() []program {
	type Object struct {
		Key          *string
		ETag         *string
		LastModified *time.Time
		Size         *int64
		noSerde
	}
	type site struct {
		ID   int
		Home url.URL
	}
	return []program{
		needsMore("a URL, whose parts are often empty", "may not be blank", "a text of a request is not empty unless it is omitempty or has the tag blank", site{ID: 1}),
		needsMore[struct {
			TypeMeta `json:",inline"`
			Metadata ObjectMeta `json:"metadata,omitempty"`
			Spec     struct {
				Containers []ObjectMeta `json:"containers"`
			} `json:"spec,omitempty"`
		}]("Kubernetes: a pod", "Options{ID: NAME}", "the identity is inside an object"),
		needsMore[struct {
			UserID, GroupID int
			Since           time.Time
		}]("a table of joins", `Options{ID: NAME} (want one of UserID, GroupID, Since)`, "two fields together are the identity"),
		needsMore[struct {
			ClientMsgID string `json:"client_msg_id,omitempty"`
			BotID       string `json:"bot_id,omitempty"`
			Timestamp   string `json:"ts,omitempty"`
			Text        string `json:"text,omitempty"`
		}]("Slack: a message", "want one of client_msg_id, bot_id", "a time is the identity"),
		needsMore[struct {
			AccessToken string    `json:"access_token"`
			Expiry      time.Time `json:"expiry,omitempty"`
			raw         any
		}]("OAuth: a token", "Options{ID: NAME}", "it has no id"),
		needsMore("AWS: an object of S3 with a path as its key", "A key does not contain /", "no URL can address it: DescriptionOf with Pattern, or Options.ID", Object{noSerde: noSerde{}, Key: new("2024/a.jpg")}),
		needsMore[struct {
			ID    string      `json:"id,omitempty"`
			Event isEventKind `protobuf_oneof:"event"`
		}]("protobuf: a message with a oneof", "an interface with methods", "encoding/json cannot read it"),
		needsMore[struct {
			ID     string       `json:"id"`
			Fields customFields `json:"fields"`
		}]("Slack: a profile with an unexported map that its methods write", "method Clone", "only its package can copy it"),
		needsMore[struct {
			ID   int
			Jobs chan int           `json:"-"`
			Stop context.CancelFunc `json:"-"`
		}]("a worker with a channel and a function", "method Clone", "the program sets them, and would get nil back"),
		needsMore[struct {
			Audit
			Owner
			ID int
		}]("embedded structs with the same member", `two members "Name"`, "encoding/json writes neither"),
		needsMore[struct {
			ID  string `json:"id"`
			URL string `json:"url"`
			Url string `json:"URL"`
		}]("members twice but for case", `is "url"`, "requests name fields in snake_case, and both have the same name"),
		needsMore("a method Validate() error", "Validate(context.Context) error", "it would never be called", checkedRecord{ID: 1}),
	}
}

// TestPrograms stores records of types as programs have them.
func TestPrograms(t *testing.T) {
	count := 0
	for _, p := range programs() {
		t.Run(p.source, func(t *testing.T) {
			err := p.check()
			switch {
			case p.refuse == "" && err != nil:
				t.Error(err)
			case p.refuse == "":
				count++
			case err == nil || !strings.Contains(err.Error(), p.refuse):
				t.Errorf("%v: want an error with %s, because %s", err, p.refuse, p.reason)
			}
		})
	}
	t.Logf("%d of %d types are taken as they are", count, len(programs()))
	_ = []any{messageState{info: nil}, Timestamp{state: messageState{}, sizeCache: 0, unknownFields: nil}, APIResponse{duration: nil}, // read by no test
		entUser{config: config{driver: nil, hooks: nil}, selectValues: nil}, entPet{config: config{}, userPets: nil, selectValues: nil}}
}

// TestNewIdentities inserts records without an id or a key, by all the ways in which they can lack one.
func TestNewIdentities(t *testing.T) {
	const random = `"UUID4"`
	type embeddedID struct {
		*BaseModel
		Name string
	}
	type embeddedKey struct {
		*Named
		ID []int `json:"-"`
	}
	type pointer struct{ UUID *string }
	type enumeration struct{ Key level }
	named := catalogue.Options{NewKey: func() string { return "level 7" }}
	for reason, err := range map[string]error{
		"an id in no embedded struct": inserted(embeddedID{Name: "a"}, catalogue.Options{}, `{"id":1,"created_at":"0001-01-01T00:00:00Z","Name":"a"}`),
		"an id of 0 in one":           inserted(embeddedID{&BaseModel{CreatedAt: noon}, "a"}, catalogue.Options{}, `{"id":1,"created_at":"2024-05-01T12:00:00Z","Name":"a"}`),
		"a key in no embedded struct": inserted(embeddedKey{}, catalogue.Options{}, `{"key":`+random+`,"nick":""}`),
		"an empty key in one":         inserted(embeddedKey{Named: &Named{Nick: "n"}}, catalogue.Options{}, `{"key":`+random+`,"nick":"n"}`),
		"a nil pointer":               inserted(pointer{}, catalogue.Options{}, `{"UUID":`+random+`}`),
		"a pointer to an empty text":  inserted(pointer{new("")}, catalogue.Options{}, `{"UUID":`+random+`}`),
		"a zero UUID":                 inserted(struct{ ID uuid }{}, catalogue.Options{}, `{"ID":`+random+`}`),
		"a UUID that is null":         inserted(struct{ ID pgxUUID }{}, catalogue.Options{}, `{"ID":`+random+`}`),
		"a pointer to a UUID":         inserted(struct{ ID *uuid }{}, catalogue.Options{}, `{"ID":`+random+`}`),
		"a pointer to a zero UUID":    inserted(struct{ ID *uuid }{new(uuid)}, catalogue.Options{}, `{"ID":`+random+`}`),
		"a key that is no UUID":       inserted(enumeration{}, named, `{"Key":"level 7"}`),
	} {
		if err != nil {
			t.Errorf("%s: %v", reason, err)
		}
	}
	err := inserted(enumeration{}, catalogue.Options{}, "")
	if !errors.Is(err, catalogue.ErrInvalidID) || !strings.Contains(err.Error(), "Options.NewKey") {
		t.Errorf("a key that cannot be a UUID: %v, want ErrInvalidID, and Options.NewKey", err)
	}
}

// inserted inserts a record without an id or key and returns an error unless the JSON of what is stored is the
// wanted one, in which UUID4 is any such UUID, and the given record is as it was.
func inserted[T any](record T, opts catalogue.Options, want string) error {
	const uuid = `[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`
	before := wireOf(record)
	c, insert, err := catalogue.NewBare[T](opts)
	if err != nil {
		return err
	}
	if _, err := insert(record); err != nil {
		return err
	}
	if wireOf(record) != before {
		return fmt.Errorf("the given record became %s", wireOf(record))
	}
	if got := wireOf(catalogue.AllBare[T](c)); !regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta("["+want+"]"), "UUID4", uuid) + "$").MatchString(got) {
		return fmt.Errorf("%s: want %s", got, want)
	}
	return c.Check()
}

// TestUnkept checks which fields that are not in the JSON a collection keeps.
func TestUnkept(t *testing.T) {
	type part struct {
		Text  string
		cache []string
		n     int
	}
	type row struct {
		config `json:"-"`
		ID     int
		part
		Parts  []part
		ByName map[string]*part
		cache  map[string]int
		n      int
		Zone   []string `json:"-"`
		last   any
		big    *big.Int
	}
	full := part{"a", []string{"x"}, 1}
	mine := row{config: config{debug: true, log: func(...any) {}}, ID: 1, part: full, Parts: []part{full}, ByName: map[string]*part{"a": &full},
		cache: map[string]int{"a": 1}, n: 2, Zone: []string{"z"}, last: 5, big: big.NewInt(7)}
	c, insert, err := catalogue.NewBare[row](catalogue.Options{})
	must(t, err)
	_, err = insert(mine)
	must(t, err, c.Check())
	kept := part{"a", nil, 1}
	want := row{config: config{debug: true}, ID: 1, part: kept, Parts: []part{kept}, ByName: map[string]*part{"a": &kept}, n: 2, Zone: []string{"z"}, big: big.NewInt(7)}
	if got := catalogue.AllBare[row](c); !reflect.DeepEqual([]row{want}, got) {
		t.Errorf("read: %+v, want %+v", got, want)
	}
	if !mine.debug || mine.cache["a"] != 1 || mine.Parts[0].cache[0] != "x" || mine.last != 5 {
		t.Errorf("the record of the program became %+v", mine)
	}
}

// TestValuesOfAny stores values of types of Go in a field of the type any: what is read shares nothing.
func TestValuesOfAny(t *testing.T) {
	type row struct {
		ID    int
		Value any
	}
	type word string
	c, insert, err := catalogue.NewBare[row](catalogue.Options{})
	must(t, err)
	values := func() []any {
		return []any{[]string{"a", ""}, map[string]string{"a": "b"}, noon, []int{1}, [][]float64{{0.5}, nil}, []word{"w"}, word("v"), map[string][]any{"a": {nil, []bool{true}}},
			[2]string{"a", "b"}, new("p"), map[int]time.Time{3: noon}, []map[string]any{{"a": map[string]int{"b": 1}}}, []string(nil), []byte("bytes"), int8(3), []json.Number{"1.50"}}
	}
	for _, v := range values() {
		must(t, second(insert(row{Value: v})))
		scribble(reflect.ValueOf(&v).Elem())
	}
	for range 2 {
		got := catalogue.AllBare[row](c)
		for i, want := range values() {
			if !reflect.DeepEqual(want, got[i].Value) {
				t.Errorf("%#v is read as %#v", want, got[i].Value)
			}
			scribble(reflect.ValueOf(&got[i]).Elem())
		}
	}
	must(t, c.Check())
	type cycle []cycle
	self := cycle{nil}
	self[0] = self
	for reason, v := range map[string]any{
		"a struct": Owner{}, "a list of structs": []Owner{{}}, "a pointer to one": &Owner{}, "JSON": json.RawMessage("[]"), "lists of JSON": [][]json.RawMessage{nil},
		"a type with MarshalText": level(1), "a list of a type with it": []level{1}, "keys of such a type": map[level]int{1: 1}, "a func": func() {}, "a channel": make(chan int), "a complex number": 1i,
		"text that is not UTF-8": []string{"\xff"}, "such a key": map[string]int{"\xff": 1}, "such a text in any": []map[string]any{{"a": "\xff"}}, "no number": []float64{math.NaN()},
		"a year that JSON cannot have": time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), "a list in itself": self, "a map of keys that are structs": map[Owner]int{},
	} {
		if _, err := insert(row{Value: v}); !errors.Is(err, catalogue.ErrInvalid) {
			t.Errorf("%s: %v, want ErrInvalid", reason, err)
		}
	}
}
