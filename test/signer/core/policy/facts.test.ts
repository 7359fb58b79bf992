import { NO_INTERFACES } from "../../../../signer/core/contract-interface/interfaces.ts"
import t from "tap"
import { activityTypes } from "../../../../proto/catalog.ts"
import { PayloadEncoding } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { compile, evaluate, Budget } from "../../../../signer/core/policy/expression.ts"
import { factsOf } from "../../../../signer/core/policy/facts/index.ts"
import type { Holdings } from "../../../../signer/core/policy/facts/holdings.ts"

type Given = { type?: string; parameters?: { [name: string]: unknown }; holdings?: Holdings }

/** A condition's value, or the reason of its fault. */
function condition(text: string, { type = "SIGN_RAW_PAYLOAD_V2", parameters = {}, holdings = {} }: Given) {
  const compiled = compile(text, "condition")
  const activity = activityTypes.get(`ACTIVITY_TYPE_${type}`)!
  const [facts] = factsOf(
    { activity, parameters, holdings: () => holdings, interfaces: NO_INTERFACES },
    compiled.roots,
  )
  const answer = evaluate(compiled, facts!, new Budget())
  return "value" in answer ? answer.value : answer.fault.reason
}

const ID = "0198c0de-0000-7000-8000-0000000000aa"
const cold = { id: ID, label: "cold", imported: false, exported: true }
const typedData = (message: object, members: object[], domain: object = {}) => ({
  encoding: PayloadEncoding.EIP712,
  payload: JSON.stringify({ types: { Thing: members }, primaryType: "Thing", domain, message }),
})
const authorization = {
  encoding: PayloadEncoding.EIP7702_AUTHORIZATION,
  payload: JSON.stringify({ address: `0x${"ab".repeat(20)}`, chainId: 1, nonce: 7 }),
}
/** An export of one secret with these properties. */
const exporting = (properties: { [key: string]: string }): Given => ({
  type: "EXPORT_SECRETS",
  parameters: { secrets: [{ secretId: ID }] },
  holdings: { secrets: [{ properties: Object.entries(properties).map(([key, value]) => ({ key, value })) }] },
})
const ROWS: readonly [text: string, given: Given, expected: boolean | string][] = [
  ["activity.type == 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2'", {}, true],
  [
    "activity.kind == 'SIGN_RAW_PAYLOAD' && activity.resource == 'PRIVATE_KEY' && activity.action == 'SIGN'",
    {},
    true,
  ],
  [
    "activity.params.encoding == 'PAYLOAD_ENCODING_HEXADECIMAL'",
    { parameters: { encoding: PayloadEncoding.HEXADECIMAL } },
    true,
  ],
  ["activity.params.hash_function == 'HASH_FUNCTION_NO_OP'", { parameters: { hashFunction: 1 } }, true],
  ["activity.params.user_id == 'x'", {}, "missing-field"],
  [
    `'${ID}' in activity.params.user_ids`,
    { type: "DELETE_USERS", parameters: { userIds: [ID.toUpperCase()] } },
    true,
  ],
  ["activity.params.user_ids.count() == 1", { type: "DELETE_USERS", parameters: { userIds: [ID] } }, true],
  [
    `activity.params.user_id == '${ID}' && activity.params.api_key_ids.all(k, k == 'k')`,
    { type: "DELETE_API_KEYS", parameters: { userId: ID.toUpperCase(), apiKeyIds: ["K"] } },
    true,
  ],
  [`activity.params.user_id == '${ID}'`, { type: "CREATE_API_KEYS_V2", parameters: { userId: ID } }, true],
  [
    "activity.params.target_public_key == '04ff'",
    { type: "EXPORT_WALLET", parameters: { targetPublicKey: "04ff" } },
    true,
  ],
  [`activity.params.wallet_id == '${ID}'`, { type: "UPDATE_WALLET", parameters: { walletId: ID } }, true],
  ["activity.params.session_profile_id == ''", { type: "STAMP_LOGIN" }, true],
  [
    `activity.params.session_profile_id == '${ID}'`,
    { type: "DELETE_SESSION_PROFILE", parameters: { sessionProfileId: ID.toUpperCase() } },
    true,
  ],
  ["wallet.id == 'x'", {}, "missing-root"],
  [
    `wallet.id == '${ID}' && wallet.label == 'cold' && wallet.exported && !wallet.imported`,
    { holdings: { wallet: cold } },
    true,
  ],
  ["wallet_account.address == '0xAb'", { holdings: { account: { address: "0xAb" } } }, true],
  ["wallet_account.address == '0xab'", { holdings: { account: { address: "0xAb" } } }, false],
  ["wallet_account.path_indexes[0] == 44", { holdings: { account: { address: "0xAb" } } }, "missing-field"],
  [
    "wallet_account.path_indexes[1] == 60 && wallet_account.path_hardened[0] && !wallet_account.path_hardened[1]",
    {
      type: "EXPORT_WALLET_ACCOUNT",
      holdings: {
        account: {
          address: "x",
          path: [
            { index: 44, hardened: true },
            { index: 60, hardened: false },
          ],
        },
      },
    },
    true,
  ],
  [
    "private_key.tags.contains('t') && private_key.label == 'cold'",
    { holdings: { privateKey: { ...cold, tags: ["t"] } } },
    true,
  ],
  [
    "wallets.all(w, w.exported) && wallets.count() == 2",
    { type: "DELETE_WALLETS", holdings: { wallets: [cold, cold] } },
    true,
  ],
  ["eth.eip_712.primary_type == 'Thing'", {}, "missing-root"],
  [
    "eth.eip_712.primary_type == 'Thing' && eth.eip_712.domain.name == '' && eth.eip_712.domain.version == '' && eth.eip_712.domain.chain_id == 0",
    { parameters: typedData({}, []) },
    true,
  ],
  [
    "eth.eip_712.domain.chain_id == 137 && eth.eip_712.domain.name == 'Coin'",
    { parameters: typedData({}, [], { name: "Coin", chainId: "0x89" }) },
    true,
  ],
  [
    `eth.eip_712.domain.verifying_contract == '0x${"AB".repeat(20)}'`,
    { parameters: typedData({}, [], { verifyingContract: `0x${"ab".repeat(20)}` }) },
    true,
  ],
  [
    "eth.eip_712.message['to'] == '0xABAB'",
    { parameters: typedData({ to: "0xabab" }, [{ name: "to", type: "bytes2" }]) },
    true,
  ],
  [
    "eth.eip_712.message['to'] == '0xABAB'",
    { parameters: typedData({ to: "0xabab" }, [{ name: "to", type: "string" }]) },
    false,
  ],
  [
    "eth.eip_712.message['value'] > 5",
    { parameters: typedData({ value: 6 }, [{ name: "value", type: "uint256" }]) },
    true,
  ],
  [
    "eth.eip_712.message['value'] > 5",
    { parameters: typedData({ value: "6" }, [{ name: "value", type: "uint256" }]) },
    true,
  ],
  [
    "eth.eip_712.message['value'] > 5",
    { parameters: typedData({ value: "6" }, [{ name: "value", type: "string" }]) },
    "type-mismatch",
  ],
  [
    "eth.eip_712.message['value'] == '6'",
    { parameters: typedData({ value: "6" }, [{ name: "value", type: "uint256" }]) },
    true,
  ],
  ["eth.eip_712.message['hidden'] == 6", { parameters: typedData({ hidden: 6 }, []) }, "missing-key"],
  [
    "eth.eip_712.message['list'].all(i, i == true)",
    { parameters: typedData({ list: [true, true] }, [{ name: "list", type: "bool[]" }]) },
    true,
  ],
  [
    "eth.eip_7702_authorization.address == '0xabababababababababababababababababababab' && eth.eip_7702_authorization.chain_id == 1 && eth.eip_7702_authorization.nonce == 7",
    { parameters: authorization },
    true,
  ],
  [`eth.eip_7702_authorization.address == '0x${"AB".repeat(20)}'`, { parameters: authorization }, true],
  ["eth.eip_7702_authorization.nonce == 7", { parameters: typedData({}, []) }, "missing-root"],
  ["secret.static_properties['kind'] == 'card'", exporting({ kind: "card" }), true],
  ["secret.static_properties['kind'] == 'card'", exporting({ kind: "Card" }), false],
  ["secret.static_properties['kind'] == 'card'", exporting({ scope: "card" }), "missing-key"],
  ["secret.static_properties['__proto__'] == 'card'", exporting({}), "missing-key"],
  ["secret.static_properties['kind'] == 'card'", {}, "missing-root"],
  [
    "secret.static_properties['kind'] == 'card'",
    { ...exporting({ kind: "card" }), type: "DELETE_SECRETS" },
    "missing-root",
  ],
]

for (const [text, given, expected] of ROWS) {
  t.test(`${text}: ${expected}`, async (t) => {
    t.equal(condition(text, given), expected)
  })
}

t.test("a payload that cannot be read is refused, and its root is not missing", async (t) => {
  const broken: [payload: string, why: RegExp][] = [
    ["{}", /has no types/],
    [typedData({}, [{ name: "to", type: "address" }]).payload, /message\.to is missing/],
    [typedData({ to: null }, [{ name: "to", type: "address" }]).payload, /message\.to is no address/],
    [typedData({ to: 1.5 }, [{ name: "to", type: "uint8" }]).payload, /message\.to is no uint8/],
    [typedData({ to: 1 }, [{ name: "to", type: "uint8[]" }]).payload, /message\.to is no list/],
    [typedData({}, [], { name: 1 }).payload, /domain\.name is no string/],
  ]
  for (const [payload, why] of broken) {
    const read = () =>
      condition("eth.eip_712.primary_type == 'x'", {
        parameters: { encoding: PayloadEncoding.EIP712, payload },
      })
    t.throws(read, { code: "PAYLOAD_INVALID", message: why, field: "parameters.payload" })
  }
  const payloads = [typedData({}, []).payload, "{}"]
  const parameters = { encoding: PayloadEncoding.EIP712, payloads }
  const read = () => condition("eth.eip_712.primary_type == 'x'", { type: "SIGN_RAW_PAYLOADS", parameters })
  t.throws(read, { code: "PAYLOAD_INVALID", field: "parameters.payloads[1]" })
})

t.test("an export of secrets has one item for each where a policy reads them, else one", async (t) => {
  const activity = activityTypes.get("ACTIVITY_TYPE_EXPORT_SECRETS")!
  const kinds = ["card", "token", "card"]
  const parameters = { secrets: kinds.map(() => ({ secretId: ID })) }
  const holdings = () => ({ secrets: kinds.map((value) => ({ properties: [{ key: "kind", value }] })) })
  const input = { activity, parameters, holdings, interfaces: NO_INTERFACES }
  const compiled = compile("secret.static_properties['kind'] == 'card'", "condition")
  const values = factsOf(input, compiled.roots).map((facts) => evaluate(compiled, facts, new Budget()))
  t.same(values, [{ value: true }, { value: false }, { value: true }])
  t.equal(factsOf(input, ["activity"]).length, 1)
})

t.test("only roots that a policy reads are looked up, each once", async (t) => {
  let looks = 0
  const holdings = () => {
    looks += 1
    return { wallet: cold }
  }
  const activity = activityTypes.get("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2")!
  factsOf({ activity, parameters: {}, holdings, interfaces: NO_INTERFACES }, ["activity", "eth.eip_712"])
  t.equal(looks, 0)
  factsOf({ activity, parameters: {}, holdings, interfaces: NO_INTERFACES }, [
    "wallet",
    "wallet_account",
    "private_key",
    "wallets",
  ])
  t.equal(looks, 1)
})

t.test("ids are shown in lower case, however the request spells them", async (t) => {
  const parameters = { userIds: [ID.toUpperCase()] }
  t.equal(condition(`'${ID}' in activity.params.user_ids`, { type: "DELETE_USERS", parameters }), true)
})

t.test("the address of an authorization has no case", async (t) => {
  const text = (address: string) => `eth.eip_7702_authorization.address == '${address}'`
  t.equal(condition(text(`0x${"AB".repeat(20)}`), { parameters: authorization }), true)
  t.equal(condition(text(`0x${"ac".repeat(20)}`), { parameters: authorization }), false)
})

t.test("an absent member of a typed data domain is empty", async (t) => {
  const parameters = typedData({}, [])
  t.equal(
    condition("eth.eip_712.domain.version == '' && eth.eip_712.domain.chain_id == 0", { parameters }),
    true,
  )
})
