/** Names of what is wrong with an audit stream. They are stable. */
export type AuditFaultCode =
  /** A line is no record. */
  | "AUDIT_MALFORMED"
  /** A record is not the one whose digest the next one names. */
  | "AUDIT_EDITED"
  /** Records are missing between two others, or before the first one that was asked for. */
  | "AUDIT_MISSING"
  /** Records after the last one are missing. */
  | "AUDIT_TRUNCATED"
  /** The chain was made anew: the log has bound another one. */
  | "AUDIT_REMADE"
  /** The signer itself did not find a record that the log had bound. */
  | "AUDIT_BROKEN"
  /** The log has bound no record, or the export does not show the leaf. */
  | "AUDIT_UNBOUND"
  /** The pins do not certify the log's key, or the key did not sign the checkpoint. */
  | "AUDIT_FOREIGN"
  /** The leaves of the export are not those of the checkpoint. */
  | "AUDIT_LEAVES_CHANGED"
  /** A record or a kept checkpoint states a later head of the log than the export's. */
  | "AUDIT_OLDER"
  /** A kept checkpoint contradicts the export's. */
  | "AUDIT_FORKED"

export type AuditFault = { readonly code: AuditFaultCode; readonly sentence: string }
