import { type KeySet, signDer } from "../../core/crypto/keyset.ts"
import type { SealedMessage } from "./message.ts"

/** A key to seal an import to, and for whom it is. */
export type ImportTarget = {
  /** `04 || x || y`, 65 bytes. */
  readonly targetPublic: Uint8Array
  readonly organizationId: string
  readonly userId: string
}

/** Which secret goes out, by the name that its request has for it. */
export type ExportedSecret =
  | { readonly walletId: string }
  | { readonly address: string }
  | { readonly privateKeyId: string }

/** Where an export comes from. */
export type ExportOrigin = {
  readonly organizationId: string
  /** Who asked for it. */
  readonly userId: string
  readonly secret: ExportedSecret
  readonly nowMs: number
}

/**
 * Writes bundles to users: JSON text around signed data, as published clients take it apart and check it. They
 * know no domain tag, so that nothing else than these two shapes is ever signed with this key.
 */
export type BundleWriter = {
  importTarget(target: ImportTarget): string
  exported(message: SealedMessage, origin: ExportOrigin): string
}

const VERSION = "v1.0.0"

/**
 * `keySet`: of the signer. Members stand in the order of published servers. What an export says after its organization
 * is ours: published clients overlook it, and whoever looks sees another secret, or another's, for what it is.
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

/** Compared letter by letter by clients: lower case. The second of the two points that a key set shows. */
const signingPoint = ({ publicHex }: KeySet): string => publicHex.slice(publicHex.length / 2)

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")
