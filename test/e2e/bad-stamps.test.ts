// What the issue lists under "Bad input gets", part one: who asks, and when.
import t from "tap"
import { newKey, stampWith } from "../harness/stamper.ts"
import { invalid, scene, unauthenticated } from "./refusals.ts"

const SIGN = "submit/sign_raw_payload"
const WALLET = "submit/create_wallet"
const HOUR_MS = 60 * 60 * 1000

t.test("bad stamps and times", async (t) => {
  const { system, organizationId, root, brief, sign, wallet, stamped, refusals, untilBriefIsOver } =
    await scene(t)
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
        unauthenticated("SIGNATURE_MISSING", /no valid authentication signature/),
      ],
      "two stamps": [
        () => post(path, body(), { "x-stamp": stamp(body()), "x-stamp-webauthn": "{}" }),
        unauthenticated("SIGNATURE_INVALID", /one stamp/),
      ],
      "the same header twice": [
        () => post(path, body(), { "x-stamp": `${stamp(body())}, ${stamp(body())}` }),
        unauthenticated("SIGNATURE_INVALID", /stamp/),
      ],
      "no base64url": [
        () => post(path, body(), { "x-stamp": "!" }),
        unauthenticated("SIGNATURE_INVALID", /stamp/),
      ],
      "another body": [
        () => post(path, body(), { "x-stamp": stamp(`${body()} `) }),
        unauthenticated("SIGNATURE_INVALID", /./),
      ],
      "an unknown key": [
        () => stamped(path, body(), newKey()),
        unauthenticated("PUBLIC_KEY_NOT_FOUND", /could not find public key/),
      ],
    })
  }

  t.test("waits until the brief key has expired", () => untilBriefIsOver())
  refusals("refuses a key that has expired", {
    signing: [() => stamped(SIGN, sign(), brief), unauthenticated("API_KEY_EXPIRED", /expired api key/)],
    changing: [() => stamped(WALLET, wallet(), brief), unauthenticated("API_KEY_EXPIRED", /expired api key/)],
    asking: [
      () => system.query("whoami", { organizationId }, brief),
      unauthenticated("API_KEY_EXPIRED", /expired api key/),
    ],
  })

  refusals("refuses a time that is not now", {
    stale: [
      () => stamped(SIGN, sign({}, Date.now() - HOUR_MS)),
      invalid(/hour old/, "timestampMs", "INVALID_TIME"),
    ],
    future: [
      () => stamped(SIGN, sign({}, Date.now() + 6 * 60_000)),
      invalid(/ahead/, "timestampMs", "INVALID_TIME"),
    ],
    "no number": [
      () => stamped(SIGN, sign().replace(/"timestampMs":"\d+"/, '"timestampMs":"now"')),
      invalid(/timestampMs/, "timestampMs"),
    ],
    "a bare number": [
      () => stamped(SIGN, sign().replace(/"timestampMs":"(\d+)"/, '"timestampMs":$1')),
      invalid(/timestampMs/, "timestampMs"),
    ],
  })

  t.test("the unaltered twins go through", async (t) => {
    t.equal((await stamped(SIGN, sign())).status, 200)
    t.equal((await stamped(WALLET, wallet())).status, 200)
    t.equal((await system.query("whoami", { organizationId }, root)).status, 200)
  })
})
