// Attested stamps on reads: the API tier checks where a contact's token counts, and the signer the rest.
import { create } from "@bufbuild/protobuf"
import t from "tap"
import { FeatureName, OtpType } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { OrganizationDocumentSchema } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import {
  type VerificationToken,
  writeVerificationToken,
} from "../../../../signer/core/otp/verification-token.ts"
import { CONTACT_SCHEME, readAttestedStamp } from "../../../../signer/core/stamp/attested.ts"
import { requireAttestedRead } from "../../../../services/api/signer/attested-read.ts"
import { stampIdentity, identityKey } from "../../../../services/api/store/identity-keys.ts"
import { AttestedKey, nonceOf } from "../../../harness/attested.ts"
import { claimsOf, idToken, issuerKey } from "../../../harness/id-token.ts"
import { newKey } from "../../../harness/stamper.ts"

const CHILD = "0199aaaa-0000-7000-8000-000000000000"
const PARENT = "0199bbbb-0000-7000-8000-000000000000"
const BODY = Buffer.from("{}")

function stampWith(changes: Partial<VerificationToken> = {}) {
  const key = newKey()
  const claims = {
    id: "0199cccc-0000-7000-8000-000000000000",
    organizationId: PARENT,
    channel: OtpType.EMAIL,
    contact: "ann@example.com",
    publicKey: key.publicKeyHex,
    expiresAtMs: 1,
    isSealed: true,
    ...changes,
  }
  const token = writeVerificationToken(claims, () => new Uint8Array(64))
  return readAttestedStamp(new AttestedKey(key, token, CONTACT_SCHEME).stamp(BODY))
}

/** The read of a sub-organization that accepts codes by mail, with the number of calls of the signer. */
async function read(
  stamp: ReturnType<typeof stampWith>,
  path = "whoami",
  features: readonly FeatureName[] = [FeatureName.OTP_EMAIL_AUTH],
  parentFeatures: { name: FeatureName; value: string }[] = [],
) {
  let calls = 0
  const signer = {
    verifyAttestation: async () => ({ $typeName: undefined as never, fetchOrders: (calls++, []) }),
  }
  const fetcher = { fetch: () => Promise.reject(new Error("nothing is to be fetched")) }
  const named = { organizationId: CHILD, parentId: PARENT, features: features.map((name) => ({ name })) }
  const queried = { document: create(OrganizationDocumentSchema, named) }
  const request = { organizationId: CHILD, body: BODY, xStampAttested: "", stamp, queried }
  const governing = { organizationId: PARENT, features: parentFeatures }
  const parent = { document: create(OrganizationDocumentSchema, governing) }
  const organizations = { refresh: async (id: string) => (id === PARENT ? parent : undefined) }
  await requireAttestedRead(path, request, { signer, fetcher, organizations })
  return calls
}

t.test("a token of the organization or its parent is for the signer to verify", async (t) => {
  t.equal(await read(stampWith()), 1)
  t.equal(await read(stampWith({ organizationId: CHILD }), "get_activity"), 1)
})

t.test("a token of another organization, or by a channel that is off, reads nothing", async (t) => {
  const elsewhere = stampWith({ organizationId: "0199dddd-0000-7000-8000-000000000000" })
  await t.rejects(read(elsewhere), { code: "VERIFICATION_TOKEN_INVALID" })
  await t.rejects(read(stampWith(), "whoami", []), { code: "OTP_DISABLED" })
  await t.rejects(read(stampWith({ channel: OtpType.SMS })), { code: "OTP_DISABLED" })
  const sealedOnly = [FeatureName.OTP_EMAIL_AUTH, FeatureName.SEALED_OTP_ONLY]
  await t.rejects(read(stampWith({ isSealed: false }), "whoami", sealedOnly), { code: "OTP_SEALED_ONLY" })
  t.equal(await read(stampWith(), "whoami", sealedOnly), 1, "the unaltered twin")
  await t.rejects(read(stampWith(), "list_users"), { code: "ATTESTED_STAMP_NOT_ALLOWED" })
})

t.test("what the parent has closed is closed for reads too", async (t) => {
  const sealedOnly = [{ name: FeatureName.SEALED_OTP_ONLY, value: "true" }]
  const plain = read(stampWith({ isSealed: false }), "whoami", undefined, sealedOnly)
  await t.rejects(plain, { code: "OTP_SEALED_ONLY" })
  const key = newKey()
  const claims = claimsOf("https://login.example", 0, { nonce: nonceOf(key) })
  const stamp = readAttestedStamp(new AttestedKey(key, idToken(claims, issuerKey())).stamp(BODY))
  const list = (value: object) => [{ name: FeatureName.OIDC_APPLICATIONS, value: JSON.stringify(value) }]
  t.equal(await read(stamp, "whoami", [], list({ "https://login.example": ["app"] })), 1)
  for (const removed of [{}, { "https://login.example": ["other"] }, { "https://other.example": ["app"] }])
    await t.rejects(read(stamp, "whoami", [], list(removed)), { code: "OIDC_APPLICATION_NOT_ALLOWED" })
})

t.test("a contact's stamp is looked up by its channel", async (t) => {
  t.same(stampIdentity(stampWith()), { key: identityKey.email("ann@example.com"), what: "a contact" })
  const sms = stampWith({ channel: OtpType.SMS, contact: "+15551234567" })
  t.same(stampIdentity(sms).key, identityKey.phoneNumber("+15551234567"))
})
