import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { CodeStore } from "../../signer/fetcher/codes/store.ts"
import { type MessageDelivery, deliveryOf } from "../../signer/fetcher/delivery/delivery.ts"
import { Histogram, RefusalCounts } from "../../signer/process/figures.ts"
import { runFetchOrder, type Fetcher } from "../../signer/fetcher/fetch.ts"
import { type FetcherIdentity, identityOf } from "../../signer/fetcher/identity.ts"
import type { Oauth2Origins } from "../../signer/fetcher/oauth2/providers.ts"
import type { OnRampProviders } from "../../signer/fetcher/on-ramp/provider.ts"
import { type Network, internet } from "../../signer/fetcher/network.ts"
import { UsedOrders } from "../../signer/fetcher/used-orders.ts"
import { makeOrder, type FetchTask } from "../../signer/core/fetch-orders/order.ts"
import { type KeySet, openKeySet, readPublicKeySet, signTagged } from "../../signer/core/crypto/keyset.ts"
import { Secret } from "../../signer/core/crypto/secret.ts"
import {
  FetchRequestSchema,
  type SignedFetchOrder,
} from "../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { create } from "@bufbuild/protobuf"

export function newKeySet(): KeySet {
  return openKeySet(Secret.moveFrom(randomBytes(32)))
}

/** Origins at which nothing listens. */
const nothing = { url: new URL("http://127.0.0.1:1"), isLocal: true }
const NOWHERE: OnRampProviders & Oauth2Origins = {
  moonPay: nothing,
  coinbase: nothing,
  x: nothing,
  discord: nothing,
}

/** Keys of a fetcher with a seed of its own. */
export function newIdentity(): FetcherIdentity {
  return identityOf(Secret.moveFrom(randomBytes(32)))
}

/** A real fetcher in this process, paired with the signer of `notarizerPublicKey`. */
export function newFetcher(
  notarizerPublicKey: string | undefined,
  nowMs: () => number,
  changes: {
    issuers?: string[]
    network?: Network
    identity?: FetcherIdentity
    onRampProviders?: OnRampProviders
    oauth2Origins?: Oauth2Origins
    codes?: CodeStore
    delivery?: MessageDelivery
    sandboxContacts?: boolean
  } = {},
): Fetcher {
  const identity = changes.identity ?? newIdentity()
  return {
    ...identity,
    codes: changes.codes ?? CodeStore.open(newStoreFile(), identity.codeKeys.store),
    delivery: changes.delivery ?? deliveryOf(undefined, undefined),
    sandboxContacts: changes.sandboxContacts ?? false,
    witness: undefined,
    notarizer: notarizerPublicKey === undefined ? undefined : readPublicKeySet(notarizerPublicKey),
    egress: { issuers: new Set<string>(), localIssuers: new Set(changes.issuers) },
    onRampProviders: changes.onRampProviders ?? NOWHERE,
    oauth2Origins: changes.oauth2Origins ?? NOWHERE,
    network: changes.network ?? internet,
    usedOrders: new UsedOrders(),
    startedMs: nowMs() - 1,
    seconds: new Histogram(),
    refusals: new RefusalCounts(),
    nowMs,
    random: (length) => randomBytes(length),
  }
}

const directories: string[] = []
process.on("exit", () => directories.forEach((path) => rmSync(path, { recursive: true, force: true })))

/** A file for a store of one-time codes, removed when the tests end. */
export function newStoreFile(): string {
  const directory = mkdtempSync(join(tmpdir(), "cs-codes-"))
  directories.push(directory)
  return join(directory, "codes.sqlite")
}

/** Relays an order as the API tier does. */
export function relay(order: SignedFetchOrder, fetcher: Fetcher, clientAddress = "") {
  return runFetchOrder(create(FetchRequestSchema, { order, clientAddress }), fetcher)
}

/** An order as the holder of this key set would sign it. */
export function orderBy(
  keySet: KeySet,
  task: FetchTask,
  nowMs: number,
  changes: object = {},
): SignedFetchOrder {
  const errand = {
    organizationId: "0199aaaa-0000-7000-8000-000000000000",
    requestFingerprint: new Uint8Array(32),
  }
  const sign = (tag: string, bytes: Uint8Array) => signTagged(keySet, tag, bytes)
  return makeOrder(task, { ...errand, ...changes }, nowMs, { sign, random: (length) => randomBytes(length) })
}
