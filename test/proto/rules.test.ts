import { create } from "@bufbuild/protobuf"
import t from "tap"
import { FieldRuleSchema, Form } from "../../proto/gen/countersign/api/v1/options_pb.ts"
import { faultOfString } from "../../proto/rules.ts"

const max = "9223372036854775807"
const uuid = "0d1F6f1b-6e1c-4f0b-9d07-5d3a6f4f2c11"
const COMPRESSED = `02${"ab".repeat(32)}`
const UNCOMPRESSED = `04${"ab".repeat(64)}`
const ED25519 = "ab".repeat(32)

const forms: [form: keyof typeof Form, good: string[], bad: string[]][] = [
  ["UNSPECIFIED", ["", "any\u0000thing"], []],
  ["UUID", [uuid, uuid.toUpperCase()], ["", ` ${uuid}`, `${uuid}\n`, `{${uuid}}`, uuid.replaceAll("-", "")]],
  ["HEX", ["", "00", "aBcD"], ["0", "0x00", "zz", "00\n", "\uff10\uff10"]],
  [
    "POSITIVE_DECIMAL",
    ["1", "900", max],
    ["", "0", "01", "-1", "+1", "1.0", "1e3", "9223372036854775808", " 1"],
  ],
  ["DECIMAL", ["0", "1", max], ["", "00", "-0", "10000000000000000000", "\u0661"]],
  [
    "E164",
    ["+15551234567", "+491701234567"],
    ["15551234567", "+0123456789", "+1555 123", "+1234567890123456"],
  ],
  [
    "EMAIL",
    ["a@b.example", "first.last+tag@sub.example.com", "é@bücher.example", `${"a".repeat(64)}@b.c`],
    [
      "",
      "a",
      "@b.c",
      "a@",
      "a@b@c",
      "a b@c.d",
      "a@b..c",
      "a@-b.c",
      "a@b.c\n",
      ".a@b.c",
      "a..b@c.d",
      '"a"@b.c',
    ],
  ],
  [
    "FINGERPRINT",
    [`sha256:${"0a".repeat(32)}`],
    [`sha256:${"0A".repeat(32)}`, "0a".repeat(32), `sha256:${"0a".repeat(31)}`],
  ],
  [
    "COMPRESSED_P256",
    [COMPRESSED, `03${"AB".repeat(32)}`],
    ["", UNCOMPRESSED, ED25519, `0x${"ab".repeat(32)}`],
  ],
  ["API_KEY", [COMPRESSED, ED25519], ["", UNCOMPRESSED, `${ED25519}0`]],
  [
    "EIP155_CHAIN",
    ["eip155:1", "eip155:31337", `eip155:${max}`],
    ["", "eip155:", "eip155:0", "eip155:01", "EIP155:1", "eip155:0x1", `eip155:${max}0`, "solana:mainnet"],
  ],
  [
    "SOLANA_CHAIN",
    ["solana:mainnet", "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d"],
    ["", "solana:", "solana:a b", `solana:${"a".repeat(65)}`, "eip155:1"],
  ],
  ["UINT128", ["0", "1", String(2n ** 128n - 1n)], ["", "00", "-1", "0x1", "1.0", String(2n ** 128n)]],
  ["UINT256", ["0", String(2n ** 128n), String(2n ** 256n - 1n)], ["", "01", "1e3", String(2n ** 256n)]],
  [
    "USD",
    ["0", "25", "0.5", "999999999999.999999"],
    ["", ".5", "1.", "01", "-1", "1.0000001", "1,000", "1000000000000"],
  ],
  ["UNCOMPRESSED_P256", [UNCOMPRESSED], ["", COMPRESSED, `0x${"ab".repeat(64)}`]],
]

for (const [name, good, bad] of forms) {
  const rule = create(FieldRuleSchema, { form: Form[name] })
  t.test(`form ${name}`, async (t) => {
    for (const text of good) t.equal(faultOfString(text, rule), undefined, `takes ${JSON.stringify(text)}`)
    for (const text of bad) t.type(faultOfString(text, rule), "string", `refuses ${JSON.stringify(text)}`)
  })
}

const RANGE = "must be a whole number from 1 to 3153600000, in decimal digits"

t.test("max_decimal bounds strings that have the form, and every fault has one sentence", async (t) => {
  const rule = create(FieldRuleSchema, { form: Form.POSITIVE_DECIMAL, maxDecimal: 3153600000n })
  for (const text of ["1", "900", "3153600000"]) t.equal(faultOfString(text, rule), undefined)
  for (const text of ["3153600001", "10000000000", max]) t.equal(faultOfString(text, rule), RANGE)
  for (const text of ["", "0", "3e3", `${max}0`]) t.equal(faultOfString(text, rule), RANGE, text)
  t.equal(faultOfString(max, create(FieldRuleSchema, { form: Form.DECIMAL })), undefined, "0: no bound")
})

t.test(
  "an integer of more than 64 bits is refused by the greatest one, not as if it were no integer",
  async (t) => {
    for (const [form, least] of [
      ["DECIMAL", 0],
      ["POSITIVE_DECIMAL", 1],
    ] as const) {
      const rule = create(FieldRuleSchema, { form: Form[form] })
      const sentence = `must be a whole number from ${least} to ${max}, in decimal digits`
      for (const text of [String(BigInt(max) + 1n), "99999999999999999999"])
        t.equal(faultOfString(text, rule), sentence)
      for (const text of ["x", "-1", "01", "1.5"])
        t.match(faultOfString(text, rule), /integer in decimal digits$/)
    }
  },
)

t.test("besides the form only the empty string can be allowed", async (t) => {
  const rule = create(FieldRuleSchema, { form: Form.EMAIL, orEmpty: true })
  for (const text of ["", "a@b.example"]) t.equal(faultOfString(text, rule), undefined, text)
  t.equal(faultOfString(" ", rule), "must be an e-mail address, or empty")
})

t.test("a point in the other encoding is recognized", async (t) => {
  const faultOf = (form: keyof typeof Form, text: string) =>
    faultOfString(text, create(FieldRuleSchema, { form: Form[form] }))
  const compressed = "must be a compressed P-256 key: 02 or 03 and 64 hex digits"
  t.equal(faultOf("COMPRESSED_P256", UNCOMPRESSED), `${compressed} (this one is uncompressed)`)
  t.equal(faultOf("COMPRESSED_P256", "ab"), compressed)
  const uncompressed = "must be uncompressed: 04 and 128 hex digits"
  t.equal(faultOf("UNCOMPRESSED_P256", COMPRESSED), `${uncompressed} (this one is compressed)`)
  t.equal(faultOf("UNCOMPRESSED_P256", "ab"), uncompressed)
  t.equal(
    faultOf("API_KEY", UNCOMPRESSED),
    `${compressed}, a secp256k1 key alike, or an Ed25519 key of 64 hex digits (this one is uncompressed)`,
  )
})

t.test("every form has a case in this file", async (t) => {
  t.same(forms.map(([name]) => name).toSorted(), Object.keys(Form).toSorted())
})

// A million characters: a form whose work grew with their square would not come to an end.
t.test("long hostile texts are refused in time linear in their length", async (t) => {
  for (const [name] of forms.slice(1)) {
    const rule = create(FieldRuleSchema, { form: Form[name] })
    for (const unit of ["a", "1", ".", "-", "a.", "@", "a@"]) {
      t.type(faultOfString(`${unit.repeat(1_000_000)}!`, rule), "string")
    }
  }
})
