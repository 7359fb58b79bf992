// Receives webhooks. A receiver is started on this host and registered as an endpoint. A test and a signed message cause
// notifications, which the published verifier verifies. In production the receiver has a public https URL.
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { buffer } from "node:stream/consumers"
import { verifyTurnkeyWebhookSignature } from "@turnkey/crypto"
import { Turnkey } from "@turnkey/sdk-server"
import { explain, fail, need } from "./development-values.ts"
import { done, expect, step } from "./steps.ts"

const PATIENCE_MS = 30_000

type Event = { type: string; id: string }
type KeySet = { keys: { kid: string; x: string }[] }

const client = new Turnkey({
  apiBaseUrl: need("BASE_URL"),
  apiPublicKey: need("API_PUBLIC_KEY"),
  apiPrivateKey: need("API_PRIVATE_KEY"),
  defaultOrganizationId: need("ORGANIZATION_ID"),
}).apiClient()

// The keys change only with the deployment: a receiver may keep them for a day.
const keySet = await fetch(`${need("BASE_URL")}/public/v1/discovery/webhooks/jwks`).catch(explain)
const { keys } = (await keySet.json()) as KeySet
const verificationKeys = keys.map(({ kid, x }) => ({
  keyId: kid,
  publicKey: Buffer.from(x, "base64url").toString("hex"),
}))

// Attempts may come twice, with one event id: an event that was handled is answered and ignored.
const handled = new Set<string>()
const events: Event[] = []
const receiver = createServer((request, response) => void receive(request, response)).listen(0, "localhost")
await once(receiver, "listening")
const url = `http://localhost:${(receiver.address() as AddressInfo).port}/events`

const { endpointId } = await submit<{ endpointId: string }>("create_webhook_endpoint", {
  name: "example",
  url,
  subscriptions: [{ eventType: "ACTIVITY_UPDATES" }],
})
step("endpoint that gets activities", url)
await submit("send_webhook_test_event", { endpointId })
await client.signRawPayload({
  signWith: need("SIGN_WITH"),
  payload: "pay the supplier",
  encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
  hashFunction: "HASH_FUNCTION_KECCAK256",
})
for (const type of ["webhook:test", "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2"]) await received(type)

// A request that the service did not send has no signature of its key.
const forged = await fetch(url, { method: "POST", body: '{"type":"webhook:test"}' })
expect("a request without signature is refused", forged.status === 401)
await submit("delete_webhook_endpoint", { endpointId })
receiver.close()
receiver.closeAllConnections()
done()

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  // The raw bytes are verified before they are parsed.
  const body = await buffer(request)
  const { headers } = request
  const verdict = verifyTurnkeyWebhookSignature({
    headers,
    body,
    verificationKeys,
    maxTimestampAgeMs: 300_000,
  })
  if (!verdict.ok) {
    response.writeHead(401).end()
    return
  }
  if (!handled.has(verdict.eventId)) {
    handled.add(verdict.eventId)
    const { type } = JSON.parse(body.toString()) as { type: string }
    events.push({ type, id: verdict.eventId })
    step("verified event", type)
  }
  response.writeHead(204).end()
}

/** Sends an activity, stamped by the client, and returns its result. */
async function submit<Result>(path: string, parameters: object): Promise<Result> {
  const request = {
    type: `ACTIVITY_TYPE_${path.toUpperCase()}`,
    timestampMs: String(Date.now()),
    organizationId: need("ORGANIZATION_ID"),
    parameters,
  }
  const { activity } = (await client.request(`/public/v1/submit/${path}`, request).catch(explain)) as {
    activity: { result: { [name: string]: Result } }
  }
  return Object.values(activity.result)[0] as Result
}

async function received(type: string): Promise<void> {
  const giveUp = performance.now() + PATIENCE_MS
  while (!events.some((event) => event.type === type)) {
    if (performance.now() > giveUp) fail(`no ${type} came: is the worker of \`npm start\` running?`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
