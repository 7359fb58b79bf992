import { createPublicKey, generateKeyPairSync } from "node:crypto"
import t from "tap"
import { canonicalIssuer } from "../../../../signer/core/oidc/issuer.ts"
import { openIssuerKey } from "../../../../signer/core/oidc/keys.ts"
import { issuerKey, keySetOf } from "../../../harness/id-token.ts"
import { configurationUrl, readKeySet, readKeysUrl } from "../../../../signer/core/oidc/key-set.ts"

t.test("an issuer has one spelling", async (t) => {
  const same = [
    "https://issuer.example",
    "https://issuer.example/",
    "https://issuer.example:8443/tenant/v2.0",
  ]
  for (const issuer of same) t.equal(canonicalIssuer(issuer), issuer)
  t.equal(canonicalIssuer("accounts.google.com"), "https://accounts.google.com")
  const refused = [
    "accounts.google.com.evil.example",
    "https://ISSUER.example",
    "https://issuer.example:443",
    "https://issuer.example/a/../b",
    "https://issuer.example/?a",
    "https://issuer.example/#a",
    "https://user@issuer.example",
    "https://",
    "javascript:alert(1)",
    " https://issuer.example",
    `https://issuer.example/${"a".repeat(256)}`,
  ]
  for (const issuer of refused) t.equal(canonicalIssuer(issuer), undefined, issuer)
})

t.test("the configuration lies below the issuer, whatever its path", async (t) => {
  const at = "/.well-known/openid-configuration"
  t.equal(configurationUrl("https://issuer.example"), `https://issuer.example${at}`)
  t.equal(configurationUrl("https://issuer.example/"), `https://issuer.example${at}`)
  t.equal(configurationUrl("https://issuer.example/tenant"), `https://issuer.example/tenant${at}`)
})

t.test("a configuration counts only if it names the same issuer", async (t) => {
  const issuer = "https://issuer.example"
  const document = (members: unknown) => Buffer.from(JSON.stringify(members))
  const keys = "https://keys.example/jwks"
  t.equal(readKeysUrl(document({ issuer, jwks_uri: keys }), issuer).href, keys)
  const faulty = [
    document({ issuer: `${issuer}/`, jwks_uri: keys }),
    document({ issuer: "https://other.example", jwks_uri: keys }),
    document({ jwks_uri: keys }),
    document({ issuer }),
    document({ issuer, jwks_uri: "/jwks" }),
    document({ issuer, jwks_uri: [keys] }),
    document([issuer, keys]),
    Buffer.from("<html>"),
    Buffer.from(`{"issuer":"${issuer}","issuer":"${issuer}","jwks_uri":"${keys}"}`),
  ]
  for (const bytes of faulty) t.throws(() => readKeysUrl(bytes, issuer), { code: "ISSUER_INVALID" })
})

t.test("keys of a key set count if they are strong, of a known kind and for signatures", async (t) => {
  const good = [issuerKey("rsa"), issuerKey("p256"), issuerKey("p384"), issuerKey("ed25519")]
  t.strictSame(
    readKeySet(keySetOf(...good)).map(({ keyId }) => keyId),
    ["rsa", "p256", "p384", "ed25519"],
  )
  const [{ jwk }] = [issuerKey("p256")]
  const { jwk: rsa } = issuerKey("rsa")
  const weak = generateKeyPairSync("rsa", { modulusLength: 1024 }).publicKey.export({ format: "jwk" })
  const secp256k1 = generateKeyPairSync("ec", { namedCurve: "secp256k1" }).publicKey.export({ format: "jwk" })
  const x25519 = generateKeyPairSync("x25519").publicKey.export({ format: "jwk" })
  const unusable = [
    weak,
    secp256k1,
    x25519,
    { ...rsa, e: "Aw" },
    { ...jwk, use: "enc" },
    { ...jwk, key_ops: ["encrypt"] },
    { ...jwk, alg: "RS256" },
    { ...jwk, alg: "HS256" },
    { ...jwk, y: jwk.x },
    { ...jwk, kid: "a".repeat(257) },
    { kty: "oct", k: "c2VjcmV0" },
    { kty: "EC", crv: "P-256" },
    "key",
    null,
  ]
  for (const key of unusable) {
    const alone = Buffer.from(JSON.stringify({ keys: [key] }))
    t.throws(() => readKeySet(alone), { code: "ISSUER_INVALID" }, JSON.stringify(key))
    t.equal(readKeySet(Buffer.from(JSON.stringify({ keys: [key, jwk] }))).length, 1)
  }
})

t.test("a key set is a list of at most 64 keys", async (t) => {
  const { jwk } = issuerKey("p256")
  const set = (keys: unknown) => () => readKeySet(Buffer.from(JSON.stringify({ keys })))
  t.equal(set(Array.from({ length: 64 }, () => jwk))().length, 64)
  for (const keys of [Array.from({ length: 65 }, () => jwk), [], {}, undefined]) {
    t.throws(set(keys), { code: "ISSUER_INVALID" })
  }
  t.throws(() => readKeySet(Buffer.from("{")), { code: "ISSUER_INVALID" })
})

t.test("a private key that was published by mistake is read as its public half", async (t) => {
  const { privateKey, jwk } = issuerKey("p256")
  const leaked = { ...privateKey.export({ format: "jwk" }), kid: "leaked" }
  const [key] = readKeySet(Buffer.from(JSON.stringify({ keys: [leaked] })))
  const spki = createPublicKey({ key: jwk, format: "jwk" }).export({ format: "der", type: "spki" })
  t.strictSame(Buffer.from(key?.spki ?? []), spki)
})

t.test("opens only keys that it would have taken from a key set", async (t) => {
  const { publicKey } = generateKeyPairSync("rsa", { modulusLength: 1024 })
  const weak = publicKey.export({ format: "der", type: "spki" })
  t.equal(openIssuerKey({ keyId: "", algorithm: "", spki: weak }), undefined)
  t.equal(openIssuerKey({ keyId: "", algorithm: "", spki: Buffer.from("no key") }), undefined)
})
