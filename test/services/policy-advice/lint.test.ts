import t from "tap"
import { Voters } from "../../../signer/core/policy/decision/voters.ts"
import { Budget } from "../../../signer/core/policy/language/frame.ts"
import { draftOf } from "../../signer/enclave/organization/drafts.ts"
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
const TRON_HEX = "a614f803b6fd780986a42c78ec9c7f77e6ded13c"
const BECH32 = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"
const ID = "0198c0de-0000-7000-8000-0000000000aa"
const NOW = { nowMs: Date.UTC(2027, 5, 1) }

/** Texts that their field never shows: the expression around each, the text, and the sentence with what to write. */
const SPELLINGS: readonly [expression: string, text: string, sentence: RegExp][] = [
  ["bitcoin.tx.outputs.all(o, o.address == X)", BECH32.toUpperCase(), new RegExp(`write '${BECH32}'`)],
  [
    "bitcoin.tx.outputs.any(o, o.address in [X])",
    "TB1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KXPJZSX",
    /write 'tb1q/,
  ],
  [
    "bitcoin.tx.inputs.any(i, i.tx_id == X)",
    `0x${"ab".repeat(32)}`,
    new RegExp(`write '${"ab".repeat(32)}'`),
  ],
  ...["", "0x", "41", "0x41"].map((begin): [string, string, RegExp] => [
    "tron.tx.contract.any(c, c.contract_address == X)",
    begin + TRON_HEX,
    new RegExp(`write '${TRON}'`),
  ]),
  ["tron.tx.contract[0].to_address == X", TRON.toLowerCase(), /Base58Check and begin with T/],
  ["tron.tx.contract[0].data[0..8] == X", "0xa9059cbb", /write 'a9059cbb'/],
  ["tron.tx.contract[0].function_signature == X", "0xa9059cbb", /write 'a9059cbb'/],
  ["tron.tx.contract[0].function_signature == X", "transfer(address,uint256)", /8 digits without 0x/],
  ["eth.tx.function_signature == X", "a9059cbb", /write '0xa9059cbb'/],
  ["eth.tx.function_signature == X", "transfer(address,uint256)", /0x and 8 digits/],
  ["eth.tx.data == X", "a9059cbb", /write '0xa9059cbb'/],
  ["eth.tx.to == X", EVM, new RegExp(`write '0x${EVM}'`)],
  ["eth.eip_712.domain.verifying_contract in [X]", `0x${EVM.slice(1)}`, /0x and 40 digits/],
  ["eth.eip_7702_authorization.address == X", EVM, /begin with 0x/],
  [
    "solana.tx.program_keys.any(p, p == X)",
    "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5D",
    /no Base58 of 32 bytes/,
  ],
  ["X in solana.tx.account_keys", "0OIl", /no Base58 of 32 bytes/],
  ["solana.tx.instructions.any(i, i.instruction_data_hex[0..2] == X)", "0C", /write '0c'/],
  ["wallet.id == X", ID.toUpperCase(), new RegExp(`write '${ID}'`)],
  ["eth.tx.to == X", `0x\u0430${EVM.slice(1)}`, new RegExp(`U\\+0430 .*; write '0xa${EVM.slice(1)}'`)],
  ["activity.action == X", "S\u0406GN", /U\+0406 is no letter of ASCII/],
  ["activity.kind in [X]", "SIGN\u200b_TRANSACTION", /U\+200B .*; write it in ASCII/],
  ["tron.tx.contract[0].owner_address == X", `\u0422${TRON.slice(1)}`, new RegExp(`write '${TRON}'`)],
  // A slice has a length and a place: the selector is [0..10] with 0x, or [2..10] without.
  ["eth.tx.data[0..8] == X", "0xa9059cbb", /it is 8 characters, and this text has 10; write \[0\.\.10\]/],
  ["eth.tx.data[0..10] in ['0x095ea7b3', X]", "a9059cbb", /begins with 0x/],
  ["eth.tx.data[0..8] == X", "a9059cbb", /begins with 0x/],
  ["eth.tx.function_signature[0..8] == X", "a9059cbb", /begins with 0x/],
  ["eth.tx.data[2..12] == X", "0xa9059cbb", /0x stands only at its beginning/],
  ["eth.tx.data == X", "0xa9059cbb ", /begins with 0x/],
  ["wallet.label[0] == X", "ab", /it is one character/],
  ["solana.tx.instructions.any(i, i.instruction_data_hex[0..2] == X)", "02000000", /write \[0\.\.8\]/],
  ["solana.tx.instructions.any(i, i.instruction_data_hex == X)", "transfer", /hexadecimal in lower case/],
  ["solana.tx.instructions.any(i, i.parsed_instruction_data.discriminator == X)", "0xAB", /write 'ab'/],
  ["solana.tx.instructions.any(i, i.parsed_instruction_data.named_accounts['to'] == X)", "0x12", /Base58/],
  ["solana.tx.recent_blockhash == X", "0OIl", /Base58/],
  ["eth.tx.to == X", `0x${EVM.replace("fC", "FC")}`, /checksum \(EIP-55\) is wrong/],
  ["tempo.tx.calls.any(c, c.to == X)", EVM, /begin with 0x/],
  ["tempo.tx.fee_token == X", "USDC", /0x and 40 digits/],
  ["bitcoin.tx.outputs.any(o, o.address == X)", `${BECH32.slice(0, -1)}x`, /no address of Bitcoin/],
  [
    "bitcoin.tx.outputs.any(o, o.address == X)",
    "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb",
    /no address of Bitcoin/,
  ],
  ["bitcoin.tx.outputs.any(o, o.address == X)", "0014751e76e8199196d454941c45d1b3a323f1433bd6", /no address/],
  ["bitcoin.tx.outputs.any(o, o.address_type == X)", "segwit", /the values are 'P2PKH'/],
  ["tron.tx.contract[0].type == X", "TransferContracts", /the values are 'TransferContract'/],
  ["wallet_account.address == X", BECH32.toUpperCase(), new RegExp(`write '${BECH32}'`)],
  ["wallet_account.address == X", `41${TRON_HEX}`, new RegExp(`write '${TRON}'`)],
  ["wallet_account.address == X", EVM.toLowerCase(), new RegExp(`write '0x${EVM}'`)],
  ["wallet_account.address == X", `0x${EVM.toUpperCase()}`, new RegExp(`EIP-55; write '0x${EVM}'`)],
]

t.test("a text in a spelling that its field never shows is pointed at, with the text to write", async (t) => {
  for (const [expression, text, sentence] of SPELLINGS) {
    const whole = expression.replace("X", () => `'${text}'`)
    const found = lint(compile(whole, "condition")).filter((one) => sentence.test(one.sentence))
    t.equal(
      textAt(whole, found[0]),
      `'${text}'`,
      `${whole}: ${lint(compile(whole, "condition"))
        .map((one) => one.sentence)
        .join("; ")}`,
    )
  }
})

t.test("times that are over, and windows that end before they begin, are pointed at", async (t) => {
  const [past, future] = ["Timestamp('2027-01-01T00:00:00Z')", "Timestamp('2028-01-01T00:00:00Z')"]
  const rows: [text: string, at: string, sentence: RegExp][] = [
    [
      `time.now < ${past}`,
      `time.now < ${past}`,
      /never true again: it was over at 2027-01-01T00:00:00\.000Z/,
    ],
    [`${past} >= time.now`, `${past} >= time.now`, /never true again/],
    [`time.now > ${past} && time.now <= ${past}`, `time.now <= ${past}`, /never true again/],
    [
      `time.now > ${future} && time.now < ${future}`,
      `time.now > ${future} && time.now < ${future}`,
      /before it begins/,
    ],
    [`!(time.now > ${past})`, `time.now > ${past}`, /never true again/],
    [`!(time.now < ${future} || time.now > ${past})`, `time.now > ${past}`, /never true again/],
    [`time.now == ${past}`, `time.now == ${past}`, /never true again/],
    ["CronSpan('0 9 30 2 *', '1h', 'UTC')", "CronSpan('0 9 30 2 *', '1h', 'UTC')", /no month/],
    ["CronSpan('0 9 31 4,6,9 *', '1h', 'UTC')", "CronSpan('0 9 31 4,6,9 *', '1h', 'UTC')", /no month/],
  ]
  for (const [text, at, sentence] of rows) {
    const found = lint(compile(text, "time"), NOW).find((one) => sentence.test(one.sentence))
    t.equal(textAt(text, found), at, text)
  }
  for (const text of [
    `time.now < ${future}`,
    `time.now > ${past}`,
    `time.now > ${past} && time.now < ${future}`,
    `!(time.now < ${past})`,
    `!(time.now > ${future} && time.now < ${future})`,
    `time.now != ${past}`,
    `time.now == ${future}`,
    "CronSpan('0 9 29 2 *', '1h', 'UTC')",
    "CronSpan('0 9 31 4 1', '1h', 'UTC')",
    "!CronSpan('0 9 30 2 *', '1h', 'UTC')",
  ])
    t.strictSame(lint(compile(text, "time"), NOW), [], text)
  t.strictSame(lint(compile(`time.now < ${past}`, "time")), [], "the present is not known")
})

t.test("parts of an && that contradict each other are pointed at", async (t) => {
  const found = (text: string) =>
    lint(compile(text, "condition")).map((one) => [textAt(text, one), one.sentence])
  const twice = "eth.tx.chain_id == 1 && eth.tx.chain_id == 137"
  t.same(found(twice), [
    [twice, "never true: eth.tx.chain_id cannot be 1 and 137 at once; write ||, or two policies"],
  ])
  for (const [text, sentence] of [
    ["eth.tx.value > 5 && eth.tx.value < 6", "never true: eth.tx.value cannot be at least 6 and at most 5"],
    ["(eth.tx.value > 5 && eth.tx.nonce == 1) && 5 >= eth.tx.value", "cannot be at least 6 and at most 5"],
    ["eth.tx.value >= 7 && 6 == eth.tx.value", "cannot be at least 7 and at most 6"],
    ["tron.tx.contract.any(c, c.amount == 1 && c.amount == 2)", "c.amount cannot be 1 and 2 at once"],
    ["activity.action == 'SIGN' && activity.action == 'EXPORT'", "cannot be 'SIGN' and 'EXPORT' at once"],
  ] as const) {
    const sentences = found(text).map(([, one = ""]) => one)
    t.equal(sentences.length, 1, text)
    t.match(sentences[0], sentence)
  }
  for (const text of [
    "eth.tx.value > 5 && eth.tx.value < 7",
    "eth.tx.value >= 5 && eth.tx.value <= 5 && eth.tx.value == 5",
    "eth.tx.value != 5 && eth.tx.value != 6",
    "eth.tx.chain_id == 1 || eth.tx.chain_id == 137",
    `eth.tx.to == '0x${EVM}' && eth.tx.to == '0x${EVM.toLowerCase()}'`,
    "activity.action == 'SIGN' && (activity.action == 'EXPORT' || eth.tx.value > 1)",
    "tron.tx.contract.any(c, c.amount == 1) && tron.tx.contract.any(c, c.amount == 2)",
  ])
    t.same(found(text), [], text)
})

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

t.test("warns of a consensus that is costly, where it is", async (t) => {
  const pairs = "approvers.any(u, credentials.any(c, c.user_id == u.id && c.id == 'k'))"
  const letters = "approvers.any(u, u.email[0] == 'e') && approvers.count() >= 2"
  const named = "approvers.any(u, u.id == 'u-1') && approvers.filter(u, u.tags.contains('t-1')).count() >= 2"
  const costsIn = (text: string, users?: number, budget = 1_000_000) => {
    const { document } = draftOf({
      users: Array.from({ length: users ?? 0 }, (_, user) => ({
        userId: `u-${user}`,
        email: `e${user}@example.com`,
        tagIds: [`t-${user % 3}`],
        apiKeys: [{ apiKeyId: `k${user}` }],
      })),
    })
    const searches = { voters: new Voters(document, 0), budget: new Budget(budget) }
    const known: OrganizationNames = users === undefined ? { effect: "allow" } : { effect: "allow", searches }
    const warnings = lint(compile(text, "consensus"), known)
    return warnings.filter(({ sentence }) => sentence.startsWith("costly")).map((one) => textAt(text, one))
  }
  t.same(costsIn(pairs, 2), [], "with two users every set is tried at once")
  t.same(costsIn(pairs, 30), [pairs])
  t.same(costsIn(pairs), [pairs], "with users not known")
  t.same(costsIn(`approvers.count() > 1 && ${pairs}`), [pairs], "the part that compares approvals")
  t.same(costsIn(letters, 30), [])
  t.same(costsIn(letters, 1000), [letters])
  t.same(costsIn(letters), [])
  t.same(costsIn("approvers[0].id == 'u-1' && approvers.count() >= 2", 30), [], "a fixed place is no search")
  for (const users of [undefined, 30, 1000]) t.same(costsIn(named, users), [])
  t.same(costsIn(letters, 1000, 5000), [], "measured within one piece of advice's steps")
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
