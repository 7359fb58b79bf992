import { parseStrictJson } from "../../proto/strict-json.ts"
import {
  type RequestFaultReason,
  type Outgoing,
  type HttpReply,
  RequestFault,
  sendRequest,
} from "./http-request.ts"
import type { Network } from "./network.ts"

/** Origin of a provider's API. `isLocal`: the operator named it, so it may be in their own network. */
export type ProviderOrigin = { url: URL; isLocal: boolean }

/** A request to a provider's API. `path`: with query. */
export type ProviderCall = Omit<Outgoing, "url" | "isLocal"> & { origin: ProviderOrigin; path: string }

/** Readers of a provider's answers. No text of an answer is passed on whole: it could repeat what was sent. */
type Answers<T> = {
  /** @throws Refusal */
  read: (reply: HttpReply) => Promise<T>
  /** The refusal for a request without a usable answer. `why` completes a sentence that begins with the provider. */
  fault: (fault: RequestFaultReason, why: string, cause: RequestFault) => Error
}

/** Asks a provider. @throws the refusals of `answers` */
export async function askProviderApi<T>(
  { origin, path, ...call }: ProviderCall,
  { read, fault }: Answers<T>,
  network: Network,
): Promise<T> {
  const outgoing = { ...call, url: new URL(path, origin.url), isLocal: origin.isLocal }
  return sendRequest(outgoing, network, read).catch((error: unknown) => {
    if (!(error instanceof RequestFault)) throw error
    throw fault(error.fault, WHY[error.fault], error)
  })
}

const WHY: Readonly<Record<RequestFaultReason, string>> = {
  "not-https": "is not on https",
  "not-public": "is at an address that is not public",
  "too-large": "answers with more than it documents",
  late: "did not answer in time",
  unreachable: "cannot be reached, or its answer was cut off",
}

/** The JSON value of a reply; undefined: it is no JSON. @throws RequestFault too-large */
export async function readJsonReply(reply: HttpReply): Promise<unknown> {
  const body = await reply.read()
  try {
    return parseStrictJson(Buffer.from(body).toString())
  } catch {
    return undefined
  }
}
