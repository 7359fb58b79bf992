// The fetcher's statements that came with an order, opened.
import type { KeyObject } from "node:crypto"
import type {
  FetchedStatement,
  FetchOrder,
  FetchStatement,
} from "../../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { isSignedTagged } from "../../../core/crypto/keyset.ts"
import { isFresh, isTimely, openOrder, openStatement } from "../../../core/fetch-orders/order.ts"
import { refuse } from "../../../core/refusal.ts"
import type { ExecutionDeps } from "../state/deps.ts"
import type { AuthenticatedRequest, StampedRequest } from "../state/request.ts"

/** Statements in one order: more than any request can need. */
const MAX_SUPPLIED = 32

/** A request and the statements that came with its order. */
export type SuppliedSource = {
  request: Pick<StampedRequest, "organizationId" | "fingerprint">
  order: Pick<AuthenticatedRequest["order"], "fetched">
  nowMs: number
}
type Deps = Pick<ExecutionDeps, "keyring" | "codeSequence"> & { fetcherKey: KeyObject }
type Opened = { order: FetchOrder; statement: FetchStatement }

/**
 * The statements that answer orders of this signer for this request. Authentic ones that are too old, or older than one
 * known, are skipped: the fetcher is asked again.
 * @throws REQUEST_TOO_LARGE, STATEMENT_INVALID
 */
export function* suppliedStatements(source: SuppliedSource, deps: Deps): Generator<Opened> {
  const { fetched } = source.order
  if (fetched.length > MAX_SUPPLIED)
    throw refuse("REQUEST_TOO_LARGE", `an order brings at most ${MAX_SUPPLIED} statements`)
  for (const one of fetched) {
    const opened = open(one, source, deps)
    const { order, statement } = opened
    if (isTimely(order, source.nowMs) && isFresh(statement, source.nowMs)) yield opened
  }
}

function open(fetched: FetchedStatement, source: SuppliedSource, deps: Deps): Opened {
  const { notary } = deps.keyring
  const opened = openOrder(fetched.order, (...parts) => notary.verify(...parts))
  if (opened === undefined || !isOf(source, opened.order))
    throw invalid("the order was not made for this request")
  const statement = openStatement(fetched.statement, (tag, bytes, signature) =>
    isSignedTagged(deps.fetcherKey, tag, bytes, signature),
  )
  if (statement === undefined) throw invalid("the paired fetcher did not sign it")
  const isAboutIt = Buffer.compare(statement.orderDigest, opened.digest) === 0
  if (!isAboutIt || statement.organizationId !== source.request.organizationId)
    throw invalid("it is about another order")
  if (statement.stateSequence > 0n) deps.codeSequence.learn(statement.stateSequence)
  return { order: opened.order, statement }
}

function isOf({ request }: SuppliedSource, { organizationId, requestFingerprint }: FetchOrder): boolean {
  const isOfRequest = Buffer.from(requestFingerprint).toString("hex") === request.fingerprint
  return isOfRequest && organizationId === request.organizationId
}

/** The statement was not made for this request, or says what no statement says. */
export function invalid(why: string) {
  return refuse("STATEMENT_INVALID", `a statement of the fetcher cannot be accepted: ${why}`)
}
