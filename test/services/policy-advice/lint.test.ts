import t from "tap"

import {
  checkExpressions,
  type PolicyExpressions,
  policyWarnings,
} from "../../../services/policy-advice/check.ts"
import { lint } from "../../../services/policy-advice/lint.ts"
import type { OrganizationNames } from "../../../services/policy-advice/warning.ts"
import { compile, type Field } from "../../../signer/core/policy/expression.ts"
import { textAt } from "../../signer/core/policy/language/helpers.ts"

const existing = new Map([
  ["activity-type", new Set(["ACTIVITY_TYPE_SIGN_TRANSACTION_V2"])],
  ["action", new Set(["SIGN", "EXPORT"])],
  ["user-id", new Set(["u-1", "u-2"])],
  ["user-tag-id", new Set(["t-1"])],
])
const mistaken = new Map([
  ["user-tag-id", new Map([["admins", "that is the name of tag t-1: write the id"]])],
  ["token-account", new Map([["So1Wallet", "a wallet; transfers name token accounts"]])],
])

type Row = [text: string, at: string, sentence: RegExp, known?: OrganizationNames, field?: Field]

const rows: readonly Row[] = [
  ["activity.action == 'SIGNS'", "'SIGNS'", /there is no action SIGNS/],
  ["'SIGNS' == activity.action", "'SIGNS'", /there is no action SIGNS/],
  ["activity.action in ['SIGN', 'SIGNS']", "'SIGNS'", /there is no action SIGNS/],
  ["eth.tx.type == 'EIP1559'", "'EIP1559'", /'LEGACY', 'TYPE_1', 'TYPE_2'/],
  ["approvers.any(u, u.id == 'u-3')", "'u-3'", /there is no user id u-3/, {}, "consensus"],
  ["approvers.any(u, u.tags.contains('admins'))", "'admins'", /write the id/, {}, "consensus"],
  ["approvers.any(u, 't-2' in u.tags)", "'t-2'", /there is no user tag id t-2/, {}, "consensus"],
  ["solana.tx.spl_transfers.any(x, x.to == 'So1Wallet')", "'So1Wallet'", /token accounts/],
  [
    "wallet_account.address == '0x40f008f4c17075efca092ae650655f6693aeced0'",
    "'0x40f008f4c17075efca092ae650655f6693aeced0'",
    /EIP-55/,
  ],
  ["eth.tx.data[0..4] == '0xA9' || eth.tx.data == '0xA9'", "'0xA9'", /lower case/],
  [
    "eth.tx.data[34..74] == '833589fCD6edb6e08f4c7c32d4f71b54bda02913'",
    "'833589fCD6edb6e08f4c7c32d4f71b54bda02913'",
    /lower case/,
  ],
  ["eth.tx.data[0..10] in ['0xa9059cbb', '0xA9059CBB']", "'0xA9059CBB'", /lower case/],
  ["eth.tx.data[2] == 'A'", "'A'", /lower case/],
  ["eth.tx.chain_id == '1'", "'1'", /without quotes/],
  ["eth.tx.chain_id in [1, 2] && eth.tx.nonce in ['3']", "'3'", /without quotes/],
  ["eth.eip_7702_authorization.nonce == 'seven'", "'seven'", /always an error/],
  ["CaseInsensitiveString(wallet.label) == 'Main'", "'Main'", /wrap both sides/],
  ["eth.eip_712.message['value'] > '1'", "'1'", /without quotes/],
  ["tron.tx.contract.all(c, c.type == 'x')", "tron.tx.contract.all(c, c.type == 'x')", /empty list/],
  ["wallet.id == 'a' || private_key.id == 'b'", "wallet.id == 'a' || private_key.id == 'b'", /two policies/],
  [
    "wallet.label == 'a' || eth.tx.contract_call_args['to'] == 'b'",
    "eth.tx.contract_call_args['to']",
    /even if another alternative is true/,
  ],
  ["wallet.label == 'a' || activity.params.type == 'b'", "activity.params.type", /another alternative/],
  [
    "activity.action == 'SIGN' && activity.params.wallet_id == 'b'",
    "activity.params.wallet_id",
    /does not deny/,
    { effect: "deny" },
  ],
  ["eth.tx.value > 5", "eth.tx.value > 5", /denies no request without eth\.tx/, { effect: "deny" }],
  ["true", "true", /denies everything/, { effect: "deny" }],
  ["approvers.count() == 1", "approvers.count() == 1", /one more approval/, {}, "consensus"],
  ["2 > approvers.count()", "2 > approvers.count()", /one more approval/, {}, "consensus"],
  [
    "!approvers.any(u, u.id == 'u-1')",
    "approvers.any(u, u.id == 'u-1')",
    /one more approval/,
    {},
    "consensus",
  ],
  [
    "approvers.all(u, u.id == 'u-1')",
    "approvers.all(u, u.id == 'u-1')",
    /one more approval/,
    {},
    "consensus",
  ],
  [
    "approvers.filter(u, u.id == 'u-1').count() < 2",
    "approvers.filter(u, u.id == 'u-1').count() < 2",
    /one more approval/,
    {},
    "consensus",
  ],
  ["approvers.count() >= 3", "approvers.count() >= 3", /never reached: there are 2 users/, {}, "consensus"],
  ["false", "false", /never reached/, {}, "consensus"],
]

const EVM = "833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
const TRON = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"

const BECH32 = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"

t.test("warns of what is probably not intended, and points at it", async (t) => {
  for (const [text, at, sentence, known = {}, field = "condition"] of rows) {
    const warnings = lint(compile(text, field), { existing, mistaken, ...known })
    const found = warnings.find((warning) => sentence.test(warning.sentence))
    t.equal(textAt(text, found), at, `${text}: ${warnings.map((one) => one.sentence).join("; ")}`)
  }
})

t.test("gives no warning for a correct expression", async (t) => {
  const good: [text: string, field: Field, known?: OrganizationNames][] = [
    ["activity.action == 'SIGN' && eth.tx.value < 5", "condition"],
    ["activity.action in ['SIGN', 'EXPORT']", "condition"],
    ["approvers.filter(u, u.tags.contains('t-1')).count() >= 2", "consensus"],
    ["approvers.any(u, u.id == 'u-1') && !(approvers.count() < 2)", "consensus"],
    ["2 <= approvers.count()", "consensus"],
    ["approvers.any(u, u.tags.all(x, x != 't-1')) && approvers.count() > 1", "consensus"],
    ["solana.tx.transfers.count() > 0 && solana.tx.transfers.all(x, x.amount < 5)", "condition"],
    ["solana.tx.transfers.any(x, x.amount > 1) && solana.tx.transfers.all(x, x.amount < 5)", "condition"],
    ["false", "condition", { effect: "deny" }],
    ["eth.tx.data[0..10] == '0x40062e89' || eth.tx.data[0..10] == '0x947ec45f'", "condition"],
    ["eth.eip_712.message['value'] == '5'", "condition"],
    ["eth.eip_712.message['value'] > 1 && eth.eip_712.message['a'].any(x, x['b'] == 1)", "condition"],
    ["wallet_account.address == '0x52908400098527886E0F7030069857D2E4169EE7'", "condition"],
    ["activity.action == 'EXPORT'", "condition", { effect: "deny" }],
    [`eth.tx.to == '0x${EVM}' || eth.tx.to == '0x${EVM.toLowerCase()}' || eth.tx.to == ''`, "condition"],
    [`tron.tx.contract.any(c, c.to_address in ['${TRON}'])`, "condition"],
    [
      `bitcoin.tx.outputs.any(o, o.address in ['${BECH32}', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', ''])`,
      "condition",
    ],
    [
      "solana.tx.account_keys.any(k, k in ['11111111111111111111111111111111', 'ADDRESS_TABLE_LOOKUP'])",
      "condition",
    ],
    ["wallet.label == 'K\u00fche'", "condition"],
    ["wallet.label[0..2] == 'K\u00fc' && eth.tx.data[0..1] == '0'", "condition"],
    ["eth.tx.data[2..10] == 'a9059cbb' && eth.tx.data[0..10] == '0xa9059cbb'", "condition"],
    ["bitcoin.tx.outputs.any(o, o.address_type == 'p2wpkh' || o.address_type == '')", "condition"],
    [
      "bitcoin.tx.outputs.any(o, o.address == 'bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr')",
      "condition",
    ],
    ["bitcoin.tx.outputs.any(o, o.address == 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn')", "condition"],
    ["activity.type == 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2'", "condition", { effect: "allow" }],
    ["activity.type != 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2'", "condition", { effect: "deny" }],
    ["activity.kind == 'SIGN_TRANSACTION'", "condition", { effect: "deny" }],
    ["activity.type == 'ACTIVITY_TYPE_CREATE_WALLET'", "condition", { effect: "deny", existing: new Map() }],
    ["true", "consensus"],
    ["approvers.count() < 2", "consensus", { effect: "deny" }],
    ["!approvers.any(u, u.id == 'u-1')", "consensus", { effect: "deny" }],
    ["time.now < Timestamp('2027-01-01T00:00:00Z')", "time", { effect: "deny" }],
    ["true", "consensus", { effect: "deny" }],
    ["true", "condition", { effect: "deny", isAlone: false }],
    ["eth.tx.data[34..74] == '833589fcd6edb6e08f4c7c32d4f71b54bda02913'", "condition"],
    [
      "activity.action == 'SIGN' && activity.params.wallet_id == 'b'",
      "condition",
      { effect: "deny", isStrict: true },
    ],
  ]
  for (const [text, field, known = {}] of good) {
    t.strictSame(lint(compile(text, field), { existing, mistaken, ...known }), [], text)
  }
})

t.test(
  "a version that a DENY names, or an ALLOW excludes, is passed by the others of its kind",
  async (t) => {
    const [one, two] = ["ACTIVITY_TYPE_SIGN_TRANSACTION", "ACTIVITY_TYPE_SIGN_TRANSACTION_V2"]
    const found = (text: string, effect: "allow" | "deny") =>
      lint(compile(text, "condition"), { effect }).map((warning) => [textAt(text, warning), warning.sentence])
    const sentence = `other types of this kind pass it: ${one}; compare activity.kind with 'SIGN_TRANSACTION', which is all of them`
    for (const text of [
      `activity.type == '${two}'`,
      `'${two}' == activity.type`,
      `activity.type in ['${two}', 'ACTIVITY_TYPE_CREATE_WALLET']`,
      `['${two}'].contains(activity.type)`,
      `!(activity.type != '${two}')`,
      `activity.resource == 'WALLET' || (activity.action != 'SIGN' && activity.type == '${two}')`,
    ])
      t.strictSame(found(text, "deny"), [[`'${two}'`, sentence]], text)
    t.strictSame(found(`activity.type != '${two}'`, "allow"), [[`'${two}'`, sentence]])
    t.strictSame(found(`!(activity.type in ['${two}'])`, "allow"), [[`'${two}'`, sentence]])
    t.strictSame(found(`activity.type in ['${one}', '${two}']`, "deny"), [], "all versions are named")
    t.strictSame(found(`activity.type == '${one}' || activity.type == '${two}'`, "deny"), [])
    const [[, many = ""] = []] = found("activity.type == 'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V4'", "deny")
    t.match(
      many,
      /V5, ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V6, ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7 and 1 more;/,
    )
  },
)

t.test("finds less where less is known, in the order of the text", async (t) => {
  t.strictSame(lint(compile("activity.action == 'SIGNS'", "condition")), [])
  const text = "eth.tx.chain_id == '1' && eth.tx.nonce == '2'"
  t.strictSame(
    lint(compile(text, "condition")).map((warning) => textAt(text, warning)),
    ["'1'", "'2'"],
  )
})

t.test("a DENY that has a consensus or a time too is not said to deny everything", async (t) => {
  const warnings = (texts: PolicyExpressions) => [
    ...checkExpressions(texts, { effect: "deny" }).flatMap(({ warnings: all }) => all),
    ...policyWarnings("deny", texts),
  ]
  const time = "time.now < Timestamp('2027-01-01T00:00:00Z')"
  t.strictSame(warnings({ condition: "true", consensus: "approvers.count() < 2" }), [])
  t.strictSame(warnings({ condition: "true", time }), [])
  t.match(warnings({ condition: "true" }), [{ sentence: /denies everything/ }])
  t.match(warnings({ time }), [/while its time expression is true/])
})
