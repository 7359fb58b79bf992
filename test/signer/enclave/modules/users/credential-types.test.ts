// Every type of credential that published clients know comes from an operation, and stamps.
import { fromBinary } from "@bufbuild/protobuf"
import t from "tap"
import { CredentialType, CredentialTypeSchema } from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { Outcome } from "../../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import {
  NotarizedDocumentSchema,
  OrganizationDocumentSchema,
} from "../../../../../proto/gen/countersign/state/v1/document_pb.ts"
import {
  RecordKind,
  RecordSchema,
  SessionRecordSchema,
} from "../../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { valueOf } from "../../../../harness/api-client.ts"
import { nonceOf } from "../../../../harness/attested.ts"
import { Passkey } from "../../../../harness/authenticator.ts"
import { Target } from "../../../../harness/credential-target.ts"
import { mailedKeys, mailTo } from "../../../../harness/mailed-keys.ts"
import { codes, MAIL } from "../../../../harness/otp.ts"
import { newKey } from "../../../../harness/stamper.ts"
import { setup } from "../../../../hostile/setup.ts"

const CURVES = {
  P256: newKey().publicKeyHex,
  SECP256K1: "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798",
  ED25519: "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
}

/** Types of the sessions that an activity opened. */
function opened(outcome: Outcome): CredentialType[] {
  return outcome.records
    .map((record) => fromBinary(RecordSchema, record))
    .filter(({ kind, deleted }) => kind === RecordKind.SESSION && !deleted)
    .map(({ payload }) => fromBinary(SessionRecordSchema, payload).type)
}

t.test("all ten types of credentials are given", async (t) => {
  const fixture = await setup(t)
  const { client, acme, fakeFetcher } = fixture
  const { submit } = await codes(fixture)
  await mailedKeys(fixture, acme)
  const { organizationId, rootUserId: userId } = acme
  const oauthProviders = [{ providerName: "idp", oidcToken: fakeFetcher.token() }]
  await submit("CREATE_OAUTH_PROVIDERS_V2", { userId, oauthProviders })
  const apiKeys = Object.entries(CURVES).map(([curve, publicKey]) => ({
    apiKeyName: curve,
    publicKey,
    curveType: `API_KEY_CURVE_${curve}`,
  }))
  await submit("CREATE_API_KEYS_V2", { userId, apiKeys })
  await submit("CREATE_AUTHENTICATORS_V2", { userId, authenticators: [new Passkey().create()] })
  const { targetPublicKey } = new Target()
  const asked = await submit("INIT_OTP_AUTH", { otpType: "OTP_TYPE_EMAIL", contact: MAIL })
  const code = { otpId: valueOf(asked, "initOtpAuthResult").otpId, otpCode: fakeFetcher.newestCode }
  const nonce = nonceOf({ publicKeyHex: targetPublicKey })
  const sessions = [
    await submit("STAMP_LOGIN", { publicKey: newKey().publicKeyHex }),
    await submit("CREATE_READ_WRITE_SESSION_V2", { targetPublicKey }),
    await submit("OTP_AUTH", { ...code, targetPublicKey }),
    await submit("OAUTH", { oidcToken: fakeFetcher.token({ nonce }), targetPublicKey }),
    await submit("EMAIL_AUTH", mailTo({ targetPublicKey })),
    await submit("INIT_USER_EMAIL_RECOVERY", mailTo({ targetPublicKey })),
  ]
  const { document } = fromBinary(NotarizedDocumentSchema, client.documents.get(organizationId)!)
  const { users } = fromBinary(OrganizationDocumentSchema, document)
  const own = users.flatMap((user) => [
    ...user.apiKeys.map(({ type }) => type),
    ...user.authenticators.map(() => CredentialType.WEBAUTHN_AUTHENTICATOR),
  ])
  const given = new Set([...own, ...sessions.flatMap(opened)])
  const all = CredentialTypeSchema.values
    .map(({ number }) => number as CredentialType)
    .filter((type) => type !== 0)
  t.equal(all.length, 10)
  t.strictSame(
    [...given].toSorted((a, b) => (a < b ? -1 : 1)),
    all.toSorted((a, b) => (a < b ? -1 : 1)),
  )
})
