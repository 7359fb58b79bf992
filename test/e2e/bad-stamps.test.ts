// Replies to invalid stamps and times.
import t from "tap"
import { newKey, stampWith } from "../harness/stamper.ts"
import { invalid, setup, unauthenticated } from "./refusals.ts"

const SIGN = "submit/sign_raw_payload"
const WALLET = "submit/create_wallet"
const HOUR_MS = 60 * 60 * 1000

t.test("invalid stamps and times", async (t) => {
  const { system, organizationId, root, brief, sign, wallet, stamped, refusals, untilBriefExpires } =
    await setup(t)
  const post = (path: string, body: string, headers: Record<string, string> = {}) =>
    system.send(`/public/v1/${path}`, { method: "POST", body, headers })

  for (const [kind, path, body] of [
    ["signature", SIGN, sign],
    ["change", WALLET, wallet],
    ["query", "query/whoami", () => JSON.stringify({ organizationId })],
  ] as const) {
    const stamp = (text: string, key = root) => stampWith(key, text)
    refusals(`refuses the stamps of a ${kind}`, {
      "no stamp": [
        () => post(path, body()),
        unauthenticated(
          "SIGNATURE_MISSING",
          "STAMP_MISSING",
          /no valid authentication signature found for request: none of X-Stamp, X-Stamp-WebAuthn and X-Stamp-Attested is there/,
        ),
      ],
      "two stamps": [
        () => post(path, body(), { "x-stamp": stamp(body()), "x-stamp-webauthn": "{}" }),
        unauthenticated(
          "SIGNATURE_INVALID",
          "STAMP_MALFORMED",
          /a request carries one stamp, this one has X-Stamp and X-Stamp-WebAuthn/,
        ),
      ],
      "the same header twice": [
        () => post(path, body(), { "x-stamp": `${stamp(body())}, ${stamp(body())}` }),
        unauthenticated(
          "SIGNATURE_INVALID",
          "STAMP_MALFORMED",
          /could not extract api key stamp: the header is not base64url/,
        ),
      ],
      "no base64url": [
        () => post(path, body(), { "x-stamp": "!" }),
        unauthenticated(
          "SIGNATURE_INVALID",
          "STAMP_MALFORMED",
          /could not extract api key stamp: the header is not base64url/,
        ),
      ],
      "another body": [
        () => post(path, body(), { "x-stamp": stamp(`${body()} `) }),
        unauthenticated(
          "SIGNATURE_INVALID",
          "STAMP_INVALID",
          /could not verify api key signature: public key [0-9a-f]+ did not sign this body: another private key, or the body changed after stamping/,
        ),
      ],
      "an unknown key": [
        () => stamped(path, body(), newKey()),
        unauthenticated(
          "PUBLIC_KEY_NOT_FOUND",
          "CREDENTIAL_UNKNOWN",
          /could not find public key in organization or its parent organization: organizationId=/,
        ),
      ],
    })
  }

  t.test("the short-lived key expires", () => untilBriefExpires())
  refusals("refuses a key that has expired", {
    signing: [
      () => stamped(SIGN, sign(), brief),
      unauthenticated("API_KEY_EXPIRED", "CREDENTIAL_EXPIRED", /expired api key: .*publicKey=/),
    ],
    changing: [
      () => stamped(WALLET, wallet(), brief),
      unauthenticated("API_KEY_EXPIRED", "CREDENTIAL_EXPIRED", /expired api key: .*publicKey=/),
    ],
    asking: [
      () => system.query("whoami", { organizationId }, brief),
      unauthenticated("API_KEY_EXPIRED", "CREDENTIAL_EXPIRED", /expired api key: .*publicKey=/),
    ],
  })

  refusals("refuses a time that is not now", {
    stale: [
      () => stamped(SIGN, sign({}, Date.now() - HOUR_MS)),
      invalid(/timestampMs is an hour old or older/, "timestampMs", "REQUEST_STALE"),
    ],
    future: [
      () => stamped(SIGN, sign({}, Date.now() + 6 * 60_000)),
      invalid(/timestampMs is more than five minutes ahead/, "timestampMs", "REQUEST_FROM_FUTURE"),
    ],
    "no number": [
      () => stamped(SIGN, sign().replace(/"timestampMs":"\d+"/, '"timestampMs":"now"')),
      invalid(/timestampMs must be a string of decimal digits, milliseconds/, "timestampMs"),
    ],
    "a bare number": [
      () => stamped(SIGN, sign().replace(/"timestampMs":"(\d+)"/, '"timestampMs":$1')),
      invalid(/timestampMs must be a string of decimal digits, milliseconds/, "timestampMs"),
    ],
  })

  t.test("the unaltered requests are accepted", async (t) => {
    t.equal((await stamped(SIGN, sign())).status, 200)
    t.equal((await stamped(WALLET, wallet())).status, 200)
    t.equal((await system.query("whoami", { organizationId }, root)).status, 200)
  })
})
