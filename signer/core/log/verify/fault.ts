import { Fault } from "../../fault.ts"

/** Why a bundle of the log does not prove what it should. */
export type LogFaultCode =
  /** The bundle is none, or ends before its last line. */
  | "BUNDLE_TRUNCATED"
  | "BUNDLE_MALFORMED"
  /** The pins do not certify the log's key. */
  | "LOG_KEY_UNTRUSTED"
  /** The log's key did not sign the checkpoint, or the checkpoint is of another deployment. */
  | "CHECKPOINT_FOREIGN"
  /** A kept checkpoint is not the beginning of this log. */
  | "CHECKPOINT_CONTRADICTED"
  /** The signer did not make the head statement, or not for this nonce. */
  | "HEAD_UNTRUSTED"
  /** The head statement was made before the latest state that the bundle shows. */
  | "HEAD_CONTRADICTED"
  | "ORGANIZATION_FOREIGN"
  /** The decision is in a log of another era or lane than the checkpoint's. */
  | "ERA_OTHER"
  /** The statement does not say what is shown beside it. */
  | "STATEMENT_CONTRADICTED"
  /** Salt and statement do not open the leaf: one of the three was changed. */
  | "LEAF_NOT_OPENED"
  /** The leaf is not in the tree of the checkpoint. */
  | "LEAF_NOT_INCLUDED"
  /** A decision of the organization was left out. */
  | "COUNTER_MISSING"
  /** Two decisions have one number. */
  | "COUNTER_TWICE"

export type LogFault = { readonly code: LogFaultCode; readonly sentence: string }

export function logFault(code: LogFaultCode, sentence: string): LogFault {
  return { code, sentence }
}

/** A fault after which nothing else of the evidence can be verified. */
export function unproven(code: LogFaultCode, sentence: string): Fault {
  return new Fault("log", sentence, code)
}
