import type { MessageInitShape } from "@bufbuild/protobuf"
import type {
  VerifyAttestationRequest,
  VerifyAttestationResponseSchema,
  VerifyIdTokenRequest,
  VerifyIdTokenResponseSchema,
} from "../../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { refuse } from "../../../../core/refusal.ts"
import { MAX_UNVERIFIED_BODY_BYTES } from "../../../../core/wire.ts"
import { contextNeededOf } from "../../../execution/state/context-needed.ts"
import { requireAttestedRead, requireInquiredToken } from "../../../execution/steps/attestation.ts"
import type { SignerContext } from "../../../rpc/context.ts"
import { readId } from "../../../rpc/read-fields.ts"

/** Verifies an attested stamp on a read, or says what is to be fetched for it. */
export async function verifyAttestation(
  request: VerifyAttestationRequest,
  context: SignerContext,
): Promise<MessageInitShape<typeof VerifyAttestationResponseSchema>> {
  if (request.body.length > MAX_UNVERIFIED_BODY_BYTES)
    throw refuse("REQUEST_TOO_LARGE", `the body is over ${MAX_UNVERIFIED_BODY_BYTES} bytes`)
  const organizationId = readId(request.organizationId, "organizationId")
  return orFetchOrders(() => requireAttestedRead({ ...request, organizationId }, context.state()))
}

/** Verifies an ID token, or says what is to be fetched for it. */
export async function verifyIdToken(
  request: VerifyIdTokenRequest,
  context: SignerContext,
): Promise<MessageInitShape<typeof VerifyIdTokenResponseSchema>> {
  if (request.oidcToken.length > MAX_UNVERIFIED_BODY_BYTES)
    throw refuse("REQUEST_TOO_LARGE", `the token is over ${MAX_UNVERIFIED_BODY_BYTES} bytes`)
  const organizationId = readId(request.organizationId, "organizationId")
  return orFetchOrders(() => requireInquiredToken({ ...request, organizationId }, context.state()))
}

function orFetchOrders(verify: () => void) {
  try {
    verify()
    return {}
  } catch (error) {
    return { fetchOrders: contextNeededOf(error).needed.fetchOrders ?? [] }
  }
}
