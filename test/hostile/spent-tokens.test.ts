// ID tokens that are used a second time in another spelling, and tokens whose issuer writes any time into them.
import { p256 } from "@noble/curves/nist.js"
import t from "tap"
import { AttestedKey } from "../harness/attested.ts"
import { newKey, stampWith } from "../harness/stamper.ts"
import { attestedKey, identityChild, loginServer, oauthParams } from "./oidc-fixture.ts"
import { refused, setup } from "./setup.ts"

const LOGIN = "ACTIVITY_TYPE_OAUTH_LOGIN"
const MINUTE_MS = 60_000

async function setUp(t: { teardown(clean: () => Promise<void>): unknown }) {
  const fixture = await setup(t)
  const { client } = fixture
  const server = await loginServer(fixture)
  const { organizationId } = await identityChild(fixture, "alice", newKey())
  const attempt = (by: AttestedKey, others: object = {}) => {
    const body = client.body(LOGIN, organizationId, oauthParams(by, others))
    return () => client.offer(body, stampWith(server.key, body))
  }
  return { fixture, attempt }
}

/** The same header and payload under the other signature that an ECDSA signature gives to everybody: (r, n - s). */
function mirrored({ key, token }: AttestedKey): AttestedKey {
  const [header, payload, signature = ""] = token.split(".")
  const { r, s } = p256.Signature.fromBytes(Buffer.from(signature, "base64url"))
  const other = new p256.Signature(r, p256.Point.Fn.ORDER - s).toBytes()
  return new AttestedKey(key, `${header}.${payload}.${Buffer.from(other).toString("base64url")}`)
}

t.test(
  "A8: a token whose session is over opens no second one, in either spelling of its signature",
  async (t) => {
    const { fixture, attempt } = await setUp(t)
    const by = attestedKey(fixture)
    t.match(await attempt(mirrored(attestedKey(fixture)))(), { is: "outcome" }, "both spellings are valid")
    t.match(await attempt(by, { expirationSeconds: "60" })(), { is: "outcome" })
    fixture.boundary.clock.pass(2 * MINUTE_MS)
    await refused(t, fixture, "OIDC_TOKEN_USED", attempt(by), "as it was")
    await refused(t, fixture, "OIDC_TOKEN_USED", attempt(mirrored(by)), "in the other spelling")
  },
)

t.test(
  "an issuer's times are whole milliseconds that the ledger can keep, or the token is refused",
  async (t) => {
    const { fixture, attempt } = await setUp(t)
    const nowSeconds = fixture.boundary.nowMs() / 1000
    const fraction = attestedKey(fixture, { exp: nowSeconds + 600.123_456_7 })
    t.match(await attempt(fraction)(), { is: "outcome" }, "RFC 7519 section 2: fractions of a second")
    await refused(t, fixture, "OIDC_TOKEN_USED", attempt(fraction))
    for (const exp of [1e300, Number.MAX_VALUE, 2 ** 53])
      await refused(t, fixture, "OIDC_TOKEN_INVALID", attempt(attestedKey(fixture, { exp })), String(exp))
    t.match(await attempt(attestedKey(fixture))(), { is: "outcome" }, "others still log in")
  },
)
