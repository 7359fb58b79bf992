import { createHash } from "node:crypto"
import { create, fromBinary, toBinary } from "@bufbuild/protobuf"
import {
  NotarizedDocumentSchema,
  type OrganizationDocument,
  OrganizationDocumentSchema,
} from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { refuse } from "../../core/refusal.ts"
import { DOCUMENT_TAG } from "../../core/wire.ts"
import { type Organization, readOrganization } from "../../core/organization/organization.ts"

/** Signs and verifies the notarizer's statements: r || s over SHA-256(tag || 0x00 || bytes). */
export type Notary = {
  sign(tag: string, bytes: Uint8Array): Uint8Array
  verify(tag: string, bytes: Uint8Array, signature: Uint8Array): boolean
}

/** Signs a document. Returns the serialized NotarizedDocument and the document's digest for the ledger. */
export function notarizeDocument(document: OrganizationDocument, notary: Notary) {
  const bytes = toBinary(OrganizationDocumentSchema, document)
  const signature = notary.sign(DOCUMENT_TAG, bytes)
  const notarized = toBinary(
    NotarizedDocumentSchema,
    create(NotarizedDocumentSchema, { document: bytes, signature }),
  )
  return { notarized, digest: sha256(bytes) }
}

/** Verifies and reads a supplied document. The caller compares its version with the ledger. @throws DOCUMENT_FORGED */
export function openDocument(notarized: Uint8Array, notary: Notary): Organization {
  let parts: { document: Uint8Array; signature: Uint8Array }
  try {
    parts = fromBinary(NotarizedDocumentSchema, notarized)
  } catch (cause) {
    throw forged(cause)
  }
  if (!notary.verify(DOCUMENT_TAG, parts.document, parts.signature)) throw forged()
  // A copy: the bytes may be a view of a network buffer.
  const document = Uint8Array.from(parts.document)
  return readOrganization(document, sha256(document))
}

function forged(cause?: unknown) {
  return refuse("DOCUMENT_FORGED", "the organization document is not signed by this deployment", { cause })
}

function sha256(bytes: Uint8Array): Uint8Array {
  return createHash("sha256").update(bytes).digest()
}
