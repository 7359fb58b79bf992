import { create } from "@bufbuild/protobuf"
import t from "tap"
import { CredentialType } from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { OrganizationDocumentSchema } from "../../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { Organization } from "../../../../../signer/core/organization/organization.ts"
import { requireStampOfLargeBody } from "../../../../../signer/enclave/execution/steps/authenticate.ts"
import { Passkey } from "../../../../harness/authenticator.ts"
import { newKey, stampBy, type Stamper } from "../../../../harness/stamper.ts"

const ORGANIZATION = "00000000-0000-4000-8000-000000000001"
const NOW_MS = 1_700_000_000_000
const UNVERIFIED_BYTES = 16 * 1024
const MAX_BYTES = 2 * 1024 * 1024

const [member, expired, stranger] = [newKey(), newKey(), newKey()]
const type = CredentialType.API_KEY_P256
const organization = new Organization(
  create(OrganizationDocumentSchema, {
    organizationId: ORGANIZATION,
    users: [
      {
        userId: "alice",
        apiKeys: [
          { apiKeyId: "key", publicKey: member.publicKeyHex, type },
          { apiKeyId: "old", publicKey: expired.publicKeyHex, type, expiresAtMs: BigInt(NOW_MS) },
        ],
      },
    ],
  }),
  new Uint8Array(32),
  0,
)

/** Verifies the stamp of a body with this length. */
function verifying(by: Stamper, length: number, turnOf: string, isGenuine = true) {
  const body = new Uint8Array(length)
  const stamped = isGenuine ? body : new Uint8Array(1)
  const stamp = stampBy(by, stamped)
  const order = { body, turnOf, documents: [], ...stamp }
  const deps = {
    ledger: { head: (id: string) => (id === ORGANIZATION ? {} : undefined) },
    organizations: { openCurrent: () => organization },
    sessions: { find: () => undefined },
    keyring: {},
    nowMs: () => NOW_MS,
    turns: { run: async (_: string, task: () => unknown) => task() },
  }
  return () => requireStampOfLargeBody(order as never, deps as never)
}

t.test("the stamp of a body is verified from 16 KiB to the largest body", async (t) => {
  for (const turnOf of ["", ORGANIZATION]) {
    for (const length of [UNVERIFIED_BYTES, MAX_BYTES + 1])
      await t.resolves(verifying(member, length, turnOf, false))
    for (const length of [UNVERIFIED_BYTES + 1, MAX_BYTES])
      await t.rejects(verifying(member, length, turnOf, false), { code: "STAMP_INVALID" })
    await t.resolves(verifying(member, UNVERIFIED_BYTES + 1, turnOf))
  }
})

t.test("in the turn of an organization only its own credentials stamp a large body", async (t) => {
  const attempt = (by: Stamper) => verifying(by, UNVERIFIED_BYTES + 1, ORGANIZATION)
  await t.rejects(attempt(stranger), { code: "CREDENTIAL_UNKNOWN" })
  await t.rejects(attempt(new Passkey()), { code: "PASSKEY_UNKNOWN" })
  await t.rejects(attempt(expired), { code: "CREDENTIAL_EXPIRED" })
})

t.test(
  "without an organization that the ledger knows, a key's stamp is verified with the key itself",
  async (t) => {
    for (const turnOf of ["", "00000000-0000-4000-8000-000000000002"]) {
      const attempt = (by: Stamper, isGenuine: boolean) =>
        verifying(by, UNVERIFIED_BYTES + 1, turnOf, isGenuine)
      await t.resolves(attempt(stranger, true))
      await t.rejects(attempt(stranger, false), { code: "STAMP_INVALID" })
      await t.resolves(attempt(new Passkey(), false), "a passkey's key is not known yet")
    }
  },
)
