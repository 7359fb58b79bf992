import { valueOf } from "../harness/api-client.ts"
import type { Actors, ReplayCase } from "./replay-case.ts"
import { asRoot } from "./setup.ts"

/** Endpoints of webhooks. */
export const webhookReplayCases: { [type: string]: (actors: Actors) => Promise<Omit<ReplayCase, "type">> } = {
  CREATE_WEBHOOK_ENDPOINT: async () => ({
    first: endpoint("one"),
    second: endpoint("two"),
    harm: "a deleted endpoint gets events again",
  }),
  UPDATE_WEBHOOK_ENDPOINT: async (actors) => {
    const endpointId = await created(actors, "one")
    return {
      first: { endpointId, url: "https://old.example.com/" },
      second: { endpointId, url: "https://new.example.com/" },
      harm: "a replaced URL gets events again",
    }
  },
  DELETE_WEBHOOK_ENDPOINT: async (actors) => ({
    first: { endpointId: await created(actors, "one") },
    second: { endpointId: await created(actors, "two") },
    harm: "an endpoint is deleted twice",
  }),
  REDELIVER_WEBHOOK_DELIVERIES: async (actors) => ({
    first: { endpointId: await created(actors, "one"), deliveryIds: [] },
    second: { endpointId: await created(actors, "two"), deliveryIds: [] },
    harm: "a receiver gets all its dead notifications a second time",
  }),
  SEND_WEBHOOK_TEST_EVENT: async (actors) => ({
    first: { endpointId: await created(actors, "one") },
    second: { endpointId: await created(actors, "two") },
    harm: "a receiver gets a second test",
  }),
}

function endpoint(name: string) {
  const subscriptions = [{ eventType: "ACTIVITY_UPDATES" }]
  return { name, url: `https://${name}.example.com/hook`, subscriptions }
}

async function created({ fixture, acme }: Actors, name: string): Promise<string> {
  const { submit } = asRoot({ client: fixture.client, acme })
  const outcome = await submit("CREATE_WEBHOOK_ENDPOINT", endpoint(name))
  return valueOf(outcome, "createWebhookEndpointResult").endpointId
}
