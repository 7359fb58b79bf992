// The signature by which the key of a verification token allows a sign-up with these contacts and credentials alone.
import t from "tap"
import { Refusal } from "../../../../signer/core/refusal.ts"
import { requireSignedSignUp } from "../../../../signer/core/stamp/signed-sign-up.ts"
import { newKey } from "../../../harness/stamper.ts"
import { clientSignature, signUpUsage } from "../../../harness/verification.ts"

const key = newKey()
const ID = "0d1f6f1b-6e1c-4f0b-9d07-5d3a6f4f2c11"
const apiKey = { apiKeyName: "k", publicKey: "02".repeat(33), curveType: "API_KEY_CURVE_P256" }
const passkey = {
  authenticatorName: "p",
  challenge: "c",
  attestation: { credentialId: "i", clientDataJson: "d", attestationObject: "o", transports: ["T"] },
}
const identity = { providerName: "idp", oidcClaims: { iss: "https://i.example", sub: "s", aud: "a" } }
const user = {
  email: "ann@example.com",
  phoneNumber: undefined,
  apiKeys: [apiKey],
  authenticators: [passkey],
  oauthProviders: [identity],
}
const none = { ...user, apiKeys: [], authenticators: [], oauthProviders: [] }

function reasonOf(message: string, asked: typeof user | typeof none = user, token: object = {}) {
  try {
    requireSignedSignUp(
      clientSignature(key, message),
      { id: ID, publicKey: key.publicKeyHex, ...token },
      asked,
      "parameters.clientSignature",
    )
    return ""
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { code, field } = error
    if (code !== "CLIENT_SIGNATURE_INVALID" || field !== "parameters.clientSignature") throw error
    return error.message.replace("invalid client signature: ", "")
  }
}

t.test(
  "a sign-up is signed under either name, in any order of members, and empty lists are none",
  async (t) => {
    t.equal(reasonOf(signUpUsage(ID, user)), "")
    t.equal(reasonOf(signUpUsage(ID, user, "signup")), "")
    t.equal(reasonOf(signUpUsage(ID, none), none), "")
    t.equal(reasonOf(signUpUsage(ID, { email: user.email }), none), "")
    const { attestation, ...rest } = passkey
    const { transports: _, ...untransported } = attestation
    const missing = { ...user, authenticators: [{ ...passkey, attestation: untransported }] }
    const empty = {
      ...user,
      authenticators: [{ ...passkey, attestation: { ...attestation, transports: [] } }],
    }
    t.equal(reasonOf(signUpUsage(ID, missing), empty), "", "an empty list within an item")
    const turned = {
      oauthProviders: [{ oidcClaims: { aud: "a", sub: "s", iss: "https://i.example" }, providerName: "idp" }],
      authenticators: [{ attestation, ...rest }],
      apiKeys: [{ curveType: apiKey.curveType, publicKey: apiKey.publicKey, apiKeyName: "k" }],
      email: user.email,
    }
    t.equal(
      reasonOf(` { "type":"USAGE_TYPE_SIGNUP", "signup":${JSON.stringify(turned)}, "tokenId":"${ID}" }`),
      "",
    )
    const two = [apiKey, { ...apiKey, apiKeyName: "l" }]
    t.equal(reasonOf(signUpUsage(ID, { ...user, apiKeys: two }), { ...user, apiKeys: two }), "")
  },
)

t.test(
  "A8: a sign-up with another contact or credential than the key signed is refused by its member",
  async (t) => {
    const other = (member: string) => `the message has other ${member} than the new user`
    const asked: [string, object][] = [
      ["email", { email: "eve@example.com" }],
      ["email", { email: "ANN@example.com" }],
      ["email", { email: undefined }],
      ["phoneNumber", { phoneNumber: "+15551234567" }],
      ["apiKeys", { apiKeys: [apiKey, apiKey] }],
      ["apiKeys", { apiKeys: [] }],
      ["apiKeys", { apiKeys: [{ ...apiKey, publicKey: "03".repeat(33) }] }],
      ["apiKeys", { apiKeys: [{ ...apiKey, expirationSeconds: "60" }] }],
      ["authenticators", { authenticators: [passkey, passkey] }],
      [
        "authenticators",
        { authenticators: [{ ...passkey, attestation: { ...passkey.attestation, transports: [] } }] },
      ],
      ["oauthProviders", { oauthProviders: [] }],
      ["oauthProviders", { oauthProviders: [{ providerName: "idp", oidcToken: "a.b.c" }] }],
    ]
    for (const [member, changes] of asked)
      t.equal(reasonOf(signUpUsage(ID, user), { ...user, ...changes }), other(member))
    const two = [apiKey, { ...apiKey, apiKeyName: "l" }]
    const turned = signUpUsage(ID, { ...user, apiKeys: two.toReversed() })
    t.equal(reasonOf(turned, { ...user, apiKeys: two }), other("apiKeys"), "a list has an order")
    t.equal(reasonOf(signUpUsage(ID, { ...user, later: 1 })), other("later"))
    t.equal(reasonOf(signUpUsage(ID, { ...user, email: null })), other("email"))
    t.equal(
      reasonOf(signUpUsage(ID, { ...none, apiKeys: {} }), none),
      other("apiKeys"),
      "an object is no list",
    )
  },
)

t.test("B1: a message that describes no sign-up, two of them, or another use is refused", async (t) => {
  const undescribed = "the message describes no sign-up"
  const text = (members: object) => JSON.stringify({ tokenId: ID, type: "USAGE_TYPE_SIGNUP", ...members })
  t.equal(reasonOf(text({})), undescribed)
  t.equal(reasonOf(text({ signup: user, signupV2: user })), undescribed)
  t.equal(reasonOf(text({ signupV2: [] })), undescribed)
  t.equal(reasonOf(text({ signupV2: "x" })), undescribed)
  const about = /^the message is not about a USAGE_TYPE_SIGNUP with this token/
  t.match(reasonOf(text({ signup: user, type: "USAGE_TYPE_LOGIN" })), about)
  t.match(reasonOf(signUpUsage("0d1f6f1b-6e1c-4f0b-9d07-000000000000", user)), about)
  t.match(
    reasonOf(signUpUsage(ID, user), user, { publicKey: newKey().publicKeyHex }),
    /^publicKey is not the key/,
  )
  t.match(reasonOf(signUpUsage(ID, user), user, { publicKey: undefined }), /is bound to no key/)
})
