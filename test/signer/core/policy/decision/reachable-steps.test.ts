import { create, type MessageInitShape } from "@bufbuild/protobuf"
import t from "tap"
import { AuthenticationType, CredentialType } from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { MfaPolicySchema, UserSchema } from "../../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { reachableSteps } from "../../../../../signer/core/policy/decision/mfa.ts"

const NOW_MS = 1_700_000_000_000
const API_KEY = { type: AuthenticationType.API_KEY }
const PASSKEY = { type: AuthenticationType.PASSKEY }
const SESSION = { type: AuthenticationType.SESSION }

const EMAIL_OTP = { type: AuthenticationType.EMAIL_OTP }
const SMS_OTP = { type: AuthenticationType.SMS_OTP }

type Holdings = Pick<
  MessageInitShape<typeof UserSchema>,
  "apiKeys" | "authenticators" | "oauthProviders" | "email" | "phoneNumber"
>

const key = (id: string, expiresAtMs = 0) => ({
  apiKeyId: id,
  publicKey: `02${id}`,
  type: CredentialType.API_KEY_P256,
  expiresAtMs: BigInt(expiresAtMs),
})
const keys = (...names: string[]): Holdings => ({ apiKeys: names.map((id) => key(id)) })
const passkeys: Holdings = { authenticators: [{ authenticatorId: "passkey", credentialId: Buffer.of(1) }] }
const email: Holdings = { email: "dan@example.com" }
const phoneNumber: Holdings = { phoneNumber: "+15551234567" }
const oauth: Holdings = { oauthProviders: [{ providerId: "provider" }] }

type Row = [title: string, holdings: Holdings, steps: { type: AuthenticationType; id?: string }[][], number]

const ROWS: readonly Row[] = [
  ["a user without credentials meets nothing", {}, [[API_KEY], [PASSKEY], [SESSION]], 0],
  ["an API key meets a step", keys("a"), [[API_KEY]], 1],
  ["an API key meets the step that names it", keys("a"), [[{ ...API_KEY, id: "a" }]], 1],
  ["an API key does not meet a step that names another", keys("a"), [[{ ...API_KEY, id: "b" }]], 0],
  ["an API key that is still live meets a step", { apiKeys: [key("a", NOW_MS + 1)] }, [[API_KEY]], 1],
  ["an API key that has just expired does not", { apiKeys: [key("a", NOW_MS)] }, [[API_KEY]], 0],
  ["an API key that expired earlier does not", { apiKeys: [key("a", NOW_MS - 1)] }, [[API_KEY]], 0],
  ["an expired API key opens no session", { apiKeys: [key("a", NOW_MS)] }, [[SESSION]], 0],
  ["an API key is no passkey", keys("a"), [[PASSKEY]], 0],
  ["a passkey is no API key", passkeys, [[API_KEY]], 0],
  ["a passkey meets a step", passkeys, [[PASSKEY]], 1],
  ["an API key opens a session", keys("a"), [[SESSION]], 1],
  ["an API key and its session are one factor", keys("a"), [[API_KEY], [SESSION]], 1],
  ["two sessions of one API key are one factor", keys("a"), [[SESSION], [SESSION]], 1],
  ["the session of a second API key is a factor of its own", keys("a", "b"), [[API_KEY], [SESSION]], 2],
  ["a session may be one of several methods", keys("a"), [[PASSKEY, SESSION]], 1],
  ["a passkey and a session that it opened are two factors", passkeys, [[PASSKEY], [SESSION]], 2],
  ["two sessions that a passkey opened are two factors", passkeys, [[SESSION], [SESSION]], 2],
  ["an OAuth provider opens a session", oauth, [[SESSION]], 1],
  ["a passkey and an OAuth provider open sessions", { ...passkeys, ...oauth }, [[SESSION]], 1],
  ["an address takes codes by mail", email, [[EMAIL_OTP]], 1],
  ["and no text messages", email, [[SMS_OTP]], 0],
  ["a number takes text messages", phoneNumber, [[SMS_OTP]], 1],
  ["and no mails", phoneNumber, [[EMAIL_OTP]], 0],
  ["one address is one factor", email, [[EMAIL_OTP], [EMAIL_OTP]], 1],
  ["also with the session that it opens", email, [[EMAIL_OTP], [SESSION]], 1],
  ["both contacts are two", { ...email, ...phoneNumber }, [[EMAIL_OTP], [SMS_OTP]], 2],
  ["a contact has no id", email, [[{ ...EMAIL_OTP, id: "dan" }]], 0],
  ["a contact is neither API key nor passkey", email, [[API_KEY], [PASSKEY]], 0],
  ["an OAuth provider is neither API key nor passkey", oauth, [[API_KEY], [PASSKEY]], 0],
]

for (const [title, holdings, steps, expected] of ROWS) {
  t.test(title, async (t) => {
    const user = create(UserSchema, { userId: "dan", ...holdings })
    const policy = create(MfaPolicySchema, { steps: steps.map((any) => ({ any })) })
    t.equal(reachableSteps(user, policy.steps, NOW_MS), expected)
  })
}
