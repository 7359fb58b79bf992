import { create, toBinary } from "@bufbuild/protobuf"
import {
  type GetOrganizationHeadRequest,
  HeadStatementSchema,
} from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { unknownOrganization } from "../execution/state/organizations.ts"
import { requirePhase } from "../phase.ts"
import type { SignerContext } from "./context.ts"
import { readId } from "./read-id.ts"
import { readNonce } from "./read-nonce.ts"

const HEAD_TAG = "countersign/v1/organization-head"

/** The signer's own word on which document is current; the nonce makes it fresh. */
export async function getOrganizationHead(request: GetOrganizationHeadRequest, context: SignerContext) {
  requirePhase("getOrganizationHead", context.phase())
  const { ledger, keyring, nowMs } = context.work()
  const nonce = readNonce(request.nonce)
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
