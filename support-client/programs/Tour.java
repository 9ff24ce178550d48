import bellhop.back_office.api.DeliveriesApi;
import bellhop.back_office.api.GrantsApi;
import bellhop.back_office.api.KeysApi;
import bellhop.back_office.api.MidofficesApi;
import bellhop.back_office.api.OrdersApi;
import bellhop.back_office.api.PartnersApi;
import bellhop.back_office.model.DeliveryPage;
import bellhop.back_office.model.Environment;
import bellhop.back_office.model.EventOutcomes;
import bellhop.back_office.model.EventType;
import bellhop.back_office.model.GrantList;
import bellhop.back_office.model.KeyWithSecret;
import bellhop.back_office.model.Midoffice;
import bellhop.back_office.model.NewKey;
import bellhop.back_office.model.NewMidoffice;
import bellhop.back_office.model.NewPartner;
import bellhop.back_office.model.OrderEvent;
import bellhop.back_office.model.OrderEvents;
import bellhop.back_office.model.Partner;
import bellhop.back_office.model.PartnerChanges;
import bellhop.back_office.model.Problem;
import bellhop.partner.api.OverviewApi;
import bellhop.partner.api.SearchApi;
import bellhop.partner.model.Overview;
import bellhop.partner.model.Refused;
import com.google.gson.GsonBuilder;
import java.net.URI;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** The tour in Java, with the clients of openapi-generator. Run by generated-clients.long.test.ts. */
public class Tour {
  private static final Environment SANDBOX = Environment.SANDBOX;
  private static final Map<String, Object> seen = new LinkedHashMap<>();

  public static void main(String[] arguments) throws Exception {
    usePartnerApi(useBackOffice());
    System.out.println(new GsonBuilder().serializeNulls().create().toJson(seen));
  }

  private static KeyWithSecret useBackOffice() throws Exception {
    bellhop.back_office.ApiClient client = new bellhop.back_office.ApiClient();
    client.setBasePath(System.getenv("BACK_OFFICE"));
    client.setBearerToken(System.getenv("TOKEN"));
    PartnersApi partners = new PartnersApi(client);
    NewPartner wanted = new NewPartner()
        .name("Acme Travel")
        .integrationStartedOn(LocalDate.of(2025, 11, 1))
        .isNew(true);
    Partner made = partners.createPartner(SANDBOX, wanted);
    seen.put("partner_id", made.getId());
    seen.put("name", made.getName());
    seen.put("certified_at", made.getCertifiedAt());
    NewKey newKey = new NewKey().label("Booking engine");
    KeyWithSecret key = new KeysApi(client).createKey(SANDBOX, made.getId(), newKey);
    seen.put("label", key.getLabel());
    GrantList grants = new GrantsApi(client).listGrants(SANDBOX, key.getKeyId());
    seen.put("grants", grants.getItems().size());
    seen.put("next_cursor", grants.getNextCursor());
    NewMidoffice newMidoffice = new NewMidoffice()
        .name("Acme midoffice")
        .url(URI.create(System.getenv("RECEIVER")))
        .signingKeyId(key.getKeyId());
    Midoffice midoffice = new MidofficesApi(client).createMidoffice(SANDBOX, newMidoffice);
    PartnerChanges changes = new PartnerChanges().midofficeId(midoffice.getId());
    partners.updatePartner(SANDBOX, made.getId(), changes);
    OrderEvent event = new OrderEvent()
        .eventId("evt-" + made.getId())
        .type(EventType.CREATED)
        .partnerId(made.getId())
        .partnerOrderId("BK-1");
    EventOutcomes outcomes =
        new OrdersApi(client).reportOrderEvents(SANDBOX, new OrderEvents(event));
    seen.put("outcome", outcomes.getResults().get(0).getOutcome());
    // Optional parameters have no names in Java: limit, cursor, state, midoffice_id, partner_id and others.
    DeliveryPage page = new DeliveriesApi(client).listDeliveries(
        SANDBOX, 10, null, null, null, made.getId(), null, null, null, null, null, null, null, null);
    seen.put("deliveries", page.getItems().stream()
        .map(one -> Arrays.asList(one.getPartnerOrderId(), one.getState(), one.getAgreementNumber()))
        .collect(Collectors.toList()));
    try {
      partners.getPartner(SANDBOX, "nobody");
    } catch (bellhop.back_office.ApiException refused) {
      seen.put("problem", Problem.fromJson(refused.getResponseBody()).getCode());
    }
    return key;
  }

  private static bellhop.partner.ApiClient partnerClient(String address, KeyWithSecret key) {
    bellhop.partner.ApiClient client = new bellhop.partner.ApiClient();
    client.setBasePath(address);
    client.setUsername(key.getKeyId());
    client.setPassword(key.getApiKey());
    return client;
  }

  private static void usePartnerApi(KeyWithSecret key) throws Exception {
    bellhop.partner.ApiClient sandbox = partnerClient(System.getenv("SANDBOX"), key);
    Overview overview = new OverviewApi(sandbox).overviewGet(null);
    seen.put("overview", Arrays.asList(
        overview.getData().size(), overview.getDebug(), overview.getError(), overview.getStatus()));
    Map<String, String> body = Map.of("id", "test_hotel");
    Map<?, ?> echo = (Map<?, ?>) new SearchApi(sandbox).searchHpPost(null, body);
    seen.put("forwarded", ((Map<?, ?>) echo.get("data")).get("body"));
    try {
      new OverviewApi(partnerClient(System.getenv("PRODUCTION"), key)).overviewGet(null);
    } catch (bellhop.partner.ApiException refused) {
      Refused read = Refused.fromJson(refused.getResponseBody());
      seen.put("refused", read.getRefusal().getError().getCode());
    }
  }
}
