import fc from "fast-check"
import t from "tap"
import { readKeySet, readKeysUrl } from "../../../../signer/core/oidc/key-set.ts"
import { openIssuerKey } from "../../../../signer/core/oidc/keys.ts"
import { readIdToken, requireValid } from "../../../../signer/core/oidc/token.ts"
import { openEnvelope } from "../../../../signer/core/crypto/envelope.ts"
import { Refusal } from "../../../../signer/core/refusal.ts"
import { newKeySet } from "../../../harness/fetcher.ts"
import { claimsOf, encode, idToken, issuerKey, keySetOf } from "../../../harness/id-token.ts"
import { runsOf } from "../../../harness/long.ts"

const ISSUER = "https://issuer.example"
const NOW = Date.UTC(2026, 0, 1)
const key = issuerKey("p256")
const keys = readKeySet(keySetOf(key)).flatMap((one) => openIssuerKey(one) ?? [])

/** Runs it; whatever it throws is a refusal with this code. */
function refuses(code: string, run: () => unknown): void {
  try {
    run()
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== code) throw error
  }
}

const json = fc.jsonValue({ maxDepth: 3 })
const part = fc.oneof(fc.string(), fc.base64String(), json.map(encodeAny))

t.test("any token, key set, configuration or envelope is read or refused with its code", async (t) => {
  fc.assert(
    fc.property(fc.array(part, { maxLength: 5 }), (parts) => {
      refuses("OIDC_TOKEN_INVALID", () =>
        requireValid(readIdToken(parts.join("."), "f"), keys, { nowMs: NOW, leewaySeconds: 60 }, "f"),
      )
    }),
    { numRuns: runsOf(2_000) },
  )
  const bytes = fc.oneof(
    fc.uint8Array(),
    json.map(bytesOf),
    json.map((value) => bytesOf({ keys: [value] })),
  )
  fc.assert(
    fc.property(bytes, (document) => {
      refuses("ISSUER_INVALID", () => readKeySet(document))
      refuses("ISSUER_INVALID", () => readKeysUrl(document, ISSUER))
    }),
    { numRuns: runsOf(2_000) },
  )
  const { encrypt } = newKeySet()
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (envelope) => {
      if (openEnvelope(encrypt.privateKey, envelope) !== undefined) throw new Error("it opens")
    }),
  )
  t.pass("no other end")
})

t.test("claims of whatever kind are accepted only if they are strict", async (t) => {
  const names = fc.constantFrom("iss", "aud", "sub", "exp", "iat", "nbf")
  let accepted = 0
  fc.assert(
    fc.property(names, json, (name, value) => {
      const token = idToken(claimsOf(ISSUER, NOW, { [name]: value }), key)
      refuses("OIDC_TOKEN_INVALID", () => {
        const { issuer, audience, subject } = readIdToken(token, "f")
        requireValid(readIdToken(token, "f"), keys, { nowMs: NOW, leewaySeconds: 60 }, "f")
        if (![issuer, audience, subject].every((text) => typeof text === "string" && text !== ""))
          throw new Error("an identity with a part that is no text")
        accepted += 1
      })
    }),
    { numRuns: 1_000 },
  )
  t.ok(accepted > 0, `${accepted} were good after all`)
})

function encodeAny(value: unknown): string {
  return encode({ value }) + encode([value])
}

function bytesOf(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value) ?? "")
}
