package sample

import (
	"html"
	"slices"
	"strings"
)

// A language holds the parts of names and texts in a language.
type language struct {
	code        string
	given       []string
	family      []string
	familyFirst bool
	heads       []string // first parts of titles
	tails       []string // second parts of titles
	space       string   // between the parts
	open, close string   // quotation marks
	kinds       []string // kinds of events
	lines       []string // sentences that fit any book
}

// language returns the language with the given code, or the first language if there is
// none.
func (m *maker) language(code string) language {
	i := slices.IndexFunc(m.languages, func(l language) bool { return l.code == code })
	return m.languages[max(i, 0)]
}

func (l language) person(r *rng) string {
	given, family := pick(r, l.given), pick(r, l.family)
	if l.familyFirst {
		given, family = family, given
	}
	return given + " " + family
}

func (l language) title(r *rng) string { return pick(r, l.heads) + l.space + pick(r, l.tails) }

func (l language) quote(title string) string { return l.open + title + l.close }

// colon returns the text between the kind and the title of an event.
func (l language) colon() string {
	if l.space == "" {
		return l.space
	}
	return ": "
}

// paragraphs returns an HTML fragment of n paragraphs of two sentences each.
func (l language) paragraphs(r *rng, n int) string {
	var b strings.Builder
	next := r.below(len(l.lines))
	line := func() string {
		next++
		return html.EscapeString(l.lines[next%len(l.lines)])
	}
	for range n {
		b.WriteString("<p>" + line() + " <em>" + line() + "</em></p>")
	}
	return b.String()
}

// anchor returns an HTML link.
func anchor(url, text string) string {
	return `<a href="` + html.EscapeString(url) + `">` + html.EscapeString(text) + `</a>`
}

// slug converts a text to words of ASCII letters and digits, joined by hyphens. If
// nothing remains, as for Japanese, it returns the fallback.
func slug(text, fallback string) string {
	var b strings.Builder
	gap := false
	for _, r := range text {
		letters := fold(r)
		if letters == "" {
			gap = true
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte('-')
		}
		gap = false
		b.WriteString(letters)
	}
	if b.Len() == 0 {
		return fallback
	}
	return b.String()
}

// fold converts a letter of the languages here to lower-case ASCII letters. It returns
// "" for all other characters except digits. It does not use package unicode, whose
// tables change between Go versions.
func fold(r rune) string {
	switch {
	case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
		return string(r)
	case r >= 'A' && r <= 'Z':
		return string(r - 'A' + 'a')
	}
	switch r {
	case 'à', 'á', 'ä', 'ą', 'À', 'Á', 'Ä', 'Ą':
		return "a"
	case 'ç', 'ć', 'Ç', 'Ć':
		return "c"
	case 'è', 'é', 'ê', 'ë', 'ę', 'È', 'É', 'Ê', 'Ë', 'Ę':
		return "e"
	case 'ì', 'í', 'ï', 'Ì', 'Í', 'Ï':
		return "i"
	case 'ł', 'Ł':
		return "l"
	case 'ñ', 'ń', 'Ñ', 'Ń':
		return "n"
	case 'ò', 'ó', 'ö', 'ô', 'Ò', 'Ó', 'Ö', 'Ô':
		return "o"
	case 'ś', 'Ś':
		return "s"
	case 'ù', 'ú', 'û', 'ü', 'Ù', 'Ú', 'Û', 'Ü':
		return "u"
	case 'ź', 'ż', 'Ź', 'Ż':
		return "z"
	case 'ß':
		return "ss"
	case 'œ', 'Œ':
		return "oe"
	}
	return ""
}

// languages returns eight languages in several scripts and both directions.
func languages() []language {
	return []language{
		italian(), english(), french(), german(), spanish(), polish(), japanese(), arabic(),
	}
}

func italian() language {
	return language{
		code:   "it",
		given:  []string{"Anna", "Giulia", "Niccolò", "Matteo", "Zoë", "Tommaso", "Lucia", "Elia"},
		family: []string{"Rossi", "D'Angelo", "Verdi", "Dell'Orto", "Serra", "Forlì", "Bianco", "De Luca"},
		heads:  []string{"Il silenzio", "La casa", "Le ombre", "L'ultima estate", "Lettere", "Perché la notte"},
		tails:  []string{"di sale", "sul fiume", "senza nome", "d'inverno", "prima della pioggia", "in città"},
		space:  " ", open: "«", close: "»",
		kinds: []string{"Presentazione", "Firmacopie", "Reading", "Gruppo di lettura", "Laboratorio"},
		lines: []string{
			"Una storia di famiglia che comincia dalla fine.",
			"Il libro che abbiamo aspettato più a lungo.",
			"Perché ogni città è fatta di chi l'ha lasciata.",
			"Ingresso libero, posti limitati.",
		},
	}
}

func english() language {
	return language{
		code:   "en",
		given:  []string{"Alice", "Noah", "Imogen", "Owen", "Siobhán", "Ruth", "Chloë", "Miles"},
		family: []string{"Ashdown", "O'Brien", "Fairweather", "St. Clair", "Marsh", "Penhaligon", "Reed", "Okafor-Lane"},
		heads:  []string{"The Silence", "A House", "Shadows", "The Last Summer", "Letters", "What We Kept"},
		tails:  []string{"of Salt", "by the River", "Without a Name", "in Winter", "Before the Rain", "& Other Stories"},
		space:  " ", open: "“", close: "”",
		kinds: []string{"Book launch", "Signing session", "Reading", "Reading group", "Workshop"},
		lines: []string{
			"A family's story that starts at its end.",
			"The book we've waited for the longest.",
			"Bring your own copy & a \"difficult\" question.",
			"Free entry, few seats.",
		},
	}
}

func french() language {
	return language{
		code:   "fr",
		given:  []string{"Élodie", "François", "Maëlle", "Hervé", "Inès", "Théo", "Jeanne", "Loïc"},
		family: []string{"Marchand", "Lefèvre", "d'Aubigny", "Garçon", "Le Goff", "Noël", "Petit", "Cœurdevey"},
		heads:  []string{"Le silence", "La maison", "Les ombres", "Le dernier été", "Lettres", "L'œuvre"},
		tails:  []string{"de sel", "au bord du fleuve", "sans nom", "d'hiver", "avant la pluie", "à l'aube"},
		space:  " ", open: "«\u00a0", close: "\u00a0»",
		kinds: []string{"Présentation", "Dédicace", "Lecture", "Cercle de lecture", "Atelier"},
		lines: []string{
			"Une histoire de famille qui commence par la fin.",
			"Le livre que nous avons attendu le plus longtemps\u00a0!",
			"Où l'on apprend à se taire à deux.",
			"Entrée libre, places limitées.",
		},
	}
}

func german() language {
	return language{
		code:   "de",
		given:  []string{"Jürgen", "Anneliese", "Käthe", "Moritz", "Söhnke", "Frieda", "Björn", "Grete"},
		family: []string{"Weiß", "Müller-Lüdenscheid", "von Ahlen", "Schröder", "Großmann", "Kühn", "Bäcker", "Lindt"},
		heads:  []string{"Die Stille", "Ein Haus", "Schatten", "Der letzte Sommer", "Briefe", "Über Nacht"},
		tails:  []string{"aus Salz", "am Fluss", "ohne Namen", "im Winter", "vor dem Regen", "in der Straße"},
		space:  " ", open: "„", close: "“",
		kinds: []string{"Buchvorstellung", "Signierstunde", "Lesung", "Lesekreis", "Werkstattgespräch"},
		lines: []string{
			"Eine Familiengeschichte, die mit dem Ende beginnt.",
			"Das Buch, auf das wir am längsten gewartet haben.",
			"Für alle, die größer träumen als ihre Straße lang ist.",
			"Eintritt frei, wenige Plätze.",
		},
	}
}

func spanish() language {
	return language{
		code:   "es",
		given:  []string{"Óscar", "Begoña", "Íñigo", "Lucía", "Martín", "Ángeles", "Nuria", "Joaquín"},
		family: []string{"Ñíguez", "Peña Ruiz", "de la Fuente", "Ibáñez", "Quiroga", "Muñoz", "Rey", "Echeverría"},
		heads:  []string{"El silencio", "La casa", "Las sombras", "El último verano", "Cartas", "Mañana"},
		tails:  []string{"de sal", "junto al río", "sin nombre", "de invierno", "antes de la lluvia", "en España"},
		space:  " ", open: "«", close: "»",
		kinds: []string{"Presentación", "Firma de ejemplares", "Lectura", "Club de lectura", "Taller"},
		lines: []string{
			"Una historia de familia que empieza por el final.",
			"El libro que más tiempo hemos esperado.",
			"¿Y si los años no pasaran, sino que volvieran?",
			"Entrada libre, aforo limitado.",
		},
	}
}

func polish() language {
	return language{
		code:   "pl",
		given:  []string{"Łukasz", "Małgorzata", "Świętosława", "Jan", "Żaneta", "Zofia", "Paweł", "Ewa"},
		family: []string{"Dąbek", "Śliwa", "Źródło", "Nowicz", "Gołąb", "Jeż", "Kępa", "Wójt"},
		heads:  []string{"Cisza", "Dom", "Cienie", "Ostatnie lato", "Listy", "Miasto"},
		tails:  []string{"z soli", "nad rzeką", "bez imienia", "zimą", "przed deszczem", "o świcie"},
		space:  " ", open: "„", close: "”",
		kinds: []string{"Premiera", "Podpisywanie książek", "Czytanie", "Klub czytelniczy", "Warsztaty"},
		lines: []string{
			"Historia rodziny, która zaczyna się od końca.",
			"Książka, na którą czekaliśmy najdłużej.",
			"Wstęp wolny, liczba miejsc ograniczona.",
		},
	}
}

func japanese() language {
	return language{
		code:        "ja",
		given:       []string{"花子", "健一", "さくら", "翔", "美穂", "悠"},
		family:      []string{"水瀬", "星川", "雨宮", "白鳥", "月島", "霧谷"},
		familyFirst: true,
		heads:       []string{"塩の", "川辺の", "名もなき", "冬の", "雨の前の", "夜明けの"},
		tails:       []string{"静けさ", "家", "影", "手紙", "夏", "街"},
		space:       "", open: "『", close: "』",
		kinds: []string{"刊行記念トーク", "サイン会", "朗読会", "読書会"},
		lines: []string{
			"終わりから始まる、ある家族の物語。",
			"いちばん長く待っていた一冊。",
			"入場無料・先着順。",
		},
	}
}

func arabic() language {
	return language{
		code:   "ar",
		given:  []string{"أمل", "ليلى", "كريم", "سلمى", "يوسف", "نور"},
		family: []string{"البحري", "الزهراوي", "النجار", "السالمي", "الورّاق", "الريحاني"},
		heads:  []string{"الصمت", "البيت", "الظلال", "الصيف الأخير", "رسائل", "المدينة"},
		tails:  []string{"على ضفة النهر", "بلا اسم", "في الشتاء", "قبل المطر", "عند الفجر"},
		space:  " ", open: "«", close: "»",
		kinds: []string{"تقديم كتاب", "حفل توقيع", "قراءة", "نادي القراءة"},
		lines: []string{
			"حكاية عائلة تبدأ من نهايتها.",
			"الكتاب الذي انتظرناه أطول من غيره.",
			"الدخول مجاني والمقاعد محدودة.",
		},
	}
}
