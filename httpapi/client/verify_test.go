package client_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/gobacklist/backlist/catalogue/cataloguetest"
	"github.com/gobacklist/backlist/httpapi/client"
	"github.com/gobacklist/backlist/resources"
)

func TestVerifyClient(t *testing.T) {
	fetch := func(ctx context.Context, http *http.Client, baseURL string) ([]int, error) {
		service, err := client.New(client.Options{BaseURL: baseURL, HTTP: http, Rate: -1})
		if err != nil {
			return nil, err
		}
		var ids []int
		for text, err := range service.All(ctx, "events") {
			if err != nil {
				return nil, err
			}
			record, err := resources.ParseRecord(text)
			if err != nil {
				return nil, err
			}
			ids = append(ids, record.ID)
		}
		return ids, nil
	}
	cataloguetest.VerifyClient(t, fetch, cataloguetest.Verification{})
}
