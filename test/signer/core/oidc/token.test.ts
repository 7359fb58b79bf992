import t from "tap"
import { readKeySet } from "../../../../signer/core/oidc/key-set.ts"
import { openIssuerKey, type VerificationKey } from "../../../../signer/core/oidc/keys.ts"
import { lastExpiryMsOf, readIdToken, requireValid } from "../../../../signer/core/oidc/token.ts"
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
const p521 = issuerKey("p521")
const ed25519 = issuerKey("ed25519")
const published = opened(rsa, p256, p384, p521, ed25519)

t.test("accepts a token signed by each kind of key, in each algorithm it is good for", async (t) => {
  const algorithms = [
    ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"].map((alg) => ({ alg, key: rsa })),
    { alg: "ES256", key: p256 },
    { alg: "ES384", key: p384 },
    { alg: "ES512", key: p521 },
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
  for (const alg of ["none", "None", "NONE", "HS256", "HS512", "ES256K", "ES521", "RSA1_5", "", 5, null]) {
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

t.test("tries the keys that fit: those with the token's key id, else those without any", async (t) => {
  const claims = claimsOf(ISSUER, NOW)
  const nameless = { kid: undefined }
  const strangers = Array.from({ length: 7 }, () => issuerKey("p256", "stranger"))
  const renamed = (pair: IssuerKeyPair, kid?: string): IssuerKeyPair => {
    const { kid: _kid, ...jwk } = pair.jwk
    return { ...pair, jwk: { ...jwk, ...(kid !== undefined && { kid }) } }
  }
  t.ok(
    check(idToken(claims, p256, nameless), opened(...strangers, p256)),
    "a token without id: any of its algorithm",
  )
  t.ok(check(idToken(claims, p256), opened(...strangers, p256)), "the one that it names")
  t.ok(
    check(idToken(claims, p256), opened(...strangers.map((one) => renamed(one, "p256")), p256)),
    "one id eight times",
  )
  t.ok(check(idToken(claims, p256), opened(...strangers, renamed(p256))), "a key without id")
  t.throws(
    () => check(idToken(claims, p256), opened(renamed(strangers[0]!, "p256"), renamed(p256))),
    { message: /signature is wrong/ },
    "a key without id is not tried where another has the token's",
  )
  t.throws(
    () => check(idToken(claims, p256, nameless), opened(...strangers, issuerKey("p256", "ninth"), p256)),
    { message: /has 9 keys for its algorithm, expected 1 to 8/ },
  )
  t.throws(() => check(idToken(claims, p256, { kid: "unknown" })), { message: /has 0 keys/ })
  t.throws(() => check(idToken(claims, issuerKey("p256"), nameless), opened(...strangers)), {
    message: /signature is wrong/,
  })
})

t.test("refuses a token that is not good now", async (t) => {
  const now = NOW / 1000
  const at = (changes: object) => idToken(claimsOf(ISSUER, NOW, changes), p256)
  t.ok(check(at({ exp: now - 59 })), "a minute is allowed for clocks")
  t.throws(() => check(at({ exp: now - 60 })), { message: /it has expired/ })
  t.ok(check(at({ iat: now + 60, nbf: now + 60 })))
  t.throws(() => check(at({ iat: now + 61 })), { message: /iat lies in the future/ })
  t.throws(() => check(at({ nbf: now + 61 })), { message: /nbf lies in the future/ })
  t.ok(check(at({ exp: now - 299, iat: now + 300 }), published, 300), "a setting allows more")
  t.throws(() => check(at({ exp: now - 300 }), published, 300), { message: /it has expired/ })
  t.throws(
    () => check(at({ iat: now + 1 }), published, 0),
    { message: /iat lies in the future/ },
    "or nothing",
  )
  t.throws(() => check(at({ exp: now }), published, 0), { message: /it has expired/ })
  t.equal(
    lastExpiryMsOf(check(at({ exp: now + 1.5 })), FIELD),
    NOW + 301_500,
    "a use is remembered for the most",
  )
  t.throws(() => check(at({ exp: undefined })), { message: /exp is missing/ })
  t.ok(check(at({ iat: undefined, nbf: undefined })))
  for (const odd of ["1", true, null, -1, {}]) {
    t.throws(() => check(at({ exp: odd })), { message: /exp is no time/ })
    t.throws(() => check(at({ iat: odd })), { message: /iat is no time/ })
  }
})

t.test("wants one issuer, one application and one subject", async (t) => {
  const of = (changes: object) => () => check(idToken(claimsOf(ISSUER, NOW, changes), p256))
  t.match(of({ aud: ["app"] })(), { audience: "app" }, "a list of one")
  t.match(
    of({ aud: "app", azp: "other" })(),
    { audience: "app" },
    "Google's tokens for a server name the mobile app so",
  )
  t.match(of({ aud: ["api", "app"], azp: "app" })(), { audience: "app" }, "of several, the authorized party")
  t.match(of({ aud: ["app", "app"], azp: "app" })(), { audience: "app" })
  for (const aud of [["app", "other"], ["app", "app"], [], [["app"]], "", undefined, 5, "a".repeat(257)]) {
    t.throws(of({ aud }), { code: "OIDC_TOKEN_INVALID", message: /aud does not name one/ })
  }
  for (const azp of ["else", "", 5, ["app"], null, {}]) {
    t.throws(of({ aud: ["app", "api"], azp }), { message: /aud does not name one/ }, JSON.stringify(azp))
  }
  for (const aud of [
    ["app", 5],
    ["app", ""],
    ["app", ["app"]],
    ["app", null],
  ]) {
    t.throws(of({ aud, azp: "app" }), { message: /aud does not name one/ }, JSON.stringify(aud))
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

function check(token: string, keys: readonly VerificationKey[] = published, leewaySeconds = 60) {
  const read = readIdToken(token, FIELD)
  requireValid(read, keys, { nowMs: NOW, leewaySeconds }, FIELD)
  return read
}

function opened(...keys: readonly IssuerKeyPair[]): VerificationKey[] {
  return readKeySet(keySetOf(...keys)).flatMap((key) => openIssuerKey(key) ?? [])
}
