import { inspect } from "node:util"
import { ApiKeyStamper } from "@turnkey/api-key-stamper"
import t from "tap"
import {
  dangerouslyRevealPrivateKey,
  generateApiKey,
  readApiKey,
  stamp,
} from "../../../services/terminal-client/api-key.ts"
import { readStamp } from "../../../signer/core/stamp/read-stamp.ts"
import { verifyStamp } from "../../../signer/core/stamp/verify.ts"

const BODY = '{"organizationId":"ü"}'

t.test("an API key's stamp is accepted by the verifier of both tiers", async (t) => {
  const key = generateApiKey()
  const read = readStamp(stamp(key, BODY))
  t.ok(verifyStamp(read, Buffer.from(BODY)))
  t.notOk(verifyStamp(read, Buffer.from(`${BODY} `)))
})

t.test("an API key has the same public and private half as the published stamper's", async (t) => {
  const key = generateApiKey()
  const apiPrivateKey = dangerouslyRevealPrivateKey(key)
  const published = new ApiKeyStamper({ apiPublicKey: key.publicKey, apiPrivateKey })
  const { stampHeaderValue } = await published.stamp(BODY)
  t.ok(verifyStamp(readStamp(stampHeaderValue), Buffer.from(BODY)))
})

t.test("a private key is read with or without the curve's name behind it", async (t) => {
  const key = generateApiKey()
  const digits = dangerouslyRevealPrivateKey(key)
  t.match(digits, /^[0-9a-f]{64}$/)
  for (const text of [digits, ` ${digits}\n`, `${digits}:p256`, `0x${digits.toUpperCase()}`]) {
    t.equal(readApiKey(text)?.publicKey, key.publicKey)
  }
})

t.test("an API key keeps leading zeros of either half", async (t) => {
  const key = readApiKey("1".padStart(64, "0"))
  t.equal(key?.publicKey, "036b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296")
  t.equal(key && dangerouslyRevealPrivateKey(key), "1".padStart(64, "0"))
})

t.test("a malformed private key is refused", async (t) => {
  const order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"
  for (const text of ["", "12", "0".repeat(64), order, `${"1".repeat(64)}:secp256k1`, "z".repeat(64)]) {
    t.equal(readApiKey(text), undefined, text)
  }
})

t.test("a printed API key shows no private half", async (t) => {
  const key = generateApiKey()
  const printed = inspect(key, { depth: 9, showHidden: true }) + JSON.stringify(key)
  t.notMatch(printed, dangerouslyRevealPrivateKey(key))
})
