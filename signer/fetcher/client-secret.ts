import { createHash, type KeyObject } from "node:crypto"
import type { ClientSecretTask } from "../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { readBoundSecret } from "../core/fetch-orders/bound-secret.ts"
import type { StatedFact } from "../core/fetch-orders/statement.ts"
import { unopenedSecret } from "../core/fetch-orders/order.ts"
import { openEnvelope } from "../core/crypto/envelope.ts"

/**
 * States that a client secret opens with the fetcher's key and is UTF-8 text, and the organization that it is bound to.
 * The secret itself is wiped here.
 *
 * @throws CLIENT_SECRET_INVALID, for every fault
 */
export function checkClientSecret({ sealedSecret }: ClientSecretTask, receiver: KeyObject): StatedFact {
  const secret = openEnvelope(receiver, sealedSecret)
  try {
    const bound = secret?.use((text) => readBoundSecret("client-secret", text)?.organizationId)
    if (bound === undefined) throw unopenedSecret()
    const sealedSecretDigest = createHash("sha256").update(sealedSecret).digest()
    return { case: "clientSecret", value: { sealedSecretDigest, boundOrganizationId: bound } }
  } finally {
    secret?.wipe()
  }
}
