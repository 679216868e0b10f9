package schema

// eventFields returns the fields of an event in wire order. The document does not say
// which fields can be written, nor their defaults.
func eventFields() []Field {
	return []Field{
		{Name: "id", Kind: Integer, ReadOnly: true},
		{Name: "name", Kind: Text, Required: true},
		{Name: "slug", Kind: Slug, Required: true},
		{Name: "summary", Kind: Text, Blank: true, Default: `""`},
		{Name: "description", Kind: Text, Blank: true, Default: `""`},
		{Name: "location", Kind: Text, Blank: true, Default: `""`},
		{Name: "startDate", Kind: Timestamp, Required: true},
		{Name: "endDate", Kind: Timestamp, Required: true},
		{Name: "published", Kind: Boolean, Default: `false`},
		{Name: "poster", Kind: URL, Blank: true, Default: `""`},
		{Name: "posterWebp", Kind: URL, Blank: true, Default: `""`},
		{Name: "labels", Kind: References, Refers: "labels", Default: `[]`},
		{Name: "authors", Kind: References, Refers: "authors", Default: `[]`},
	}
}

// socialLinkFields returns the fields of a social link in wire order.
func socialLinkFields() []Field {
	return []Field{
		{Name: "id", Kind: Integer, ReadOnly: true},
		{Name: "title", Kind: Text, Required: true},
		{Name: "url", Kind: URL, Required: true},
		{Name: "logo", Kind: URL, Nullable: true, Blank: true, Default: `null`},
		{Name: "type", Kind: Text, Required: true},
		{Name: "author", Kind: Reference, Required: true, Refers: "authors"},
	}
}

// labelFields returns the fields of a label in wire order. Labels cannot be posted, so
// all fields are read-only. Users are not a collection of the service.
func labelFields() []Field {
	fields := []Field{
		{Name: "id", Kind: Integer},
		{Name: "name", Kind: Text},
		{Name: "slug", Kind: Slug},
		{Name: "enabled", Kind: Boolean},
		{Name: "catchPhrase", Kind: Text, Blank: true},
		{Name: "description", Kind: Text, Blank: true},
		{Name: "catchLines", Kind: TextList},
		{Name: "users", Kind: References},
		{Name: "logo", Kind: URL},
		{Name: "logoBig", Kind: URL},
		{Name: "emblem", Kind: URL},
		{Name: "logoFooter", Kind: URL, Nullable: true},
		{Name: "logoWebp", Kind: URL},
		{Name: "logoBigWebp", Kind: URL},
		{Name: "emblemWebp", Kind: URL},
		{Name: "logoFooterWebp", Kind: URL, Nullable: true},
		{Name: "facebookPage", Kind: URL, Nullable: true},
		{Name: "blueskyPage", Kind: URL, Nullable: true},
		{Name: "linkedinPage", Kind: URL, Nullable: true},
		{Name: "instagramPage", Kind: URL, Nullable: true},
		{Name: "globalMessage", Kind: JSON, Nullable: true},
		{Name: "checkoutMessage", Kind: JSON, Nullable: true},
		{Name: "featureCrowdfunding", Kind: Boolean},
		{Name: "featureProjects", Kind: Boolean},
		{Name: "featureLibrary", Kind: Boolean},
		{Name: "featureExternals", Kind: Boolean},
		{Name: "featureShop", Kind: Boolean},
		{Name: "featureAuthors", Kind: Boolean},
		{Name: "featureAbout", Kind: Boolean},
		{Name: "featureCart", Kind: Boolean},
		{Name: "featureBookseller", Kind: Boolean},
		{Name: "featureEvents", Kind: Boolean},
	}
	for i := range fields {
		fields[i].ReadOnly = true
	}
	return fields
}
