import { createHash, type KeyObject } from "node:crypto"
import { isUtf8 } from "node:buffer"
import type { ClientSecretTask } from "../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import type { StatedFact } from "../core/fetch-orders/statement.ts"
import { unopenedSecret } from "../core/fetch-orders/order.ts"
import { openEnvelope } from "../core/crypto/envelope.ts"

/**
 * States that a client secret opens with the fetcher's key and is UTF-8 text. The secret itself is wiped here.
 *
 * @throws CLIENT_SECRET_INVALID, for every fault
 */
export function checkClientSecret({ sealedSecret }: ClientSecretTask, receiver: KeyObject): StatedFact {
  const secret = openEnvelope(receiver, sealedSecret)
  try {
    if (!secret?.use((bytes) => bytes.length > 0 && isUtf8(bytes))) throw unopenedSecret()
  } finally {
    secret?.wipe()
  }
  const sealedSecretDigest = createHash("sha256").update(sealedSecret).digest()
  return { case: "clientSecret", value: { sealedSecretDigest } }
}
