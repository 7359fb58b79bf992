import type { ReadSessionRequest } from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { RecordKind } from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { refuse } from "../../core/refusal.ts"
import { unknownOrganization } from "../execution/state/organizations.ts"
import { archiveKey } from "../execution/state/record-names.ts"
import type { SignerContext } from "./context.ts"
import { readId } from "./read-fields.ts"

/** Compressed point of P-256, in lower-case hexadecimal. */
const SESSION_KEY = /^0[23][0-9a-f]{64}$/

/** The archived record of one session; empty where the organization has no such session. */
export async function readSession(
  { organizationId, sessionPublicKey }: ReadSessionRequest,
  context: SignerContext,
): Promise<{ record?: Uint8Array }> {
  const { ledger, sessions } = context.work()
  const id = readId(organizationId, "organizationId")
  if (ledger.head(id) === undefined) throw unknownOrganization(id)
  if (!SESSION_KEY.test(sessionPublicKey)) {
    throw refuse("REQUEST_INVALID", "sessionPublicKey must be a compressed P-256 key in hex", {
      field: "sessionPublicKey",
    })
  }
  const session = sessions.find(id, sessionPublicKey)
  const record = session && ledger.row(id, "archive-record", archiveKey(RecordKind.SESSION, session.id))
  return record ? { record } : {}
}
