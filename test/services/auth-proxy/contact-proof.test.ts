// Look-ups by contact that need a proof: the proxy verifies it with the key of the fetcher that the signer states.
import { createPublicKey, randomBytes } from "node:crypto"
import t, { type Test } from "tap"
import { Oauth2Provider, OtpType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { openKeySet, signMessage } from "../../../signer/core/crypto/keyset.ts"
import { Secret } from "../../../signer/core/crypto/secret.ts"
import { type IssuedToken, writeIssuedToken } from "../../../signer/core/oidc/issued-token.ts"
import {
  type VerificationToken,
  writeVerificationToken,
} from "../../../signer/core/otp/verification-token.ts"
import { claimsOf, idToken as idTokenOf, issuerKey } from "../../harness/id-token.ts"
import { startProxy } from "./start-proxy.ts"

const ok = (members: object) => ({ status: 200, text: JSON.stringify(members) })
const ISSUER = "https://wallet.example"
const EMAIL = { filterType: "EMAIL", filterValue: "Ann@example.com" }
const PHONE = { filterType: "PHONE", filterValue: "+15551234567" }

async function setUp(t: Test) {
  const { post, core, clock } = await startProxy(t)
  core.settings = { verificationTokenRequiredForGetAccountPii: true }
  core.state = (stated) => ({ ...stated, oidcIssuer: ISSUER })
  const token = (changes: Partial<VerificationToken> = {}, by = core.fetcher) => {
    const claims = {
      id: "0199cccc-0000-7000-8000-000000000001",
      organizationId: core.organizationId,
      channel: OtpType.EMAIL,
      contact: "ann@example.com",
      publicKey: undefined,
      expiresAtMs: Date.now() + 600_000,
      isSealed: true,
      ...changes,
    }
    return writeVerificationToken(claims, (message) => signMessage(by, message))
  }
  const idToken = (changes: Partial<IssuedToken> = {}, by = core.fetcher) => {
    const claims = {
      issuer: ISSUER,
      audience: "app",
      provider: Oauth2Provider.DISCORD,
      userId: "1",
      nonce: "",
      id: "00",
      issuedAtMs: Date.now(),
      email: "ann@example.com",
      encryptedBearerToken: undefined,
      ...changes,
    }
    return writeIssuedToken(claims, createPublicKey(by.sign), (message) => signMessage(by, message))
  }
  return { post, core, clock, token, idToken }
}

/** The organization's credentials of OAuth 2.0 providers. */
const APPLICATIONS = ok({ oauth2Credentials: [{ provider: "OAUTH2_PROVIDER_DISCORD", clientId: "app" }] })

const another = openKeySet(Secret.moveFrom(randomBytes(32)))

t.test(
  "a verification token for the contact, or an ID token of this service with it, is answered",
  async (t) => {
    const { post, core, token, idToken } = await setUp(t)
    const cases: [what: string, body: object][] = [
      ["a code by mail", { ...EMAIL, verificationToken: token() }],
      ["a code in clear", { ...EMAIL, verificationToken: token({ isSealed: false }) }],
      [
        "a code by text message",
        { ...PHONE, verificationToken: token({ channel: OtpType.SMS, contact: PHONE.filterValue }) },
      ],
      ["an identity of Discord", { ...EMAIL, oidcToken: idToken() }],
    ]
    for (const [what, body] of cases) {
      const before = "oidcToken" in body ? [APPLICATIONS] : []
      core.replies.push(...before, ok({ organizationIds: ["sub"] }))
      t.match(await post("account", body), { status: 200, json: { organizationId: "sub" } }, what)
      core.replies.push(...before, ok({ organizationIds: [] }))
      t.match(await post("account", body), { status: 200, json: {} }, `${what}, of nobody`)
    }
  },
)

t.test(
  "nothing is looked up without a genuine, timely proof of this contact in this organization",
  async (t) => {
    const { post, core, clock, token, idToken } = await setUp(t)
    const forged = token().split(".").with(1, Buffer.from("{}").toString("base64url")).join(".")
    const cases: [what: string, body: object, status: number][] = [
      ["no proof", EMAIL, 403],
      ["another contact", { ...EMAIL, verificationToken: token({ contact: "bob@example.com" }) }, 403],
      ["another channel", { ...PHONE, verificationToken: token() }, 403],
      ["a number as an address", { ...EMAIL, verificationToken: token({ channel: OtpType.SMS }) }, 403],
      ["another fetcher", { ...EMAIL, verificationToken: token({}, another) }, 401],
      [
        "another organization",
        { ...EMAIL, verificationToken: token({ organizationId: core.configId }) },
        401,
      ],
      ["expired", { ...EMAIL, verificationToken: token({ expiresAtMs: Date.now() - 1 }) }, 401],
      ["altered", { ...EMAIL, verificationToken: forged }, 401],
      ["no token", { ...EMAIL, verificationToken: "a.b.c" }, 401],
      ["an ID token in its place", { ...EMAIL, verificationToken: idToken() }, 401],
      ["an identity of another address", { ...EMAIL, oidcToken: idToken({ email: "bob@example.com" }) }, 403],
      ["an identity without address", { ...EMAIL, oidcToken: idToken({ email: undefined }) }, 403],
      ["an identity for a number", { ...PHONE, oidcToken: idToken() }, 403],
      [
        "an identity of another issuer",
        { ...EMAIL, oidcToken: idToken({ issuer: "https://accounts.google.com" }) },
        403,
      ],
      ["an identity that another key signed", { ...EMAIL, oidcToken: idToken({}, another) }, 401],
      ["an expired identity", { ...EMAIL, oidcToken: idToken({ issuedAtMs: Date.now() - 3_600_000 }) }, 401],
      ["a verification token in its place", { ...EMAIL, oidcToken: token() }, 401],
    ]
    for (const [what, body, status] of cases) t.match(await post("account", body), { status }, what)
    const code = { message: /^invalid verification token/, code: 16 }
    t.match(await post("account", { ...EMAIL, verificationToken: token({}, another) }), { json: code })
    core.state = (stated) => ({ ...stated, fetcherPublicKey: "" })
    core.version += 1n
    clock.ms += 2000
    t.match(
      await post("account", { ...EMAIL, verificationToken: token() }),
      { status: 403 },
      "no fetcher is paired",
    )
    t.same(core.posted, [])
  },
)

/** A token of Google, which nobody verifies before the API does. */
function googleToken(changes: object = {}): string {
  const claims = claimsOf("https://accounts.google.com", Date.now(), {
    aud: "shop",
    email: "ann@example.com",
    email_verified: true,
    ...changes,
  })
  return idTokenOf(claims, issuerKey())
}

t.test(
  "a token of Google for an application that links is a proof once the signer verified it",
  async (t) => {
    const { post, core } = await setUp(t)
    core.settings = { ...core.settings, socialLinkingClientIds: ["shop"] }
    const oidcToken = googleToken()
    core.replies.push(ok({}), ok({ organizationIds: ["sub"] }))
    t.match(await post("account", { ...EMAIL, oidcToken }), { status: 200, json: { organizationId: "sub" } })
    t.match(core.posted[0], { path: "/public/v1/query/verify_oidc_token" })
    t.match(core.posted[0]!.body, { organizationId: core.organizationId, oidcToken })
    const refusal = { code: 3, message: "invalid OIDC token: its signature is wrong", details: [] }
    core.replies.push({ status: 400, text: JSON.stringify(refusal) })
    t.match(
      await post("account", { ...EMAIL, oidcToken }),
      { status: 400, json: { message: refusal.message } },
      "not genuine",
    )
    t.equal(core.posted.length, 3, "nothing was looked up")
  },
)

t.test("a token of Google that links nothing is no proof, and nobody is asked about it", async (t) => {
  const { post, core } = await setUp(t)
  core.settings = { ...core.settings, socialLinkingClientIds: ["shop"] }
  const cases: [what: string, body: object][] = [
    ["for another application", { ...EMAIL, oidcToken: googleToken({ aud: "another" }) }],
    ["of another address", { ...EMAIL, oidcToken: googleToken({ email: "bob@example.com" }) }],
    [
      "of an address that Google has not verified",
      { ...EMAIL, oidcToken: googleToken({ email_verified: false }) },
    ],
    ["of another issuer", { ...EMAIL, oidcToken: googleToken({ iss: "https://login.example" }) }],
    ["for a number", { ...PHONE, oidcToken: googleToken({ email: PHONE.filterValue }) }],
  ]
  for (const [what, body] of cases) t.match(await post("account", body), { status: 403 }, what)
  t.same(core.posted, [])
})

t.test("X5: an ID token that was made for another organization's application proves nothing", async (t) => {
  const { post, core, idToken } = await setUp(t)
  const body = { ...EMAIL, oidcToken: idToken({ audience: "another tenant's app" }) }
  core.replies.push(APPLICATIONS, ok({ organizationIds: ["sub"] }))
  t.match(await post("account", body), { status: 403, json: { message: /^verification token required/ } })
  t.same(
    core.posted.map(({ path }) => path.split("/").at(-1)),
    ["list_oauth2_credentials"],
  )
})
