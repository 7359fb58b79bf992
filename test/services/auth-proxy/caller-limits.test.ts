import t from "tap"
import { readIpBlock } from "../../../signer/core/organization/ip-block.ts"
import { startProxy } from "./start-proxy.ts"

const LOOPBACK = readIpBlock("127.0.0.0/8")!
const MANY = {
  status: 429,
  json: { code: 8, message: "Too many requests. Please wait and try again in a few seconds" },
}

t.test(
  "an address gets as many answers as its rate allows, whether or not it names a configuration",
  async (t) => {
    const { post, send, clock } = await startProxy(t, { limits: { perAddress: 1 } })
    for (let count = 0; count < 10; count++) t.equal((await post("wallet_kit_config")).status, 200)
    const attempts = {
      "a known configuration": () => post("wallet_kit_config"),
      "an unknown one": () =>
        post("wallet_kit_config", {}, { "x-auth-proxy-config-id": "0b5f6e0a-0000-4000-8000-000000000009" }),
      none: () => send("/v1/wallet_kit_config", { method: "POST" }),
      "a foreign origin": () => post("wallet_kit_config", {}, { origin: "https://evil.example" }),
      "a forged address": () => post("wallet_kit_config", {}, { "x-forwarded-for": "203.0.113.9" }),
    }
    const texts = new Set<string>()
    for (const [what, attempt] of Object.entries(attempts)) {
      const reply = await attempt()
      t.match(reply, MANY, what)
      t.equal(reply.headers.get("retry-after"), "1")
      const { details: _, ...members } = reply.json
      texts.add(JSON.stringify(members))
    }
    t.equal(texts.size, 1, "one answer for all")
    t.equal((await send("/livez")).status, 200, "pages of operators are not counted")
    clock.ms += 1000
    t.equal((await post("wallet_kit_config")).status, 200)
    t.match(await post("wallet_kit_config"), MANY)
  },
)

t.test("behind listed proxies the address that they saw counts, and an IPv6 network as one", async (t) => {
  const limits = { perAddress: 1, isBehindProxy: true, trustedProxies: [LOOPBACK] }
  const { post } = await startProxy(t, { limits })
  const from = (address: string) => post("wallet_kit_config", {}, { "x-forwarded-for": address })
  const spend = async (addresses: string[]) => {
    for (let count = 0; count < 10; count++) await from(addresses[count % addresses.length]!)
  }
  await spend(["203.0.113.1"])
  t.match(await from("203.0.113.1"), MANY)
  t.match(await from("198.51.100.77, 203.0.113.1"), MANY, "what a client writes before it counts nothing")
  t.equal((await from("203.0.113.2")).status, 200)
  await spend(["2001:db8:1:2::1", "2001:db8:1:2:ffff::2"])
  t.match(await from("2001:db8:1:2::3"), MANY)
  t.equal((await from("2001:db8:1:3::1")).status, 200)
  await spend(["nonsense"])
  t.match(await from("also nonsense"), MANY, "unknown addresses are one caller")
})

t.test("behind a proxy that is not listed callers are counted by configuration alone", async (t) => {
  const limits = { perAddress: 1, isBehindProxy: true, perConfiguration: 2 }
  const { post, core } = await startProxy(t, { limits })
  for (let count = 0; count < 20; count++) t.equal((await post("wallet_kit_config")).status, 200)
  t.match(await post("wallet_kit_config"), MANY)
  const other = await startProxy(t, { core, limits })
  t.equal((await other.post("wallet_kit_config")).status, 200, "each process counts for itself")
})
