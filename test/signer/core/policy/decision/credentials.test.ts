import { create } from "@bufbuild/protobuf"
import t from "tap"
import { CredentialType, OtpType } from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { AuthenticatorSchema, UserSchema } from "../../../../../proto/gen/countersign/state/v1/document_pb.ts"
import {
  channelOf,
  contactCredential,
  credentialOrigin,
  keyCredential,
  passkeyCredential,
  possibleVotes,
  sessionOrigin,
} from "../../../../../signer/core/policy/decision/credentials.ts"

const NOW_MS = 1_700_000_000_000
const { API_KEY_ED25519, API_KEY_P256, LOGIN } = CredentialType

const key = (id: string, expiresAtMs = 0) => ({
  apiKeyId: id,
  publicKey: `02${id}`,
  type: API_KEY_P256,
  expiresAtMs: BigInt(expiresAtMs),
})
const passkey = create(AuthenticatorSchema, {
  authenticatorId: "passkey",
  credentialId: Buffer.from("fbff", "hex"),
  publicKey: Buffer.from("ff", "hex"),
})

const shownPasskey = {
  id: "passkey",
  type: "CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR",
  credentialId: "-_8",
  publicKey: "_w",
  isSession: false,
  profileId: "",
  openedBy: "",
}
const shownKey = {
  id: "key",
  type: "CREDENTIAL_TYPE_API_KEY_ED25519",
  credentialId: "",
  publicKey: "aa",
  isSession: false,
  profileId: "",
  openedBy: "",
}

t.test("an API key, a session and a passkey are shown with all that policies read", async (t) => {
  t.same(keyCredential({ id: "key", type: API_KEY_ED25519, publicKey: "aa" }), shownKey)
  const session = { id: "s", type: LOGIN, publicKey: "bb", profileId: "profile", openedBy: "aa" }
  t.same(keyCredential(session), {
    ...session,
    type: "CREDENTIAL_TYPE_LOGIN",
    credentialId: "",
    isSession: true,
  })
  const plain = keyCredential({ ...session, profileId: "" })
  t.match(plain, { isSession: true, profileId: "" })
  t.same(passkeyCredential(passkey), shownPasskey)
})

t.test("a credential of a type that this release does not know has no type", async (t) => {
  t.equal(keyCredential({ id: "key", type: 99 as CredentialType, publicKey: "aa" }).type, "")
})

t.test("a contact has the channel that its code came by; its sessions have none", async (t) => {
  const user = create(UserSchema, { userId: "dan" })
  for (const channel of [OtpType.EMAIL, OtpType.SMS]) {
    const contact = contactCredential(user, channel)
    t.equal(channelOf(contact), channel)
    t.equal(sessionOrigin(contact), contact.publicKey)
    t.equal(channelOf({ ...contact, isSession: true }), undefined)
  }
  t.equal(channelOf(keyCredential({ id: "key", type: API_KEY_P256, publicKey: "aa" })), undefined)
})

t.test("a session is of the key that opened it, unless a passkey did", async (t) => {
  const apiKey = keyCredential({ id: "key", type: API_KEY_P256, publicKey: "aa" })
  const session = keyCredential({ id: "s", type: LOGIN, publicKey: "bb", profileId: "", openedBy: "aa" })
  const ofPasskey = keyCredential({ id: "s", type: LOGIN, publicKey: "cc", profileId: "" })
  t.equal(credentialOrigin(apiKey), "aa")
  t.equal(credentialOrigin(session), "aa")
  t.equal(credentialOrigin(ofPasskey), "cc")
  t.equal(sessionOrigin(apiKey), "aa")
  t.equal(sessionOrigin(session), "aa", "a session that a session opens")
  t.equal(sessionOrigin(passkeyCredential(passkey)), "")
})

t.test("a user votes with each live credential, and with a session that one of them opens", async (t) => {
  const votesAt = (nowMs: number, init: object) => {
    const user = create(UserSchema, { userId: "dan", ...init })
    const votes = possibleVotes(user, nowMs)
    for (const vote of votes) t.equal(vote.user, user)
    return votes.map(({ credentials }) => credentials.map(({ id, type }) => id || type))
  }
  const session = ["CREDENTIAL_TYPE_LOGIN"]
  const apiKeys = [key("live"), key("short", NOW_MS)]
  t.same(votesAt(NOW_MS - 1, { apiKeys }), [["live"], ["short"], session])
  t.same(votesAt(NOW_MS, { apiKeys }), [["live"], session])
  t.same(votesAt(NOW_MS, { authenticators: [passkey] }), [["passkey"], session])
  t.same(votesAt(NOW_MS, { email: "dan@example.com" }), [["CREDENTIAL_TYPE_OTP_AUTH_KEY_P256"], session])
  t.same(votesAt(NOW_MS, {}), [], "no credential opens a session")
  t.same(votesAt(NOW_MS, { apiKeys: [key("short", NOW_MS)] }), [], "an expired one opens none")
  for (const contact of [{ email: "dan@example.com" }, { phoneNumber: "+15551234567" }]) {
    const code = ["CREDENTIAL_TYPE_OTP_AUTH_KEY_P256"]
    t.same(votesAt(NOW_MS, contact), [code, session], "a contact votes, and may open one")
    t.same(votesAt(NOW_MS, { ...contact, apiKeys: [key("short", NOW_MS)] }), [code, session])
    t.same(votesAt(NOW_MS, { ...contact, authenticators: [passkey] }), [["passkey"], code, session])
  }
})

t.test("the session that a user could vote with has no profile and no key yet", async (t) => {
  const user = create(UserSchema, { userId: "dan", apiKeys: [key("live")] })
  const [, vote] = possibleVotes(user, NOW_MS)
  const session = { id: "", type: "CREDENTIAL_TYPE_LOGIN", credentialId: "", publicKey: "", openedBy: "" }
  t.same(vote?.credentials, [{ ...session, isSession: true, profileId: "" }])
})

t.test(
  "a user's possible votes are the same objects each time, so that searches know them again",
  async (t) => {
    const user = create(UserSchema, { userId: "dan", apiKeys: [key("live")] })
    const again = possibleVotes(user, NOW_MS + 1)
    t.equal(again.length, 2)
    for (const [index, vote] of possibleVotes(user, NOW_MS).entries()) t.equal(vote, again[index])
  },
)
