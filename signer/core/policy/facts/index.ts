import type { ActivityEntry } from "../../../../proto/catalog.ts"
import { PayloadEncoding } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { Interfaces } from "../../contract-interface/interfaces.ts"
import { PayloadFault } from "../../payload/fault.ts"
import { HashBudget } from "../../payload/typed-data/budget.ts"
import { refuse } from "../../refusal.ts"
import { TransactionFault } from "../../transaction/fault.ts"
import { transactionRefusal } from "../../transaction/refusal.ts"
import { type Members, members, type RootReader, type Value } from "../expression.ts"
import { parametersByType } from "../parameters/index.ts"
import type { Parameters } from "../parameters/shown-parameters.ts"
import { bitcoinTransactionRoot } from "./bitcoin-transaction.ts"
import { ethereumTransactionRoot, sentTransactionRoot } from "./ethereum-transaction.ts"
import type { SendFacts, SendItem } from "./send.ts"
import { solanaTransactionRoot } from "./solana-transaction.ts"
import { tronTransactionRoot } from "./tron-transaction.ts"
import {
  accountValue,
  type Holdings,
  namedHoldings,
  privateKeyValue,
  type SecretFacts,
  secretValue,
  walletValue,
} from "./holdings.ts"
import { authorizationValue, signedAuthorizationValue, typedDataValue } from "./typed-payloads.ts"
import type { Approval, Credential } from "../decision/decision-input.ts"
import type { User } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"

export type FactsInput = {
  activity: ActivityEntry
  parameters: Parameters
  /**
   * Looks up the wallets and keys that the parameters name; called at most once for each signer, and only if a policy
   * reads them. `signer`: undefined for the one that the parameters name.
   */
  holdings: (signer?: string) => Holdings
  interfaces: Interfaces
  /** The transaction of a send, with all its values; called at most once. Absent: the activity sends none. */
  send?: () => SendFacts
}

/** One item of a batch, with its typed payload, secret, transaction or signer, where it has one. */
type Item = {
  holdings: () => Holdings
  payload?: string
  secret?: SecretFacts
  transaction?: SendItem
  index: number
  budget: HashBudget
}

/** Builds one root for an item. Undefined: the activity does not have the root. */
type RootBuilder = (input: FactsInput, item: Item) => Value | undefined

const ROOTS: ReadonlyMap<string, RootBuilder> = new Map<string, RootBuilder>([
  // An activity of the root quorum alone has no kind and shows nothing: neither scopes nor MFA policies can name it.
  ["activity", (input) => (input.activity.kind === "" ? undefined : activityValue(input))],
  ["wallet", (_input, { holdings }) => optional(holdings().wallet, walletValue)],
  ["wallet_account", (_input, { holdings }) => optional(holdings().account, accountValue)],
  ["private_key", (_input, { holdings }) => optional(holdings().privateKey, privateKeyValue)],
  ["wallets", (_input, { holdings }) => holdings().wallets?.map(walletValue)],
  ["secret", (_input, { secret }) => optional(secret, secretValue)],
  [
    "eth.tx",
    (input, { holdings, transaction }) =>
      transaction === undefined
        ? ethereumTransactionRoot(input, holdings)
        : sentTransactionRoot(input, holdings, transaction),
  ],
  ["solana.tx", (input, { transaction }) => solanaTransactionRoot(input, transaction?.solana)],
  ["tron.tx", tronTransactionRoot],
  ["bitcoin.tx", (input, { holdings }) => bitcoinTransactionRoot(input, holdings)],
  ["eth.eip_712", typedPayload(PayloadEncoding.EIP712, typedDataValue)],
  [
    "eth.eip_7702_authorization",
    (input, item) =>
      optional(item.transaction?.undelegation, signedAuthorizationValue) ??
      readAuthorizationPayload(input, item),
  ],
])

const readAuthorizationPayload = typedPayload(PayloadEncoding.EIP7702_AUTHORIZATION, authorizationValue)

/**
 * The roots that conditions read, one reader for each item: several for a batch of typed payloads or of secrets, for the
 * calls of a send and for its signers, else one. Every root
 * asked for is built or refused here; one that the activity does not have is absent.
 * @param roots that some policy reads
 * @throws PAYLOAD_INVALID, DOMAIN_TYPE_ORDER_INVALID, TRANSACTION_INVALID, TRANSACTION_KEY_UNFIT,
 *   BITCOIN_NETWORK_UNKNOWN, the refusals of `holdings`
 */
export function factsOf(input: FactsInput, roots: Iterable<string>): RootReader[] {
  const holdings = once(() => input.holdings())
  const budget = new HashBudget()
  const wanted = [...roots]
  return itemsOf(input, wanted, holdings).map((item, index) => {
    const values = new Map<string, Value>()
    for (const root of wanted) {
      const value = build(root, input, { ...item, index, budget })
      if (value !== undefined) values.set(root, value)
    }
    return (root) => values.get(root)
  })
}

/** Roots that show the transaction of a send, or one of its signers. */
const OF_SENDS = new Set([
  "eth.tx",
  "solana.tx",
  "eth.eip_7702_authorization",
  "wallet",
  "wallet_account",
  "private_key",
])

/** The items that policies tell apart by the roots they read. */
function itemsOf(
  input: FactsInput,
  wanted: readonly string[],
  holdings: () => Holdings,
): Pick<Item, "payload" | "secret" | "transaction" | "holdings">[] {
  if (wanted.includes("secret") && namedHoldings(input.activity, input.parameters).is === "secrets")
    return (holdings().secrets ?? []).map((secret) => ({ secret, holdings }))
  if (input.send === undefined) {
    const isTyped = wanted.some((root) => root.startsWith("eth.eip_"))
    const payloads = isTyped ? payloadsOf(input) : [undefined]
    return payloads.map((payload) => ({ holdings, ...(payload !== undefined && { payload }) }))
  }
  if (!wanted.some((root) => OF_SENDS.has(root))) return [{ holdings }]
  return input.send().map(({ signer, ...transaction }) => {
    const own = signer === undefined ? holdings : once(() => input.holdings(signer))
    return { transaction, holdings: own }
  })
}

/** The root of the time field: one instant for the whole request. */
export function timeFacts(nowMs: number): RootReader {
  const now = BigInt(nowMs)
  return (root) => (root === "time.now" ? now : undefined)
}

function activityValue({ activity, parameters }: FactsInput): Members {
  const { type, kind, resource, action } = activity
  const shown = parametersByType[type.replace("ACTIVITY_TYPE_", "")]?.values?.(parameters) ?? {}
  return members({ type, kind, resource, action, params: members(shown) })
}

function build(root: string, input: FactsInput, item: Item): Value | undefined {
  try {
    return ROOTS.get(root)?.(input, item)
  } catch (cause) {
    if (cause instanceof TransactionFault) throw transactionRefusal(cause)
    if (!(cause instanceof PayloadFault)) throw cause
    const field = "payloads" in input.parameters ? `parameters.payloads[${item.index}]` : "parameters.payload"
    throw refuse(cause.code, `invalid payload encoding: ${cause.message}`, { cause, field })
  }
}

/** The typed payloads of a request to sign; undefined, once, for any other request. */
function payloadsOf({ activity, parameters }: FactsInput): (string | undefined)[] {
  const { encoding, payload, payloads } = parameters
  const isTyped = encoding === PayloadEncoding.EIP712 || encoding === PayloadEncoding.EIP7702_AUTHORIZATION
  if (!isTyped || activity.action !== "SIGN") return [undefined]
  return Array.isArray(payloads) ? payloads.map(String) : [String(payload)]
}

function typedPayload(
  encoding: PayloadEncoding,
  read: (payload: string, budget: HashBudget) => Value,
): RootBuilder {
  return ({ parameters }, { payload, budget }) =>
    payload === undefined || parameters["encoding"] !== encoding ? undefined : read(payload, budget)
}

function optional<From>(from: From | undefined, toValue: (from: From) => Value): Value | undefined {
  return from === undefined ? undefined : toValue(from)
}

/** Makes a value when it is first asked for. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => (made ??= { value: make() }).value
}

/** The roots `approvers` and `credentials`: users who approved and the credentials that stamped, in the same order. */
export function approvalFacts(approvals: readonly Approval[]): RootReader {
  return (root) => {
    if (root === "approvers") return approvals.map(({ user }) => userValue(user))
    if (root === "credentials") {
      return approvals.flatMap(({ user, credentials }) =>
        credentials.map((one) => credentialValue(user, one)),
      )
    }
    return undefined
  }
}

/** Values by user. A user changes only with the organization's version. */
const users = new WeakMap<User, Members>()

function userValue(user: User): Members {
  const known = users.get(user)
  if (known !== undefined) return known
  const value = members({ id: user.userId, tags: user.tagIds, email: user.email, alias: user.name })
  users.set(user, value)
  return value
}

/** Values by credential. A credential belongs to one user. */
const credentials = new WeakMap<Credential, Members>()

function credentialValue({ userId }: User, credential: Credential): Members {
  const known = credentials.get(credential)
  if (known !== undefined) return known
  const { id, type, credentialId, publicKey } = credential
  const value = members({ id, user_id: userId, type, credential_id: credentialId, public_key: publicKey })
  credentials.set(credential, value)
  return value
}
