import { inspect } from "node:util"
import t from "tap"
import { Secret } from "../../../../signer/core/crypto/secret.ts"

const BYTES = Uint8Array.of(0xde, 0xad, 0xbe, 0xef)

t.test("a secret prints as [secret] everywhere", async (t) => {
  const secret = Secret.copyOf(BYTES)
  // oxlint-disable-next-line typescript/restrict-template-expressions -- what a careless log line would do
  t.equal(`${secret}`, "[secret]")
  t.equal(String(secret), "[secret]")
  t.equal(JSON.stringify({ secret }), '{"secret":"[secret]"}')
  t.equal(inspect(secret), "[secret]")
  t.equal(
    inspect({ nested: [secret] }, { showHidden: true, depth: 9 }),
    "{ nested: [ [secret], [length]: 1 ] }",
  )
  t.strictSame(Object.getOwnPropertyNames(secret), [])
  t.strictSame(Object.getOwnPropertySymbols(secret), [])
  t.notMatch(inspect(secret, { customInspect: false, showHidden: true }), /222|de,? ?ad/)
})

t.test("shows its bytes only to the callback", async (t) => {
  const secret = Secret.copyOf(BYTES)
  t.equal(secret.length, 4)
  t.strictSame(
    secret.use((bytes) => [...bytes]),
    [...BYTES],
  )
})

t.test("copies what it is given, and wipes what is moved into it", async (t) => {
  const source = Uint8Array.from(BYTES)
  const copy = Secret.copyOf(source)
  source[0] = 0
  t.equal(
    copy.use((bytes) => bytes[0]),
    0xde,
  )
  const moved = Uint8Array.from(BYTES)
  const secret = Secret.moveFrom(moved)
  t.strictSame([...moved], [0, 0, 0, 0])
  t.equal(
    secret.use((bytes) => bytes[3]),
    0xef,
  )
})

t.test("never lies in the shared pool of Buffer", async (t) => {
  const secret = Secret.copyOf(Buffer.from("pooled"))
  t.equal(
    secret.use((bytes) => bytes.buffer.byteLength),
    6,
  )
})

t.test("wipes its bytes and refuses to be used afterwards", async (t) => {
  const secret = Secret.copyOf(BYTES)
  const view = secret.use((bytes) => bytes)
  secret.wipe()
  secret.wipe()
  t.strictSame([...view], [0, 0, 0, 0])
  t.equal(secret.length, 0)
  t.throws(() => secret.use(() => 0), { message: "a secret was used after it was wiped" })
})
