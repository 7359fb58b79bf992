import { create, toBinary } from "@bufbuild/protobuf"
import {
  type GetOrganizationHeadRequest,
  HeadStatementSchema,
} from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { unknownOrganization } from "../execution/organizations.ts"
import { requirePhase } from "../phase.ts"
import { refuse } from "../refusal.ts"
import type { SignerContext } from "./context.ts"
import { readId } from "./read-id.ts"

const HEAD_TAG = "countersign/v1/organization-head"

/** The signer's own word on which document is current; the nonce makes it fresh. */
export async function getOrganizationHead(request: GetOrganizationHeadRequest, context: SignerContext) {
  requirePhase("getOrganizationHead", context.phase())
  const { ledger, keyring, nowMs } = context.work()
  const { nonce } = request
  if (nonce.length < 16 || nonce.length > 64) {
    throw refuse("REQUEST_INVALID", "the nonce has 16 to 64 bytes", { field: "nonce" })
  }
  const organizationId = readId(request.organizationId, "organizationId")
  const head = ledger.head(organizationId)
  if (head === undefined) throw unknownOrganization(organizationId)
  const statement = toBinary(
    HeadStatementSchema,
    create(HeadStatementSchema, {
      organizationId,
      documentVersion: head.version,
      documentDigest: head.digest,
      nonce,
      statedAtMs: BigInt(nowMs()),
    }),
  )
  return { statement, signature: keyring.notary.sign(HEAD_TAG, statement) }
}
