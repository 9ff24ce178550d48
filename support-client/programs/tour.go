// The tour in Go, with the clients of oapi-codegen. Run by generated-clients.long.test.ts.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"time"

	"tour/backoffice"
	"tour/partner"

	"github.com/oapi-codegen/runtime/types"
)

var ctx = context.Background()
var seen = map[string]any{}

func main() {
	usePartnerAPI(useBackOffice())
	text, err := json.Marshal(seen)
	check(err)
	fmt.Println(string(text))
}

func useBackOffice() *backoffice.KeyWithSecret {
	client, err := backoffice.NewClientWithResponses(os.Getenv("BACK_OFFICE"),
		backoffice.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
			request.Header.Set("Authorization", "Bearer "+os.Getenv("TOKEN"))
			return nil
		}))
	check(err)
	made, err := client.CreatePartnerWithResponse(ctx, backoffice.Sandbox, backoffice.NewPartner{
		Name:                 "Acme Travel",
		IntegrationStartedOn: types.Date{Time: time.Date(2025, 11, 1, 0, 0, 0, 0, time.UTC)},
		IsNew:                true,
	})
	check(err)
	id := made.JSON201.Id
	seen["partner_id"] = id
	seen["name"] = made.JSON201.Name
	seen["certified_at"] = made.JSON201.CertifiedAt
	label := "Booking engine"
	key, err := client.CreateKeyWithResponse(ctx, backoffice.Sandbox, id, backoffice.NewKey{Label: &label})
	check(err)
	seen["label"] = key.JSON201.Label
	grants, err := client.ListGrantsWithResponse(ctx, backoffice.Sandbox, key.JSON201.KeyId)
	check(err)
	seen["grants"] = len(grants.JSON200.Items)
	seen["next_cursor"] = grants.JSON200.NextCursor
	midoffice, err := client.CreateMidofficeWithResponse(ctx, backoffice.Sandbox, backoffice.NewMidoffice{
		Name:         "Acme midoffice",
		Url:          os.Getenv("RECEIVER"),
		SigningKeyId: key.JSON201.KeyId,
	})
	check(err)
	_, err = client.UpdatePartnerWithResponse(ctx, backoffice.Sandbox, id,
		backoffice.PartnerChanges{MidofficeId: &midoffice.JSON201.Id})
	check(err)
	var events backoffice.ReportOrderEventsJSONRequestBody
	check(events.FromOrderEvent(backoffice.OrderEvent{
		EventId:        "evt-" + id,
		Type:           backoffice.EventTypeCreated,
		PartnerId:      id,
		PartnerOrderId: "BK-1",
	}))
	outcomes, err := client.ReportOrderEventsWithResponse(ctx, backoffice.Sandbox, events)
	check(err)
	seen["outcome"] = outcomes.JSON202.Results[0].Outcome
	limit := 10
	page, err := client.ListDeliveriesWithResponse(ctx, backoffice.Sandbox,
		&backoffice.ListDeliveriesParams{Limit: &limit, PartnerId: &id})
	check(err)
	deliveries := [][]any{}
	for _, one := range page.JSON200.Items {
		deliveries = append(deliveries, []any{one.PartnerOrderId, one.State, one.AgreementNumber})
	}
	seen["deliveries"] = deliveries
	refused, err := client.GetPartnerWithResponse(ctx, backoffice.Sandbox, "nobody")
	check(err)
	seen["problem"] = refused.ApplicationproblemJSON404.Code
	return key.JSON201
}

func partnerClient(address string, key *backoffice.KeyWithSecret) *partner.ClientWithResponses {
	client, err := partner.NewClientWithResponses(address,
		partner.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
			request.SetBasicAuth(key.KeyId, key.ApiKey)
			return nil
		}))
	check(err)
	return client
}

func usePartnerAPI(key *backoffice.KeyWithSecret) {
	sandbox := partnerClient(os.Getenv("SANDBOX"), key)
	overview, err := sandbox.OverviewGetWithResponse(ctx, nil)
	check(err)
	list := overview.JSON200
	seen["overview"] = []any{len(list.Data), list.Debug, list.Error, list.Status}
	reply, err := sandbox.SearchHpPostWithResponse(ctx, nil, map[string]string{"id": "test_hotel"})
	check(err)
	var echo struct{ Data struct{ Body any } }
	check(json.Unmarshal(reply.Body, &echo))
	seen["forwarded"] = echo.Data.Body
	refused, err := partnerClient(os.Getenv("PRODUCTION"), key).OverviewGetWithResponse(ctx, nil)
	check(err)
	refusal, err := refused.JSON401.AsRefusal()
	check(err)
	seen["refused"] = refusal.Error.Code
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
