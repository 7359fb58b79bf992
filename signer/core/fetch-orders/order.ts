import { createHash } from "node:crypto"
import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf"
import {
  type FetchOrder,
  FetchOrderSchema,
  type FetchStatement,
  FetchStatementSchema,
  type SignedFetchOrder,
  SignedFetchOrderSchema,
  type SignedStatement,
} from "../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { type Refusal, refuse } from "../refusal.ts"

/** Domain tag of the notarizer's signature of orders. */
export const ORDER_TAG = "countersign/v1/fetch-order"

/** Lifetime of an order: long enough for a slow issuer, short enough to remember all used orders. */
export const ORDER_LIFETIME_MS = 2 * 60 * 1000

const ID_LENGTH = 16
const FINGERPRINT_LENGTH = 32

export type FetchTask = NonNullable<
  Exclude<MessageInitShape<typeof FetchOrderSchema>["task"], { case: undefined }>
>

/** The request that an order is made for. */
export type RequestRef = { organizationId: string; requestFingerprint: Uint8Array }

/** The reference of an order for no request: the subject is hashed in place of a body, and no body has its fingerprint. */
export function withoutRequest(organizationId: string, subject: Uint8Array): RequestRef {
  return { organizationId, requestFingerprint: createHash("sha256").update(subject).digest() }
}

type Sign = (tag: string, bytes: Uint8Array) => Uint8Array
type Verify = (tag: string, bytes: Uint8Array, signature: Uint8Array) => boolean

/** The signer as it makes an order. `stateSequence`: for tasks on one-time codes, see FetchOrder. */
type OrderMaker = { sign: Sign; random: (length: number) => Uint8Array; stateSequence?: bigint }

export function makeOrder(
  task: FetchTask,
  request: RequestRef,
  nowMs: number,
  { sign, random, stateSequence = 0n }: OrderMaker,
): SignedFetchOrder {
  const order = create(FetchOrderSchema, {
    ...request,
    id: random(ID_LENGTH),
    issuedAtMs: BigInt(nowMs),
    expiresAtMs: BigInt(nowMs + ORDER_LIFETIME_MS),
    task,
    readsRefusals: true,
    stateSequence,
  })
  const bytes = toBinary(FetchOrderSchema, order)
  return create(SignedFetchOrderSchema, { order: bytes, signature: sign(ORDER_TAG, bytes) })
}

/** A signed order with the digest by which statements name it; undefined: forged or incomplete. */
export function openOrder(
  signed: SignedFetchOrder | undefined,
  verify: Verify,
): { order: FetchOrder; digest: Uint8Array } | undefined {
  if (signed === undefined || !verify(ORDER_TAG, signed.order, signed.signature)) return undefined
  // A copy: decoded byte fields are views of their source, which may be a network buffer.
  const bytes = Uint8Array.from(signed.order)
  const order = fromBinary(FetchOrderSchema, bytes)
  const isComplete =
    order.id.length === ID_LENGTH &&
    order.requestFingerprint.length === FINGERPRINT_LENGTH &&
    order.task.case !== undefined
  return isComplete ? { order, digest: createHash("sha256").update(bytes).digest() } : undefined
}

/** True if the order is valid now, by a clock that may differ from its maker's by the leeway. */
export function isTimely({ issuedAtMs, expiresAtMs }: FetchOrder, nowMs: number, leewayMs = 0): boolean {
  const now = BigInt(nowMs)
  return issuedAtMs <= now + BigInt(leewayMs) && now < expiresAtMs
}

/** One refusal for a secret that does not open and for another organization's: callers cannot distinguish them. */
export function unopenedSecret(): Refusal {
  const sentence =
    "the client secret cannot be opened for this organization: seal it anew to the fetcher's encryption key"
  return refuse("CLIENT_SECRET_INVALID", sentence, { field: "parameters.encryptedClientSecret" })
}

/** Refusal of a secret whose sealed text names another organization than the request's. */
export function foreignSecret(): Refusal {
  const sentence =
    "the client secret was sealed for another organization: seal it for this one, countersign seal client-secret"
  return refuse("CLIENT_SECRET_OF_ANOTHER_ORGANIZATION", sentence, {
    field: "parameters.encryptedClientSecret",
  })
}

/** Domain tag of the fetcher's signature of statements. */
export const STATEMENT_TAG = "countersign/v1/fetch-statement"

/** Longest validity of a statement: an issuer's withdrawn key is used no longer than this. */
export const STATEMENT_LIFETIME_MS = 60 * 60 * 1000

/** Tolerated difference between the clocks of fetcher and signer. */
export const CLOCK_LEEWAY_MS = 5 * 60 * 1000

/** A signed statement; undefined: forged. The caller checks that it is fresh and answers its order. */
export function openStatement(
  signed: SignedStatement | undefined,
  verify: Verify,
): FetchStatement | undefined {
  if (signed === undefined || !verify(STATEMENT_TAG, signed.statement, signed.signature)) return undefined
  return fromBinary(FetchStatementSchema, Uint8Array.from(signed.statement))
}

/** End of the statement's validity, Unix milliseconds: its own expiry, bounded by the longest validity. */
export function validUntil({ fetchedAtMs, expiresAtMs }: FetchStatement): number {
  const longest = fetchedAtMs + BigInt(STATEMENT_LIFETIME_MS)
  return Number(expiresAtMs < longest ? expiresAtMs : longest)
}

/** True if the statement is valid now. */
export function isFresh(statement: FetchStatement, nowMs: number): boolean {
  return Number(statement.fetchedAtMs) - CLOCK_LEEWAY_MS <= nowMs && nowMs < validUntil(statement)
}
