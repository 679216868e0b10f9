package sample

import "time"

// A place is the venue of an event. The venues are invented, the cities are real.
type place struct {
	venue    string
	language string // code
	zone     zone
}

// places returns all places. The clocks of the first one change: events near a change
// are held there.
func places() []place {
	central, western := europe(1), europe(0)
	return []place{
		{"Libreria del Molo, Genova", "it", central},
		{`Salone delle Carte, pad. 2 "Ovale", Torino`, "it", central},
		{"Caffè dell'Indice, Palermo", "it", central},
		{"Reading Room <5>, London", "en", western},
		{"Quire & Quill, Dublin", "en", western},
		{"Café de l'Écritoire, Besançon", "fr", central},
		{"Haus der Bögen, Straße am Kanal 3, Köln", "de", central},
		{"Librería La Eñe, A Coruña", "es", central},
		{"Librería del Zaguán, Buenos Aires", "es", fixed(-3 * time.Hour)},
		{"Księgarnia pod Żurawiem, Łódź", "pl", central},
		{"Deckle Books, Brooklyn", "en", newYork()},
		{"The Colophon, Kolkata", "en", fixed(5*time.Hour + 30*time.Minute)},
		{"紙魚書店、東京", "ja", fixed(9 * time.Hour)},
		{"مكتبة الحبر، عمّان", "ar", fixed(3 * time.Hour)},
		{"online", "en", fixed(0)},
	}
}
