import { type KeySet, signDer } from "../../core/crypto/keyset.ts"
import type { SealedMessage } from "./message.ts"

/** A key to seal an import to, with its organization and user. */
export type ImportTarget = {
  /** `04 || x || y`, 65 bytes. */
  readonly targetPublic: Uint8Array
  readonly organizationId: string
  readonly userId: string
}

/** The exported secret, named as in the request. */
export type ExportedSecret =
  | { readonly walletId: string }
  | { readonly address: string }
  | { readonly privateKeyId: string }
  | { readonly secretId: string }

/** Members of an export bundle about its origin; `userId`: the user who requested the export. */
export type ExportOrigin = {
  readonly organizationId: string
  readonly userId: string
  readonly secret: ExportedSecret
  readonly nowMs: number
}

/**
 * Writes bundles to users: JSON text with signed data, as published clients read and verify it. Their format has no
 * domain tag, so the key signs these two shapes and nothing else.
 */
export type BundleWriter = {
  importTarget(target: ImportTarget): string
  exported(message: SealedMessage, origin: ExportOrigin): string
}

const VERSION = "v1.0.0"

/**
 * `keySet`: the signer's. Members have the order of published servers. The members of an export after
 * `organizationId` are additions of this service: published clients ignore them, others can detect a swapped secret.
 */
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
    exported({ encappedPublic, ciphertext }, { organizationId, userId, secret, nowMs }) {
      const sealed = { encappedPublic: hex(encappedPublic), ciphertext: hex(ciphertext) }
      return sign({ ...sealed, organizationId, userId, ...secret, timestampMs: String(nowMs) })
    },
  }
}

/** The signing point, second of the two points of a key set. Clients compare the text, so it is lower case. */
const signingPoint = ({ publicHex }: KeySet): string => publicHex.slice(publicHex.length / 2)

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")
