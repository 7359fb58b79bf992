import type { ActivityEntry } from "../../../../proto/catalog.ts"
import { PayloadEncoding } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { PayloadFault } from "../../payload/fault.ts"
import { Effort } from "../../payload/typed-data/effort.ts"
import { refuse } from "../../refusal.ts"
import type { Environment, Value } from "../expression.ts"
import { activityValue, type Parameters } from "./activity.ts"
import { authorizationValue } from "./eip-7702.ts"
import { typedDataValue } from "./eip-712.ts"
import { accountValue, type Holdings, privateKeyValue, walletValue } from "./holdings.ts"

/** What there is to know of an activity. */
export type Subject = {
  activity: ActivityEntry
  parameters: Parameters
  /** Looks up what the parameters name; called at most once, and only where a policy reads it. */
  holdings: () => Holdings
}

/** A part of a request: one payload of several; undefined: there is none that is typed. */
type Part = { holdings: () => Holdings; payload: string | undefined; index: number; effort: Effort }

/** Builds one root for a part of a request; undefined: there is no such root. */
type Root = (subject: Subject, part: Part) => Value | undefined

const ROOTS: ReadonlyMap<string, Root> = new Map<string, Root>([
  // Of what the root quorum alone may do, nothing is shown: neither scopes nor MFA policies speak of it.
  [
    "activity",
    ({ activity, parameters }) => (activity.kind === "" ? undefined : activityValue(activity, parameters)),
  ],
  ["wallet", (_subject, { holdings }) => ifThere(holdings().wallet, walletValue)],
  ["wallet_account", (_subject, { holdings }) => ifThere(holdings().account, accountValue)],
  ["private_key", (_subject, { holdings }) => ifThere(holdings().privateKey, privateKeyValue)],
  ["wallets", (_subject, { holdings }) => holdings().wallets?.map(walletValue)],
  ["eth.eip_712", typed(PayloadEncoding.EIP712, typedDataValue)],
  ["eth.eip_7702_authorization", typed(PayloadEncoding.EIP7702_AUTHORIZATION, authorizationValue)],
])

/**
 * What conditions see of an activity. Of a batch each part is seen by itself, and what holds for the batch must hold
 * for each: several of them, else one. Every root that is asked for is built here or refused here, so that none is
 * missing later because something could not be gathered; a root that the activity does not have is absent.
 *
 * @param roots that some policy reads
 * @throws PAYLOAD_INVALID, and what `holdings` throws
 */
export function factsOf(subject: Subject, roots: Iterable<string>): Environment[] {
  const holdings = once(subject.holdings)
  const effort = new Effort()
  const asked = [...roots]
  const isTyped = asked.some((root) => root.startsWith("eth.eip_"))
  const payloads = isTyped ? payloadsOf(subject) : [undefined]
  return payloads.map((payload, index) => {
    const values = new Map<string, Value>()
    for (const root of asked) {
      const value = build(root, subject, { holdings, payload, index, effort })
      if (value !== undefined) values.set(root, value)
    }
    return (root) => values.get(root)
  })
}

function build(root: string, subject: Subject, part: Part): Value | undefined {
  try {
    return ROOTS.get(root)?.(subject, part)
  } catch (cause) {
    if (!(cause instanceof PayloadFault)) throw cause
    const field =
      "payloads" in subject.parameters ? `parameters.payloads[${part.index}]` : "parameters.payload"
    throw refuse("PAYLOAD_INVALID", `invalid payload encoding: ${cause.message}`, { cause, field })
  }
}

/** The payloads of a request to sign typed data, each by itself; of any other request one that is none. */
function payloadsOf({ activity, parameters }: Subject): (string | undefined)[] {
  const { encoding, payload, payloads } = parameters
  const isTyped = encoding === PayloadEncoding.EIP712 || encoding === PayloadEncoding.EIP7702_AUTHORIZATION
  if (!isTyped || activity.action !== "SIGN") return [undefined]
  return Array.isArray(payloads) ? payloads.map(String) : [String(payload)]
}

function typed(encoding: PayloadEncoding, read: (payload: string, effort: Effort) => Value): Root {
  return ({ parameters }, { payload, effort }) =>
    payload === undefined || parameters["encoding"] !== encoding ? undefined : read(payload, effort)
}

function ifThere<From>(value: From | undefined, show: (value: From) => Value): Value | undefined {
  return value === undefined ? undefined : show(value)
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => (made ??= { value: make() }).value
}
