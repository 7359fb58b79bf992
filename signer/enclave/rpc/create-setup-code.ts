import type { CreateSetupCodeRequest } from "../../../proto/gen/countersign/signer/v1/operator_pb.ts"
import { ApiKeyCurve } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { requirePhase } from "../phase.ts"
import { writeSetupCode } from "../provision/setup-code.ts"
import { requirePublicKey } from "../../core/stamp/index.ts"
import type { SignerContext } from "./context.ts"

/** How long a code is good when nothing else is said, seconds. */
const DEFAULT_EXPIRATION_SECONDS = 24 * 60 * 60

/** Issues a setup code for one key. The organization's id is decided here: the code is spent when it exists. */
export async function createSetupCode(request: CreateSetupCodeRequest, context: SignerContext) {
  requirePhase("createSetupCode", context.phase())
  const { keyring, ids, nowMs } = context.work()
  const publicKey = requirePublicKey(ApiKeyCurve.P256, request.publicKey, "publicKey")
  const now = nowMs()
  const seconds = request.expirationSeconds || DEFAULT_EXPIRATION_SECONDS
  const setupCode = writeSetupCode(
    {
      organizationId: ids.next(now),
      publicKey,
      pinsDigest: keyring.pinsDigest,
      expiresAtMs: BigInt(now) + BigInt(seconds) * 1000n,
    },
    keyring.setup,
  )
  return { setupCode, pins: keyring.pins }
}
