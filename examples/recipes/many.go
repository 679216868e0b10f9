package recipes

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

// CreateMany returns a handler of requests whose body is a list of records: all are created at one
// instant, or none. The response has them with their ids, or the errors of the first that is not
// valid, under its index. The collection has Options.Validate, and h serves it.
func CreateMany[T any](h *httpapi.Handler, c *catalogue.Collection[T]) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var records []T
		err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&records)
		if err != nil {
			err = schema.Invalid("Invalid data: " + err.Error())
		} else {
			err = c.Batch(func(tx *catalogue.Tx[T]) error {
				for i := range records {
					id, err := tx.Insert(records[i])
					if err == nil {
						records[i], err = tx.Get(id) // as it is stored
					}
					var wrong schema.FieldErrors
					if errors.As(err, &wrong) {
						err = schema.FieldErrors{{Field: strconv.Itoa(i), Fields: wrong}}
					}
					if err != nil {
						return err
					}
				}
				return nil
			})
		}
		if errors.Is(err, catalogue.ErrDuplicate) {
			err = schema.Invalid(err.Error())
		}
		if err != nil {
			h.WriteError(w, r, err)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(records)
	})
}
