import type { MessageInitShape } from "@bufbuild/protobuf"
import type {
  VerifyAttestationRequest,
  VerifyAttestationResponseSchema,
} from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { refuse } from "../../core/refusal.ts"
import { MAX_UNVERIFIED_BODY_BYTES } from "../../core/wire.ts"
import { ContextNeeded } from "../execution/state/organizations.ts"
import { requireAttestedRead } from "../execution/steps/attestation.ts"
import type { SignerContext } from "./context.ts"
import { readId } from "./read-fields.ts"

/** Verifies an attested stamp on a read, or says what is to be fetched for it. */
export async function verifyAttestation(
  request: VerifyAttestationRequest,
  context: SignerContext,
): Promise<MessageInitShape<typeof VerifyAttestationResponseSchema>> {
  if (request.body.length > MAX_UNVERIFIED_BODY_BYTES)
    throw refuse("REQUEST_TOO_LARGE", `the body is over ${MAX_UNVERIFIED_BODY_BYTES} bytes`)
  const organizationId = readId(request.organizationId, "organizationId")
  try {
    requireAttestedRead({ ...request, organizationId }, context.state())
    return {}
  } catch (error) {
    if (!(error instanceof ContextNeeded)) throw error
    return { fetchOrders: error.needed.fetchOrders ?? [] }
  }
}
