import t from "tap"
import { readKeySet } from "../../../../signer/core/oidc/key-set.ts"
import { openIssuerKey, type VerificationKey } from "../../../../signer/core/oidc/keys.ts"
import { readIdToken, requireValid } from "../../../../signer/core/oidc/token.ts"
import {
  claimsOf,
  encode,
  hmacToken,
  idToken,
  type IssuerKeyPair,
  issuerKey,
  keySetOf,
} from "../../../harness/id-token.ts"

const ISSUER = "https://issuer.example"
const NOW = Date.UTC(2026, 0, 1)
const FIELD = "parameters.oidcToken"

const rsa = issuerKey("rsa")
const p256 = issuerKey("p256")
const p384 = issuerKey("p384")
const ed25519 = issuerKey("ed25519")
const published = opened(rsa, p256, p384, ed25519)

t.test("accepts a token signed by each kind of key, in each algorithm it is good for", async (t) => {
  const algorithms = [
    ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"].map((alg) => ({ alg, key: rsa })),
    { alg: "ES256", key: p256 },
    { alg: "ES384", key: p384 },
    { alg: "EdDSA", key: ed25519 },
  ]
  for (const { alg, key } of algorithms) {
    const token = idToken(claimsOf(ISSUER, NOW), key, { alg })
    t.match(check(token), { issuer: ISSUER, audience: "app", subject: "alice" }, alg)
  }
})

t.test("refuses a token without signature, and one signed with a public key as secret", async (t) => {
  const claims = claimsOf(ISSUER, NOW)
  const unsigned = `${encode({ alg: "none" })}.${encode(claims)}.`
  t.throws(() => check(unsigned), { code: "OIDC_TOKEN_INVALID", field: FIELD })
  for (const alg of ["none", "None", "NONE", "HS256", "HS512", "ES256K", "ES512", "RSA1_5", "", 5, null]) {
    const token = idToken(claims, p256).split(".")
    const altered = [encode({ alg, kid: "p256" }), token[1], token[2]].join(".")
    t.throws(() => check(altered), { code: "OIDC_TOKEN_INVALID", message: /is not accepted/ }, String(alg))
  }
  const spki = published.find(({ keyId }) => keyId === "rsa")?.key.export({ format: "pem", type: "spki" })
  t.throws(() => check(hmacToken(claims, Buffer.from(String(spki)), { kid: "rsa" })), {
    code: "OIDC_TOKEN_INVALID",
    message: /"HS256" is not accepted/,
  })
})

t.test("refuses a token of which any part was altered", async (t) => {
  const token = idToken(claimsOf(ISSUER, NOW), p256)
  t.ok(check(token))
  for (let at = 0; at < token.length; at += 1) {
    const other = token[at] === "A" ? "B" : "A"
    const altered = token.slice(0, at) + other + token.slice(at + 1)
    t.throws(() => check(altered), { code: "OIDC_TOKEN_INVALID" }, `character ${at}`)
  }
})

t.test("refuses a signature by another key, of another algorithm, or of another length", async (t) => {
  const claims = claimsOf(ISSUER, NOW)
  const stranger = issuerKey("p256", "p256")
  t.throws(() => check(idToken(claims, stranger)), { message: /signature is wrong/ })
  t.throws(() => check(idToken(claims, p256, { kid: "p384" })), { message: /for its key id/ })
  const [header, payload, signature = ""] = idToken(claims, p256).split(".")
  const bytes = Buffer.from(signature, "base64url")
  for (const other of [bytes.subarray(1), Buffer.concat([bytes, bytes]), Buffer.alloc(64)]) {
    const altered = [header, payload, other.toString("base64url")].join(".")
    t.throws(() => check(altered), { message: /signature is wrong/ })
  }
  const alone = opened({ ...rsa, jwk: { ...rsa.jwk, alg: "RS256" } })
  const pss = idToken(claims, rsa, { alg: "PS256" })
  t.throws(() => check(pss, alone), { message: /has 0 keys/ }, "the key is for one algorithm only")
  t.ok(check(idToken(claims, rsa), alone))
})

t.test("takes the one key that fits, by its id or alone of its kind", async (t) => {
  const claims = claimsOf(ISSUER, NOW)
  const nameless = { kid: undefined }
  t.ok(check(idToken(claims, p256, nameless)), "one key of the kind")
  const twin = issuerKey("p256", "twin")
  t.throws(
    () => check(idToken(claims, p256, nameless), opened(p256, twin)),
    { message: /the issuer has 2 keys/ },
    "two of the kind",
  )
  t.ok(check(idToken(claims, p256), opened(twin, p256)), "two of the kind, one named")
  t.throws(() => check(idToken(claims, p256, { kid: "unknown" })), { message: /has 0 keys/ })
  const doubled = { ...twin, jwk: { ...twin.jwk, kid: "p256" } }
  t.throws(() => check(idToken(claims, p256), opened(p256, doubled)), { message: /has 2 keys/ })
})

t.test("refuses a token that is not good now", async (t) => {
  const now = NOW / 1000
  const at = (changes: object) => idToken(claimsOf(ISSUER, NOW, changes), p256)
  t.ok(check(at({ exp: now - 59 })), "a minute is allowed for clocks")
  t.throws(() => check(at({ exp: now - 60 })), { message: /it has expired/ })
  t.ok(check(at({ iat: now + 60, nbf: now + 60 })))
  t.throws(() => check(at({ iat: now + 61 })), { message: /iat lies in the future/ })
  t.throws(() => check(at({ nbf: now + 61 })), { message: /nbf lies in the future/ })
  t.throws(() => check(at({ exp: undefined })), { message: /exp is missing/ })
  t.ok(check(at({ iat: undefined, nbf: undefined })))
  for (const odd of ["1", true, null, -1, {}]) {
    t.throws(() => check(at({ exp: odd })), { message: /exp is no time/ })
    t.throws(() => check(at({ iat: odd })), { message: /iat is no time/ })
  }
})

t.test("wants one issuer, one audience and one subject", async (t) => {
  const of = (changes: object) => () => check(idToken(claimsOf(ISSUER, NOW, changes), p256))
  t.match(of({ aud: ["app"] })(), { audience: "app" }, "a list of one")
  for (const aud of [["app", "other"], [], [["app"]], "", undefined, 5, "a".repeat(257)]) {
    t.throws(of({ aud }), { code: "OIDC_TOKEN_INVALID", message: /aud does not name one/ })
  }
  for (const sub of ["", undefined, 5, ["alice"], "a".repeat(256)]) {
    t.throws(of({ sub }), { message: /sub is not 1 to 255 characters/ })
  }
  for (const iss of ["", undefined, 5, "issuer.example", "ftp://issuer.example", `${ISSUER}?a=b`]) {
    t.throws(of({ iss }), { message: /iss is no issuer/ })
  }
  t.match(of({ iss: "accounts.google.com" })(), { issuer: "https://accounts.google.com" })
})

t.test("refuses what is not strictly a compact token", async (t) => {
  const token = idToken(claimsOf(ISSUER, NOW), p256)
  const [header = "", payload = "", signature = ""] = token.split(".")
  const doubled = Buffer.from('{"iss":"https://issuer.example","aud":"app","sub":"alice","sub":"bob"}')
  const faulty = {
    "two parts": `${header}.${payload}`,
    "four parts": `${token}.`,
    "five parts": `${token}..`,
    "no text": "",
    padding: `${header}=.${payload}.${signature}`,
    "other alphabet": `${header}.${payload}+.${signature}`,
    "white space": `${token}\n`,
    "two spellings": `${header}.${payload}.${signature.slice(0, -1)}${signature.at(-1) === "A" ? "B" : "A"}`,
    "claims with two readings": `${header}.${doubled.toString("base64url")}.${signature}`,
    "claims that are no object": `${header}.${encode(["alice"])}.${signature}`,
    "critical extensions": idToken(claimsOf(ISSUER, NOW), p256, { crit: ["b64"], b64: false }),
    "another kind of token": idToken(claimsOf(ISSUER, NOW), p256, { typ: "at+jwt" }),
    "a key id that is no text": idToken(claimsOf(ISSUER, NOW), p256, { kid: 5 }),
  }
  for (const [name, text] of Object.entries(faulty)) {
    t.throws(() => check(text), { code: "OIDC_TOKEN_INVALID", field: FIELD }, name)
  }
})

t.test("a key that the token brings along decides nothing", async (t) => {
  const stranger = issuerKey("p256", "p256")
  const token = idToken(claimsOf(ISSUER, NOW), stranger, { jwk: stranger.jwk, jku: "https://evil.example" })
  t.throws(() => check(token), { message: /signature is wrong/ })
})

function check(token: string, keys: readonly VerificationKey[] = published) {
  const read = readIdToken(token, FIELD)
  requireValid(read, keys, NOW, FIELD)
  return read
}

function opened(...keys: readonly IssuerKeyPair[]): VerificationKey[] {
  return readKeySet(keySetOf(...keys)).flatMap((key) => openIssuerKey(key) ?? [])
}
