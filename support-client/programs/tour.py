"""The tour in Python, with the clients of openapi-generator. Run by generated-clients.long.test.ts."""

import json
import os
from datetime import date

import bellhop_back_office as office
import bellhop_partner as partner

SANDBOX = office.Environment.SANDBOX
seen = {}


def use_back_office():
    configuration = office.Configuration(
        host=os.environ["BACK_OFFICE"], access_token=os.environ["TOKEN"]
    )
    with office.ApiClient(configuration) as client:
        partners = office.PartnersApi(client)
        made = partners.create_partner(
            SANDBOX,
            office.NewPartner(
                name="Acme Travel", integration_started_on=date(2025, 11, 1), is_new=True
            ),
        )
        seen["partner_id"] = made.id
        seen["name"] = made.name
        seen["certified_at"] = made.certified_at
        key = office.KeysApi(client).create_key(
            SANDBOX, made.id, office.NewKey(label="Booking engine")
        )
        seen["label"] = key.label
        grants = office.GrantsApi(client).list_grants(SANDBOX, key.key_id)
        seen["grants"] = len(grants.items)
        seen["next_cursor"] = grants.next_cursor
        midoffice = office.MidofficesApi(client).create_midoffice(
            SANDBOX,
            office.NewMidoffice(
                name="Acme midoffice", url=os.environ["RECEIVER"], signing_key_id=key.key_id
            ),
        )
        partners.update_partner(
            SANDBOX, made.id, office.PartnerChanges(midoffice_id=midoffice.id)
        )
        event = office.OrderEvent(
            event_id="evt-" + made.id,
            type=office.EventType.CREATED,
            partner_id=made.id,
            partner_order_id="BK-1",
        )
        outcomes = office.OrdersApi(client).report_order_events(
            SANDBOX, office.OrderEvents(event)
        )
        seen["outcome"] = outcomes.results[0].outcome
        page = office.DeliveriesApi(client).list_deliveries(
            SANDBOX, limit=10, partner_id=made.id
        )
        seen["deliveries"] = [
            [one.partner_order_id, one.state, one.agreement_number] for one in page.items
        ]
        try:
            partners.get_partner(SANDBOX, "nobody")
        except office.exceptions.NotFoundException as refused:
            seen["problem"] = refused.data.code
        return key


def partner_client(host, key):
    return partner.ApiClient(
        partner.Configuration(host=host, username=key.key_id, password=key.api_key)
    )


def use_partner_api(key):
    with partner_client(os.environ["SANDBOX"], key) as client:
        overview = partner.OverviewApi(client).overview_get()
        seen["overview"] = [
            len(overview.data), overview.debug, overview.error, overview.status
        ]
        echo = partner.SearchApi(client).search_hp_post(body={"id": "test_hotel"})
        seen["forwarded"] = echo["data"]["body"]
    with partner_client(os.environ["PRODUCTION"], key) as client:
        try:
            partner.OverviewApi(client).overview_get()
        except partner.exceptions.UnauthorizedException as refused:
            seen["refused"] = refused.data.actual_instance.error.code


use_partner_api(use_back_office())
print(json.dumps(seen))
