import t from "tap"
import { areOrigins, readOrigins } from "../../../signer/webauthn/origins.ts"

t.test("reads one origin or several, as browsers would write them", async (t) => {
  t.same(readOrigins("https://example.org"), ["https://example.org"])
  t.same(readOrigins("https://Example.org:443/"), ["https://example.org"])
  t.same(readOrigins("http://localhost:3000"), ["http://localhost:3000"])
  t.same(readOrigins(" https://a.example , https://b.example:8443 "), [
    "https://a.example",
    "https://b.example:8443",
  ])
  t.same(readOrigins("https://bücher.example"), ["https://xn--bcher-kva.example"])
  t.same(readOrigins("android:apk-key-hash:Ab_-9"), ["android:apk-key-hash:Ab_-9"])
})

t.test("tells settings that no browser can ever meet", async (t) => {
  const good = ["https://example.org", "https://a.example,https://b.example", "android:apk-key-hash:Ab_-9"]
  for (const setting of good) t.ok(areOrigins(setting), setting)
  const bad = [
    "",
    "true",
    "example.org",
    "https://",
    "https://example.org/path",
    "https://example.org?x",
    "*",
  ]
  const lists = [
    "https://a.example,",
    "https://a.example b",
    '["https://a.example"]',
    "https://u@example.org",
  ]
  for (const setting of [...bad, ...lists]) t.notOk(areOrigins(setting), setting)
})
