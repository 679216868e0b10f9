package infer_test

import (
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/gobacklist/backlist/catalogue/infer"
)

const db = `{"posts": [{"id": 1, "title": "First", "authorId": 7}], "authors": [{"id": 7, "name": "Ann"}]}`

func ExampleRead() {
	file, err := infer.Read(strings.NewReader(db), infer.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(file.Found("/"))
	// Output:
	// /posts/ has 1 record: id integer, title text, authorId of authors.
	// /authors/ has 1 record: id integer, name text.
	// The kinds of fields are guesses: writes may send others. So are references: -refers authorId= undoes one.
}

func ExampleFile_Write() {
	file, err := infer.Read(strings.NewReader(db), infer.Options{})
	if err != nil {
		log.Fatal(err)
	}
	authors, err := file.Catalogue.Collection("authors")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(authors.Count())
	if err := file.Write(os.Stdout, file.Catalogue); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 1
	// {"posts":[{"id":1,"title":"First","authorId":7}],"authors":[{"id":7,"name":"Ann"}]}
}
