import { type KeySet, signDer } from "../keys/keyset.ts"
import type { SealedMessage } from "./message.ts"

/** A key to seal an import to, and for whom it is. */
export type ImportTarget = {
  /** `04 || x || y`, 65 bytes. */
  readonly targetPublic: Uint8Array
  readonly organizationId: string
  readonly userId: string
}

/**
 * Writes bundles to users: JSON text around signed data, as published clients take it apart and check it. They
 * know no domain tag, so that nothing else than these two shapes is ever signed with this key.
 */
export type BundleWriter = {
  importTarget(target: ImportTarget): string
  /** `organizationId`: whose secret it is. */
  exported(message: SealedMessage, organizationId: string): string
}

const VERSION = "v1.0.0"

/** `keySet`: of the signer. Members stand in the order of published servers. */
export function bundleWriter(keySet: KeySet): BundleWriter {
  const sign = (data: object) => {
    const bytes = Buffer.from(JSON.stringify(data))
    return JSON.stringify({
      version: VERSION,
      data: bytes.toString("hex"),
      dataSignature: hex(signDer(keySet, bytes)),
      enclaveQuorumPublic: signingPoint(keySet),
    })
  }
  return {
    importTarget: ({ targetPublic, organizationId, userId }) =>
      sign({ targetPublic: hex(targetPublic), organizationId, userId }),
    exported: ({ encappedPublic, ciphertext }, organizationId) =>
      sign({ encappedPublic: hex(encappedPublic), ciphertext: hex(ciphertext), organizationId }),
  }
}

/** Compared letter by letter by clients: lower case. The second of the two points that a key set shows. */
const signingPoint = ({ publicHex }: KeySet): string => publicHex.slice(publicHex.length / 2)

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")
