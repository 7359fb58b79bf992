import t from "tap"
import { readOrigins } from "../../../../signer/core/webauthn/client-data.ts"

t.test("origins are one, several with commas, or a JSON list", async (t) => {
  const two = ["https://a.example", "http://localhost:3000"]
  t.strictSame(readOrigins("https://a.example"), two.slice(0, 1))
  t.strictSame(readOrigins(two.join(", ")), two)
  t.strictSame(readOrigins(` ${JSON.stringify(two, undefined, 2)}`), two)
})

t.test("C-1888: a list of origins holds no escape, behind which approvers would not see one", async (t) => {
  for (const text of [
    '["https://a.example","\\u0068ttps://b.example"]',
    '["https:\\/\\/a.example"]',
    '["https://a.example",{"a":1,"a":2}]',
    '["https://a.example"',
    '["https://a.example"] ["https://b.example"]',
  ])
    t.equal(readOrigins(text), undefined, text)
})
