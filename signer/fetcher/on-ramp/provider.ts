import { type Refusal, refuse } from "../../core/refusal.ts"
import { askProviderApi, type ProviderCall, type ProviderOrigin, readJsonReply } from "../ask-provider.ts"
import { type RequestFaultReason, isTemporary, type HttpReply, type RequestFault } from "../http-request.ts"
import type { Network } from "../network.ts"

/** Origins of the providers' APIs. */
export type OnRampProviders = { moonPay: ProviderOrigin; coinbase: ProviderOrigin }

export type ProviderName = "MoonPay" | "Coinbase"

/** A request to a provider, and the reader of its JSON reply. `absent`: the answer to status 404. */
type ProviderRequest<T> = Pick<ProviderCall, "origin" | "path" | "body" | "authorization"> & {
  name: ProviderName
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
  const call = {
    origin,
    path,
    ...(body !== undefined && { body }),
    ...(authorization !== undefined && { authorization }),
  }
  const answers = {
    read: (reply: HttpReply) => readReply(reply, request),
    fault: (_fault: RequestFaultReason, why: string, cause: RequestFault) => unavailable(name, why, cause),
  }
  return askProviderApi(call, answers, network)
}

async function readReply<T>(reply: HttpReply, { name, absent, read }: ProviderRequest<T>): Promise<T> {
  const { status } = reply
  if (status === 404 && absent !== undefined) return absent
  if (status >= 400 && !isTemporary(status)) throw refused(name, status)
  if (status !== 200 && status !== 201) throw unavailable(name, `answers with status ${status}`)
  const answer = read(await readJsonReply(reply))
  if (answer === undefined) throw unavailable(name, "gives an answer that cannot be read")
  return answer
}

function refused(name: ProviderName, status: number): Refusal {
  const hint = status === 401 || status === 403 ? "check the keys of its credential" : "check the purchase"
  return refuse("ON_RAMP_REFUSED", `${name} refuses the request with status ${status}: ${hint}`)
}

export function unavailable(name: ProviderName, why: string, cause?: unknown): Refusal {
  return refuse("ON_RAMP_UNAVAILABLE", `${name} ${why}; send the same body again`, { cause })
}
