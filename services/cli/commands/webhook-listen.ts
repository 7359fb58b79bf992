import { createPublicKey, type KeyObject, randomUUID, verify } from "node:crypto"
import { once } from "node:events"
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { readHex } from "../../../signer/core/encodings.ts"
import { commandText, shownId } from "../../../signer/core/command-text.ts"
import { webhookInput, WEBHOOK_KEYS_PATH } from "../../../signer/core/webhook/statement.ts"
import { get } from "../../terminal-client/api-client.ts"
import { resultOf } from "../../terminal-client/changes/change.ts"
import type { Stamping } from "../../terminal-client/changes/stamping.ts"
import type { ActivityJson } from "../../terminal-client/api-client.ts"
import { Directory } from "../../terminal-client/names/resolve.ts"
import { CliError, ExitCode, usage } from "../../terminal-client/exit.ts"
import { endpointsOf, submitWebhookChange } from "./webhook-endpoints.ts"

export type WebhookListenOptions = { forwardTo?: string; port?: string; event?: string[]; json?: boolean }

type Keys = ReadonlyMap<string, KeyObject>

/** Largest notification; time within which the program that gets forwarded events has to answer. */
const MAX_BODY_BYTES = 16 * 1024 * 1024
const FORWARD_TIMEOUT_MS = 8_000

/** Receivers refuse signatures of another time. */
const MAX_AGE_MS = 5 * 60 * 1000

/**
 * Receives the organization's events on this host: an endpoint is added, and deleted at the signal. Prints each verified
 * event, and with `forwardTo` forwards it and returns that program's answer.
 */
export async function listen(
  options: WebhookListenOptions,
  context: Stamping,
  signal: AbortSignal,
): Promise<void> {
  const { forwardTo, event = ["ACTIVITY_UPDATES"] } = options
  if (forwardTo !== undefined && !URL.canParse(forwardTo))
    throw usage(`--forward-to ${forwardTo}: not a URL; use http:// or https:// with a host`)
  const keys = await readKeys(context)
  const server = createServer((request, response) => {
    receive(request, response, { keys, forwardTo, options, context }).catch(() =>
      response.writeHead(500).end(),
    )
  })
  server.listen(readPort(options.port), "127.0.0.1")
  await once(server, "listening").catch((cause: unknown) => {
    throw new CliError(ExitCode.fault, `cannot listen: ${(cause as Error).message}`, { cause })
  })
  const url = `http://localhost:${(server.address() as AddressInfo).port}/`
  try {
    const subscriptions = event.map((eventType) => ({ eventType: eventType.toUpperCase() }))
    // A name that no other endpoint has: the endpoint's id is found by it in the signed document.
    const name = `countersign webhook listen ${randomUUID()}`
    const endpoint = { name, url, subscriptions }
    const before = new Set((await endpointsOf(context)).map((one) => one.endpointId))
    // Always new requests: an earlier one is for a port that may be another program's by now.
    const isNew = { again: true }
    const activity = await submitWebhookChange("create_webhook_endpoint", endpoint, isNew, context)
    if (activity === undefined) return
    const endpointId = await idOfOwn(activity, { name, before }, context)
    context.terminal.log(`listening at ${url} as endpoint ${endpointId}; Ctrl-C deletes it`)
    if (!signal.aborted) await once(signal, "abort")
    await submitWebhookChange("delete_webhook_endpoint", { endpointId }, isNew, context)
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

/**
 * The id of the endpoint that was just made, for its deletion. The API states it and could name another endpoint: with pins the
 * signed document decides; without pins, it must at least be new.
 *
 * @throws {CliError} verificationFailed: the stated id is another endpoint's
 */
async function idOfOwn(
  activity: ActivityJson,
  { name, before }: { name: string; before: ReadonlySet<string> },
  context: Stamping,
): Promise<string> {
  const stated = shownId(resultOf(activity)["endpointId"], "")
  const known = await new Directory(context, context.pinsFile).idOf("webhook-endpoint", name)
  if (stated !== "" && stated === known && !before.has(stated)) return stated
  throw new CliError(ExitCode.verificationFailed, [
    `the API answered with ${stated === "" ? "no endpoint id" : `endpoint ${stated}`}, which is not the one that was made: nothing is deleted`,
    commandText`To delete the one that was made: countersign webhook delete ${name}`,
  ])
}

type Receiving = {
  keys: Keys
  forwardTo: string | undefined
  options: WebhookListenOptions
  context: Stamping
}

async function receive(
  request: IncomingMessage,
  response: ServerResponse,
  { keys, forwardTo, options, context: { terminal } }: Receiving,
): Promise<void> {
  const body = await readBody(request)
  const isGenuine = body !== undefined && isSigned(request.headers, body, keys)
  if (!isGenuine) {
    terminal.log("refused a request without a fresh signature of this deployment")
    response.writeHead(401).end()
    return
  }
  const status = forwardTo === undefined ? 200 : await forward(forwardTo, request.headers, body)
  const { headers } = request
  const event = {
    eventId: String(headers["x-turnkey-event-id"]),
    eventType: String(headers["x-turnkey-event-type"]),
    body: JSON.parse(body.toString()) as { [member: string]: unknown },
  }
  if (options.json) terminal.print(JSON.stringify({ ...event, ...(forwardTo !== undefined && { status }) }))
  else terminal.print(lineOf(event) + (forwardTo === undefined ? "" : `  -> ${status}`))
  response.writeHead(status).end()
}

/** The program's answer; 502 if there is none, so that the event is sent again. */
async function forward(url: string, headers: IncomingHttpHeaders, body: Buffer): Promise<number> {
  const own = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    (name.startsWith("x-turnkey-") || name === "content-type") && typeof value === "string"
      ? [[name, value]]
      : [],
  )
  const request = {
    method: "POST",
    headers: Object.fromEntries(own),
    body: new Uint8Array(body),
    redirect: "manual",
  } as const
  const signal = AbortSignal.timeout(FORWARD_TIMEOUT_MS)
  return fetch(url, { ...request, signal }).then(
    ({ status }) => status,
    () => 502,
  )
}

function isSigned(headers: IncomingHttpHeaders, body: Buffer, keys: Keys): boolean {
  const header = (name: string) => String(headers[`x-turnkey-${name}`] ?? "")
  const [keyId, timestamp, eventId] = [header("signature-key-id"), header("timestamp"), header("event-id")]
  const key = keys.get(keyId)
  if (key === undefined || !/^\d{1,15}$/.test(timestamp)) return false
  if (Math.abs(Date.now() - Number(timestamp)) > MAX_AGE_MS) return false
  const input = webhookInput({ keyId, timestampMs: BigInt(timestamp), eventId }, body)
  return verify(null, input, key, readHex(header("signature")))
}

async function readKeys({ client }: Stamping): Promise<Keys> {
  const { keys } = (await get(client, WEBHOOK_KEYS_PATH)) as {
    keys: { kid: string; kty: string; crv: string; x: string }[]
  }
  return new Map(
    keys.map(({ kid, kty, crv, x }) => [kid, createPublicKey({ key: { kty, crv, x }, format: "jwk" })]),
  )
}

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length
    if (length > MAX_BODY_BYTES) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts)
}

/** @throws {CliError} usage */
function readPort(text = "0"): number {
  const port = Number(text)
  if (/^\d+$/.test(text) && port <= 65_535) return port
  throw usage(`--port ${text}: not a port; use 1 to 65535`)
}

function lineOf({
  eventId,
  eventType,
  body,
}: {
  eventId: string
  eventType: string
  body: { [member: string]: unknown }
}) {
  const { status } = (body["msg"] ?? body) as { status?: string }
  return [eventId, eventType, String(body["type"]), ...(status === undefined ? [] : [status])].join("  ")
}
