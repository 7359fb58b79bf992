import { parseStrictJson } from "../../../proto/strict-json.ts"
import { type Refusal, refuse } from "../../core/refusal.ts"
import { isTemporary, type Outgoing, type Reply, RequestFault, sendRequest } from "../http-request.ts"
import type { Network } from "../network.ts"

/** Origin of a provider's API. `isLocal`: the operator named it, so it may be in their own network. */
export type ProviderOrigin = { url: URL; isLocal: boolean }

/** Origins of the providers' APIs. */
export type OnRampProviders = { moonPay: ProviderOrigin; coinbase: ProviderOrigin }

export type ProviderName = "MoonPay" | "Coinbase"

/** A request to a provider, and the reader of its JSON reply. `absent`: the answer to status 404. */
type ProviderRequest<T> = Pick<Outgoing, "body" | "authorization"> & {
  name: ProviderName
  origin: ProviderOrigin
  /** Path with query. */
  path: string
  absent?: T
  /** Undefined: the reply is not what the provider documents. */
  read: (json: unknown) => T | undefined
}

/**
 * Asks a provider. Its refusal is passed on by its status alone: its text could repeat what was sent.
 *
 * @throws ON_RAMP_REFUSED for a refusal that repeating would not change, else ON_RAMP_UNAVAILABLE
 */
export async function askProvider<T>(request: ProviderRequest<T>, network: Network): Promise<T> {
  const { name, origin, path, body, authorization } = request
  const outgoing: Outgoing = {
    url: new URL(path, origin.url),
    isLocal: origin.isLocal,
    ...(body !== undefined && { body }),
    ...(authorization !== undefined && { authorization }),
  }
  return sendRequest(outgoing, network, (reply) => readReply(reply, request)).catch((error: unknown) => {
    if (!(error instanceof RequestFault)) throw error
    throw unavailable(name, WHY[error.fault], error)
  })
}

const WHY = {
  "not-https": "is not on https",
  "not-public": "is at an address that is not public",
  "too-large": "answers with more than it documents",
  late: "did not answer in time",
  unreachable: "cannot be reached, or its answer was cut off",
} as const

async function readReply<T>(reply: Reply, { name, absent, read }: ProviderRequest<T>): Promise<T> {
  const { status } = reply
  if (status === 404 && absent !== undefined) return absent
  if (status >= 400 && !isTemporary(status)) throw refused(name, status)
  if (status !== 200 && status !== 201) throw unavailable(name, `answers with status ${status}`)
  const answer = read(parsed(await reply.read()))
  if (answer === undefined) throw unavailable(name, "gives an answer that cannot be read")
  return answer
}

function parsed(body: Uint8Array): unknown {
  try {
    return parseStrictJson(Buffer.from(body).toString())
  } catch {
    return undefined
  }
}

function refused(name: ProviderName, status: number): Refusal {
  const hint = status === 401 || status === 403 ? "check the keys of its credential" : "check the purchase"
  return refuse("ON_RAMP_REFUSED", `${name} refuses the request with status ${status}: ${hint}`)
}

export function unavailable(name: ProviderName, why: string, cause?: unknown): Refusal {
  return refuse("ON_RAMP_UNAVAILABLE", `${name} ${why}; send the same body again`, { cause })
}
