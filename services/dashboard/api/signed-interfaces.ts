// Interfaces of contracts that the organization's signed document names. Loaded when a call of a contract is shown.
import { type SignedInterface, signedInterfaces } from "../../../signer/core/words/interfaces.ts"
import type { PinsJson } from "./config.ts"
import { readSignedDocument } from "./signed-document.ts"

/** None for a document that the signer of the pins did not sign, or of another organization. */
export function readSignedInterfaces(
  notarizedB64: string,
  pins: PinsJson,
  organizationId: string,
): SignedInterface[] {
  try {
    const { isSigned, organizationId: own, content } = readSignedDocument(notarizedB64, pins)
    return isSigned && own === organizationId.toLowerCase() ? signedInterfaces(content) : []
  } catch {
    return []
  }
}
