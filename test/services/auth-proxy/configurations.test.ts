// A hostile API tier between the auth proxy and the signer's statements.
import { generateKeyPairSync, randomBytes, randomUUID } from "node:crypto"
import t, { type Test } from "tap"
import { openKeySet, readPublicKeySet } from "../../../signer/core/crypto/keyset.ts"
import { Secret } from "../../../signer/core/crypto/secret.ts"
import { StubCore } from "./stub-core.ts"
import { startProxy } from "./start-proxy.ts"

const FIND = { filterType: "NAME", filterValue: "x" }

/** The proxy refuses to rely on the configuration, and stamps nothing. */
async function unverified(t: Test, core: StubCore, what: string): Promise<void> {
  const { post, logged } = await startProxy(t, { core })
  const { status, json } = await post("account", FIND)
  t.match({ status, json }, { status: 503, json: { message: /cannot be verified/ } }, what)
  t.match(logged.at(-1), { reason: "AUTH_PROXY_CONFIG_UNVERIFIED" }, what)
  t.same(core.posted, [], what)
}

t.test("X3: a configuration that the signer did not state is refused", async (t) => {
  const wider = new StubCore()
  wider.relay = ({ status, text }) => {
    const signed = JSON.parse(text) as { statement: string; signature: string }
    const statement = Buffer.from(signed.statement, "base64")
    statement[statement.length - 1]! ^= 1
    return { status, text: JSON.stringify({ ...signed, statement: statement.toString("base64") }) }
  }
  await unverified(t, wider, "altered")
  for (const member of ["statement", "signature"]) {
    const respelled = new StubCore()
    respelled.relay = ({ status, text }) => {
      const signed = JSON.parse(text) as { [member: string]: string }
      return { status, text: JSON.stringify({ ...signed, [member]: `!${signed[member]}` }) }
    }
    await unverified(t, respelled, `${member} in another spelling`)
  }
  const empty = new StubCore()
  empty.relay = () => ({ status: 200, text: "{}" })
  await unverified(t, empty, "empty")
  const other = new StubCore()
  Object.assign(other, { notarizer: openKeySet(Secret.moveFrom(randomBytes(32))) })
  const { post } = await startProxy(t, { core: other })
  Object.assign(other, { notarizer: openKeySet(Secret.moveFrom(randomBytes(32))) })
  t.equal((await post("account", FIND)).status, 503, "of another deployment's signer")
})

t.test("X3: an old statement, served again, is refused by a proxy that has just started", async (t) => {
  const core = new StubCore()
  const kept = await core.get(`/public/v1/auth_proxy_configs/${core.configId}?nonce=${"00".repeat(32)}`)
  core.relay = () => kept
  await unverified(t, core, "of another nonce")
})

t.test("X3: the configuration of another organization is refused", async (t) => {
  const core = new StubCore()
  core.state = (stated) => Object.assign(stated, { config: { configId: randomUUID() } })
  await unverified(t, core, "of another configuration")
})

t.test("X3: a version below one that was seen is refused, also with a fresh signature", async (t) => {
  const core = new StubCore()
  core.version = 7n
  const { post, clock } = await startProxy(t, { core })
  t.equal((await post("wallet_kit_config")).status, 200)
  clock.ms += 2000
  core.version = 6n
  t.equal((await post("wallet_kit_config")).status, 503)
  core.version = 7n
  t.equal((await post("wallet_kit_config")).status, 200)
})

t.test(
  "X3: a key that is sealed to another proxy, or moved from another tenant, stamps nothing",
  async (t) => {
    const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
    const { x = "" } = publicKey.export({ format: "jwk" })
    const stranger = new StubCore()
    stranger.key = stranger.newKey(`02${Buffer.from(x, "base64url").toString("hex")}`)
    const moved = new StubCore()
    moved.key = new StubCore().key
    for (const core of [stranger, moved]) {
      const { post, logged } = await startProxy(t, { core })
      t.match(await post("account", FIND), {
        status: 503,
        json: { message: /cannot open the organization's key/ },
      })
      t.match(logged.at(-1), { reason: "AUTH_PROXY_KEY_NOT_OPENED" })
      t.same(core.posted, [])
    }
  },
)

t.test("a proxy that is not paired serves nothing, and is not ready", async (t) => {
  const core = new StubCore()
  const { publicHex } = core.notarizer
  Object.defineProperty(core, "notarizerPublicKey", { value: undefined })
  const { post, send } = await startProxy(t, { core })
  t.match(await post("wallet_kit_config"), { status: 503, json: { message: /not paired/ } })
  core.relay = () => ({ status: 200, text: JSON.stringify({ notarizerPublicKey: publicHex }) })
  t.ok(readPublicKeySet(publicHex))
  const { status, json } = await send("/readyz")
  t.match({ status, json }, { status: 503, json: { ready: false } })
})
