import { createHmac, type KeyObject } from "node:crypto"
import type { OnRampPurchaseTask } from "../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import type { RandomBytes, Secret } from "../../core/crypto/secret.ts"
import { unopenedKey } from "../../core/fetch-orders/on-ramp-key.ts"
import type { StatedFact } from "../../core/fetch-orders/statement.ts"
import { coinbaseAsset, coinbaseNetwork, isSessionToken } from "../../core/on-ramp/coinbase.ts"
import { moonPayQuery, widgetQuery } from "../../core/on-ramp/moonpay.ts"
import { readIpAddress } from "../../core/organization/ip-block.ts"
import type { Network } from "../network.ts"
import { coinbaseJwt } from "./coinbase-jwt.ts"
import { withOpenKeys } from "./keys.ts"
import type { ProviderOrigin } from "../ask-provider.ts"
import { askProvider, type OnRampProviders, unavailable } from "./provider.ts"

/** Dependencies of a fetcher's on-ramp tasks. */
export type OnRampDeps = {
  onRampKey: KeyObject
  onRampProviders: OnRampProviders
  network: Network
  random: RandomBytes
  nowMs: () => number
}

/** Signs what MoonPay's widget needs, without network; or opens a session at Coinbase. */
export async function startPurchase(
  task: OnRampPurchaseTask,
  clientAddress: string,
  deps: OnRampDeps,
): Promise<StatedFact> {
  if (task.keys === undefined) throw unopenedKey("encryptedSecretApiKey")
  const started = withOpenKeys(task.keys, deps.onRampKey, (open) => {
    if (open.provider === "moonpay") return { signatures: moonPaySignatures(task, open.secretKey) }
    return { authorization: bearer(open, `POST ${PATH}`, deps) }
  })
  if (started.signatures !== undefined) return { case: "onRampPurchase", value: started.signatures }
  const { coinbase: origin } = deps.onRampProviders
  const body = sessionRequest(task, clientAddress)
  const { authorization } = started
  const request = { name: "Coinbase", origin, path: PATH, body, authorization, read: readToken } as const
  return { case: "onRampPurchase", value: { sessionToken: await askProvider(request, deps.network) } }
}

function moonPaySignatures(task: OnRampPurchaseTask, secretKey: Secret) {
  const mac = (text: string) =>
    secretKey.use((key) => Uint8Array.from(createHmac("sha256", key).update(text).digest()))
  const { urlForSignature } = task
  const widgetSignature = urlForSignature === "" ? undefined : mac(widgetQuery(urlForSignature, task))
  return { urlSignature: mac(moonPayQuery(task)), ...(widgetSignature && { widgetSignature }) }
}

const PATH = "/onramp/v1/token"

/** @param request method and path without query */
export function bearer(
  keys: { keyId: string; privateKey: KeyObject },
  request: string,
  { onRampProviders: { coinbase }, nowMs, random }: OnRampDeps,
): string {
  const resource = request.replace(" ", ` ${hostIn(coinbase)}`)
  return `Bearer ${coinbaseJwt(keys, resource, { nowMs: nowMs(), random })}`
}

function hostIn({ url }: ProviderOrigin): string {
  return url.host
}

function sessionRequest(task: OnRampPurchaseTask, clientAddress: string): string {
  if (readIpAddress(clientAddress) === undefined)
    throw unavailable("Coinbase", "needs the buyer's IP address, and the API does not know it")
  return JSON.stringify({
    addresses: [{ address: task.walletAddress, blockchains: [coinbaseNetwork(task)] }],
    assets: [coinbaseAsset(task)],
    clientIp: clientAddress,
  })
}

function readToken(json: unknown): string | undefined {
  const token = (json as { token?: unknown } | null | undefined)?.token
  return typeof token === "string" && isSessionToken(token) ? token : undefined
}
