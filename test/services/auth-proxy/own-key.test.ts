import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { generateKeyPairSync } from "node:crypto"
import { dirname, join } from "node:path"
import { inspect } from "node:util"
import t from "tap"
import { openOwnKey } from "../../../services/auth-proxy/own-key.ts"
import { uncompressP256 } from "../../../signer/core/crypto/p256.ts"

/** The public half of a plain key. */
function publicKeyIn(file: string): string {
  const key = openOwnKey(file)
  if ("privateKey" in key) return key.publicKey
  throw new Error("the key is sealed")
}

t.test("the auth proxy makes its own key once, in a file of its user alone", async (t) => {
  const file = join(t.testdir(), "auth-proxy", "key")
  const publicKey = publicKeyIn(file)
  t.ok(uncompressP256(Buffer.from(publicKey, "hex")), "a compressed point of P-256")
  t.equal(statSync(file).mode & 0o777, 0o600)
  t.equal(statSync(dirname(file)).mode & 0o777, 0o700)
  t.equal(publicKeyIn(file), publicKey)
  t.notOk(existsSync(`${file}.new`))
  t.notMatch(inspect(openOwnKey(file)), readFileSync(file, "utf8").split("\n")[1], "it does not print itself")
})

t.test("a key that an operator provides is taken as it is", async (t) => {
  const file = join(t.testdir(), "given")
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  writeFileSync(file, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 })
  const { x = "" } = publicKey.export({ format: "jwk" })
  t.equal(publicKeyIn(file).slice(2), Buffer.from(x, "base64url").toString("hex"))
})

t.test(
  "a file that others can read, or that holds no key of P-256, is refused and stays as it is",
  async (t) => {
    const file = join(t.testdir(), "key")
    openOwnKey(file)
    chmodSync(file, 0o640)
    t.throws(() => openOwnKey(file), /accessible to other users: set its mode to 0600/)
    const ed25519 = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" })
    for (const content of ["", "not a key", ed25519]) {
      writeFileSync(file, content)
      chmodSync(file, 0o600)
      t.throws(() => openOwnKey(file), /holds no private key of P-256/)
      t.equal(readFileSync(file, "utf8"), String(content))
    }
    mkdirSync(`${file}-folder`, { mode: 0o700 })
    t.throws(() => openOwnKey(`${file}-folder`), { code: "EISDIR" })
  },
)
