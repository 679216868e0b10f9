// Openapi prints the latest events of a running service. It uses a client that
// oapi-codegen generated from the service's OpenAPI document. The tests compare every
// kind of response with the document.
//
//	go run ../backlist &
//	go run . http://127.0.0.1:8080
//
// The generated client and the document are in the directory client.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"time"

	"github.com/gobacklist/backlist/examples/openapi/client"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: openapi http://host:port")
	}
	c, err := client.NewClientWithResponses(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	if err := latest(context.Background(), os.Stdout, c); err != nil {
		log.Fatal(err)
	}
}

// latest prints the five events that start last, and the number of all events.
func latest(ctx context.Context, out io.Writer, c *client.ClientWithResponses) error {
	limit := 5
	answer, err := c.ListEventsWithResponse(ctx, &client.ListEventsParams{
		Ordering: &client.EventOrdering{client.EventOrderingTermMinusStartDate, client.EventOrderingTermName},
		Limit:    &limit,
	})
	if err != nil {
		return err
	}
	if answer.JSON200 == nil {
		return fmt.Errorf("%s: %s", answer.Status(), answer.Body)
	}
	for _, e := range answer.JSON200.Results {
		fmt.Fprintln(out, e.StartDate.Format(time.DateOnly), e.Name)
	}
	fmt.Fprintln(out, "of", answer.JSON200.Count)
	return nil
}
