// Names and bounds of the interface between the API tier and the signer's processes: methods and messages are in
// proto/countersign/signer/v1.

/** Largest message in either direction, bytes: a body, the document of a full organization and some records. */
export const MAX_MESSAGE_BYTES = 8 * 1024 * 1024

/** Orders and acknowledgements in one message of the Execute stream. */
export const MAX_ITEMS_PER_MESSAGE = 64

/** Largest stamped body, bytes. The signer checks it itself: an API tier may be configured to a smaller one. */
export const MAX_BODY_BYTES = 2 * 1024 * 1024

/** A larger body is parsed only once the signature of its stamp was verified, bytes. */
export const MAX_UNVERIFIED_BODY_BYTES = 16 * 1024

/** Metadata of a refused unary call: the name of the refusal's code. */
export const REFUSAL_METADATA = "countersign-refusal"

/** Stands before the statement that Probe signs. */
export const PROBE_TAG = "countersign/v1/probe"

/** Stands before a statement about the current state of an organization. */
export const HEAD_TAG = "countersign/v1/organization-head"

/** Stands before the statement about the log's key. */
export const LOG_KEY_TAG = "countersign/v1/log-key"

/** Stands before the manifest of a backup that the notarizer signs. */
export const BACKUP_TAG = "countersign/v1/backup"

/** Leaves in one answer of ReadLog. */
export const MAX_LOG_LEAVES = 4096

/** Stands before an organization document that the notarizer signs. */
export const DOCUMENT_TAG = "countersign/v1/organization-document"

/** The sentence about an organizationId that is no UUID. Its beginning is a published text. */
export function malformedOrganizationId(text: string): string {
  const sentence = "malformed organization ID provided"
  return text === "" ? `${sentence}: organizationId is empty: is ORGANIZATION_ID set?` : sentence
}
