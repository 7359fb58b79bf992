// The organization document, checked against the pins of this browser (docs/formats/document.md). Loaded when it is exported.
import { fromBinary, type JsonValue, toJson } from "@bufbuild/protobuf"
import { p256 } from "@noble/curves/nist.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { readBase64 } from "../../../signer/core/encodings.ts"
import {
  NotarizedDocumentSchema,
  OrganizationDocumentSchema,
} from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { DOCUMENT_TAG } from "../../../signer/core/wire.ts"
import type { PinsJson } from "./config.ts"

export type SignedDocument = {
  /** True if the notarizer of the pins signed the document. */
  isSigned: boolean
  organizationId: string
  version: string
  updatedAtMs: number
  /** The document as JSON. */
  content: JsonValue
}

/** Hexadecimal digits of a point: a key set is the encryption point, then the signing point. */
const POINT_DIGITS = 130

/** @throws {Error} if the bytes are no notarized document */
export function readSignedDocument(notarizedB64: string, pins: PinsJson | undefined): SignedDocument {
  const notarized = readBase64(notarizedB64)
  if (notarized === undefined) throw new Error("the API's reply is no document: it is not base64")
  const { document, signature } = fromBinary(NotarizedDocumentSchema, notarized)
  const read = fromBinary(OrganizationDocumentSchema, document)
  const notarizer = (pins?.["notarizerPublicKey"] ?? "").slice(POINT_DIGITS)
  return {
    isSigned: isSigned(document, signature, notarizer),
    organizationId: read.organizationId,
    version: String(read.version),
    updatedAtMs: Number(read.updatedAtMs),
    content: toJson(OrganizationDocumentSchema, read),
  }
}

/** ECDSA P-256 over SHA-256(tag || 0x00 || document): r || s. */
function isSigned(document: Uint8Array, signature: Uint8Array, pointHex: string): boolean {
  const message = Uint8Array.from(Buffer.concat([Buffer.from(`${DOCUMENT_TAG}\0`), document]))
  const point = Uint8Array.from(Buffer.from(pointHex, "hex"))
  try {
    return p256.verify(Uint8Array.from(signature), sha256(message), point, { prehash: false, lowS: false })
  } catch {
    return false
  }
}
