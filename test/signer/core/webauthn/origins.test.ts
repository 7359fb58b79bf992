import t from "tap"
import { FeatureName } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { originsOf, readOrigins } from "../../../../signer/core/webauthn/client-data.ts"

t.test("origins are one, several with commas, or a JSON list", async (t) => {
  const two = ["https://a.example", "http://localhost:3000"]
  t.strictSame(readOrigins("https://a.example"), two.slice(0, 1))
  t.strictSame(readOrigins(two.join(", ")), two)
  t.strictSame(readOrigins(` ${JSON.stringify(two, undefined, 2)}`), two)
})

t.test("a list that an earlier release stored with escapes is read", async (t) => {
  t.strictSame(readOrigins('["https:\\/\\/a.example"]'), ["https://a.example"])
})

t.test("a text that begins as a list and is none holds no origin", async (t) => {
  for (const text of [
    '["https://a.example",{"a":1,"a":2}]',
    '["https://a.example"',
    '["https://a.example"] ["https://b.example"]',
  ])
    t.equal(readOrigins(text), undefined, text)
})

t.test("C-1905: of stored origins each counts, also beside one that a newer rule refuses", async (t) => {
  const stored = (value: string) => originsOf({ features: [{ name: FeatureName.WEBAUTHN_ORIGINS, value }] })
  const two = ["https://a,b", "https://a.example"]
  t.equal(readOrigins(JSON.stringify(two)), undefined, "no new value")
  t.strictSame(stored(JSON.stringify(two)), two)
  t.strictSame(stored('["https://a.example",{}]'), ["https://a.example"])
  t.strictSame(stored("https://a.example, https://a.example"), ["https://a.example", "https://a.example"])
  t.strictSame(stored('["https://a.example"'), [], "no list: no origin is allowed")
  t.equal(originsOf({ features: [] }), undefined)
})
