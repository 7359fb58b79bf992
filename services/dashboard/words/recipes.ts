// The policies of the cookbook (docs/policies-cookbook.md), with slots for the things of an organization.
import { fromWhole } from "./amounts.ts"

type SlotKind =
  | "user"
  | "userTag"
  | "keyTag"
  | "wallet"
  | "contract"
  | "function"
  | "argument"
  | "chain"
  | "control"
/** `amount`: in whole units, of `decimals` digits, or of as many as the slot "decimals" says. */
export type RecipeSlot = { readonly name: string; readonly label: string; readonly hint?: string } & (
  | { readonly kind: SlotKind }
  | { readonly kind: "amount"; readonly decimals?: number; readonly unit: string }
  | { readonly kind: "addresses" | "address" | "number" | "data" | "day" }
)

/** Values by the name of their slot: ids, addresses and names as texts. */
export type SlotValues = { readonly [name: string]: string }

type RecipePolicy = {
  policyName: string
  effect: string
  condition: string
  consensus: string
  time?: string
}

export type Recipe = {
  readonly title: string
  readonly about: string
  readonly slots: readonly RecipeSlot[]
  /** @param named names of the values, for the policy's name */
  readonly policy: (values: SlotValues, named: SlotValues) => RecipePolicy
}

const USER: RecipeSlot = { name: "user", label: "User", kind: "user", hint: "Nobody else may submit it." }
const WALLET: RecipeSlot = { name: "wallet", label: "Wallet", kind: "wallet" }
const CHAIN: RecipeSlot = { name: "chain", label: "Chain", kind: "chain" }
const ETHER: RecipeSlot = { name: "amount", label: "At most", kind: "amount", decimals: 18, unit: "ETH" }

/** A literal of the policy language. @throws {Error} if the text could end it */
export function literal(text: string): string {
  if (/['"\\\n]/.test(text)) throw new Error(`${text} has a quote, a backslash or a line end`)
  return `'${text}'`
}

/** A name or a number outside quotes. @throws {Error} if the text is more than one word */
function word(text = ""): string {
  if (!/^\w+$/.test(text)) throw new Error(`${text} is no name`)
  return text
}

const payments = ({ wallet = "", chain = "" }: SlotValues) =>
  `activity.kind == 'SIGN_TRANSACTION' && wallet.id == ${literal(wallet)} && eth.tx.chain_id == ${word(chain)}`
const byUser = ({ user = "" }: SlotValues) => `approvers.any(u, u.id == ${literal(user)})`
const twoOf = (tag = "") => `approvers.filter(u, u.tags.contains(${literal(tag)})).count() >= 2`
const oneOf = (tag = "") => `approvers.any(u, u.tags.contains(${literal(tag)}))`
const ALLOW = "EFFECT_ALLOW"
const DENY = "EFFECT_DENY"

/** Lines of addresses as a list of literals. */
const listOf = (lines = "") =>
  lines
    .split(/[\s,]+/)
    .filter((line) => line !== "")
    .map(literal)
    .join(", ")

/** The end of a day in UTC, after which a policy no longer applies. */
function afterDay(day = ""): string {
  const DAY_MS = 86_400_000
  return new Date(Date.parse(`${day}T00:00:00Z`) + DAY_MS).toISOString().replace(".000", "")
}

export const RECIPES: readonly Recipe[] = [
  {
    title: "A limit a day",
    about: "A user pays on their own until a velocity control says that the day’s amount is used.",
    slots: [
      USER,
      WALLET,
      CHAIN,
      {
        name: "control",
        label: "Velocity control",
        kind: "control",
        hint: "It counts plain payments, so calls of contracts stay refused.",
      },
    ],
    policy: (values, { user, control }) => ({
      policyName: `${user} pays within ${control}`,
      effect: ALLOW,
      condition: `${payments(values)} && eth.tx.data == '0x' && controls.${word(values["control"])}`,
      consensus: byUser(values),
    }),
  },
  {
    title: "One function of one contract",
    about: "A user calls one function, with an amount up to a limit, and sends no ether along.",
    slots: [
      USER,
      WALLET,
      CHAIN,
      { name: "contract", label: "Contract", kind: "contract" },
      { name: "function", label: "Function", kind: "function" },
      { name: "argument", label: "Argument with the amount", kind: "argument" },
      { name: "decimals", label: "Decimals of the token", kind: "number", hint: "6 for USDC, 18 for most." },
      { name: "amount", label: "At most", kind: "amount", unit: "of the token" },
    ],
    policy: (values, { user, contract, amount }) => ({
      policyName: `${user} transfers at most ${amount} ${contract}`,
      effect: ALLOW,
      condition: `${payments(values)} && eth.tx.to == ${literal(values["contract"] ?? "")} && eth.tx.value == 0 && eth.tx.function_name == ${literal(values["function"] ?? "")} && eth.tx.contract_call_args[${literal(values["argument"] ?? "")}] <= ${fromWhole(values["amount"], Number(values["decimals"]))}`,
      consensus: byUser(values),
    }),
  },
  {
    title: "Known recipients",
    about: "A user pays the addresses of a list, and no others.",
    slots: [USER, WALLET, CHAIN, { name: "addresses", label: "Addresses, one a line", kind: "addresses" }],
    policy: (values, { user }) => ({
      policyName: `${user} pays known recipients`,
      effect: ALLOW,
      condition: `${payments(values)} && eth.tx.data == '0x' && eth.tx.to in [${listOf(values["addresses"])}]`,
      consensus: byUser(values),
    }),
  },
  {
    title: "Alone up to an amount",
    about: "A user pays small amounts alone. Combine it with two approvers for larger ones.",
    slots: [USER, WALLET, CHAIN, ETHER],
    policy: (values, { user, amount }) => ({
      policyName: `${user} pays up to ${amount} ether`,
      effect: ALLOW,
      condition: `${payments(values)} && eth.tx.data == '0x' && eth.tx.value <= ${fromWhole(values["amount"], 18)}`,
      consensus: byUser(values),
    }),
  },
  {
    title: "Two approvers",
    about: "A user asks for payments, and two users with a tag approve each of them.",
    slots: [USER, { name: "tag", label: "Tag of the approvers", kind: "userTag" }, WALLET, CHAIN],
    policy: (values, { tag }) => ({
      policyName: `Two of ${tag} approve payments`,
      effect: ALLOW,
      condition: `${payments(values)} && eth.tx.data == '0x'`,
      consensus: `${byUser(values)} && ${twoOf(values["tag"])}`,
    }),
  },
  {
    title: "Business accounts by tag",
    about: "Users with a tag sign with all private keys of another tag. Guard who may change tags.",
    slots: [
      { name: "keys", label: "Tag of the private keys", kind: "keyTag" },
      { name: "tag", label: "Tag of the users", kind: "userTag" },
    ],
    policy: (values, { tag, keys }) => ({
      policyName: `${tag} sign with ${keys}`,
      effect: ALLOW,
      condition: `activity.action == 'SIGN' && private_key.tags.contains(${literal(values["keys"] ?? "")})`,
      consensus: oneOf(values["tag"]),
    }),
  },
  {
    title: "Users who only read",
    about: "Users with a tag change nothing, not even their own credentials. They can log in.",
    slots: [{ name: "tag", label: "Tag of the users", kind: "userTag" }],
    policy: (values, { tag }) => ({
      policyName: `${tag} change nothing`,
      effect: DENY,
      condition: "activity.resource != 'AUTH'",
      consensus: oneOf(values["tag"]),
    }),
  },
  {
    title: "Delegated access",
    about: "A service makes one call, up to an amount each time, until a last day.",
    slots: [
      USER,
      WALLET,
      CHAIN,
      { name: "to", label: "Contract’s address", kind: "address" },
      { name: "data", label: "Data of the call", kind: "data", hint: "The selector of pay() is 0x1b9265b8." },
      ETHER,
      { name: "day", label: "Last day", kind: "day", hint: "In UTC." },
    ],
    policy: (values, { user, day }) => ({
      policyName: `${user} calls one contract until ${day}`,
      effect: ALLOW,
      condition: `${payments(values)} && eth.tx.to == ${literal(values["to"] ?? "")} && eth.tx.data == ${literal(values["data"] ?? "")} && eth.tx.value <= ${fromWhole(values["amount"], 18)}`,
      consensus: byUser(values),
      time: `time.now < Timestamp('${afterDay(values["day"])}')`,
    }),
  },
  {
    title: "No bare digests",
    about: "Nobody signs 32 bytes whose meaning cannot be read. Some libraries sign messages that way.",
    slots: [],
    policy: () => ({
      policyName: "Nobody signs a bare digest",
      effect: DENY,
      condition:
        "activity.kind in ['SIGN_RAW_PAYLOAD', 'SIGN_RAW_PAYLOADS'] && activity.params.encoding == 'PAYLOAD_ENCODING_HEXADECIMAL' && activity.params.hash_function == 'HASH_FUNCTION_NO_OP'",
      consensus: "",
    }),
  },
  {
    title: "An export needs two",
    about: "Two users with a tag approve each export. A root quorum of one could still export alone.",
    slots: [{ name: "tag", label: "Tag of the approvers", kind: "userTag" }],
    policy: (values, { tag }) => ({
      policyName: `Two of ${tag} export`,
      effect: ALLOW,
      condition: "activity.action == 'EXPORT'",
      consensus: twoOf(values["tag"]),
    }),
  },
]
