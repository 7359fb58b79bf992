// Stamps of all four schemes over HTTP: accepted ones, and refusals with their reasons.
import t from "tap"
import {
  CURVE_OF_SCHEME,
  curveKeyParams,
  MISNAMED,
  newCurveKey,
  SCHEMES,
  stampUnder,
} from "../harness/scheme-keys.ts"
import type { Json } from "../harness/system.ts"
import { setup, unauthenticated } from "./refusals.ts"

const MESSAGES = {
  STAMP_MALFORMED: /could not extract api key stamp: publicKey is not a compressed key of the scheme's curve/,
  STAMP_SCHEME_MISMATCH: /the credential does not stamp with SIGNATURE_SCHEME_TK_API_/,
  STAMP_INVALID:
    /could not verify api key signature: public key [0-9a-f]+ did not sign this body: another private key, or the body changed after stamping/,
} as const

t.test("stamps of all schemes", async (t) => {
  const { system, organizationId, root, sign, wallet, refusals } = await setup(t)
  const { json } = await system.query("whoami", { organizationId }, root)
  const userId = String(json["userId"])
  const keys = SCHEMES.map((scheme) => ({ scheme, key: newCurveKey(CURVE_OF_SCHEME[scheme]) }))
  const parameters = { userId, apiKeys: keys.map(({ scheme, key }) => curveKeyParams(key, scheme)) }
  await system.submit("create_api_keys", system.body("CREATE_API_KEYS_V2", organizationId, parameters), root)
  const post = (path: string, body: string, xStamp: string) =>
    system.send(`/public/v1/${path}`, { method: "POST", body, headers: { "x-stamp": xStamp } })
  const requests = [
    ["signature", "submit/sign_raw_payload", sign],
    ["change", "submit/create_wallet", wallet],
    ["query", "query/whoami", () => JSON.stringify({ organizationId })],
  ] as const

  for (const [kind, path, bodyOf] of requests) {
    refusals(
      `refuses a ${kind} that was altered behind its stamp`,
      Object.fromEntries(
        keys.map(({ scheme, key }) => [
          scheme,
          [
            () => {
              const body = bodyOf()
              return post(path, ` ${body}`, stampUnder(key, scheme, body))
            },
            unauthenticated("SIGNATURE_INVALID", "STAMP_INVALID", MESSAGES.STAMP_INVALID),
          ],
        ]),
      ),
    )
    refusals(
      `refuses the stamp of a ${kind} under another scheme's name`,
      Object.fromEntries(
        MISNAMED.map(({ signed, claimed, code }) => [
          `${signed} as ${claimed}`,
          [
            () => {
              const body = bodyOf()
              const { key } = keys.find(({ scheme }) => scheme === signed)!
              return post(path, body, stampUnder(key, signed, body, claimed))
            },
            unauthenticated("SIGNATURE_INVALID", code, MESSAGES[code]),
          ],
        ]),
      ),
    )
  }

  for (const { scheme, key } of keys) {
    t.test(`${scheme} stamps a signature, a change and a query`, async (t) => {
      for (const [kind, path, bodyOf] of requests) {
        const body = kind === "change" ? wallet(scheme) : bodyOf()
        const reply = await post(path, body, stampUnder(key, scheme, body))
        t.equal(reply.status, 200, reply.text)
        if (kind === "query") t.match(reply.json, { organizationId, userId })
        else {
          const { status, votes } = reply.json["activity"] as Json
          t.equal(status, "ACTIVITY_STATUS_COMPLETED")
          t.match(votes, [{ userId, scheme, publicKey: key.publicKeyHex, message: body }])
        }
      }
    })
  }
})
