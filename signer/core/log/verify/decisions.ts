import { counted } from "../../counted.ts"
import { readHex } from "../../encodings.ts"
import type { Checkpoint } from "../checkpoint.ts"
import {
  commitmentOf,
  type DecisionStatement,
  LEAF_BYTES,
  type LogLeaf,
  readDecision,
  readLeaf,
  SALT_BYTES,
} from "../leaf.ts"
import { leafHash } from "../merkle.ts"
import { isEqual } from "../proofs.ts"
import { isIncluded } from "../verify-proofs.ts"
import { type LogFault, logFault } from "./fault.ts"

/** A decision as `list_decision_receipts` shows it. */
export type ShownDecision = {
  readonly activityId: string
  readonly voteId: string
  readonly decidedAtMs: string
  readonly logOrigin?: string | undefined
  readonly leafIndex?: string | undefined
  readonly salt?: string | undefined
  readonly statement?: string | undefined
}

/** A leaf as `get_log_proofs` shows it. */
export type ShownLeaf = {
  readonly leafIndex: string
  readonly leaf: string
  readonly inclusionProof: readonly string[]
}

/** The leaf, once it is shown to be in the tree. */
export function verifyLeaf(
  { leafIndex, leaf, inclusionProof }: ShownLeaf,
  tree: Checkpoint,
): LogLeaf | LogFault {
  const bytes = readHex(leaf)
  const index = Number(leafIndex)
  const path = inclusionProof.map(readHex)
  const read = bytes.length === LEAF_BYTES ? readLeaf(bytes) : undefined
  if (read !== undefined && isIncluded({ index, hash: leafHash(bytes) }, tree, path)) return read
  return logFault(
    "LEAF_NOT_INCLUDED",
    `leaf ${leafIndex} is not in the tree of ${counted(tree.size, "leaf", "leaves")}`,
  )
}

/** The decision, once its leaf is in the tree and opens with it. */
export function verifyDecision(
  decision: ShownDecision,
  leaf: ShownLeaf | undefined,
  { organizationId, tree }: { organizationId: string; tree: Checkpoint },
): DecisionStatement | LogFault {
  const name = `decision ${decision.voteId} of activity ${decision.activityId}`
  const bytes = readHex(decision.statement ?? "")
  const statement = readDecision(bytes)
  if (statement === undefined) return logFault("BUNDLE_MALFORMED", `${name}: its statement is none`)
  if (statement.organizationId !== organizationId)
    return logFault(
      "ORGANIZATION_FOREIGN",
      `${name}: its statement is about organization ${statement.organizationId}`,
    )
  if (decision.logOrigin !== tree.origin)
    return logFault(
      "ERA_OTHER",
      `${name}: it is in the log ${decision.logOrigin}, the checkpoint is of ${tree.origin}`,
    )
  if (statement.activityId !== decision.activityId || String(statement.decidedAtMs) !== decision.decidedAtMs)
    return logFault("STATEMENT_CONTRADICTED", `${name}: its statement names another activity or time`)
  if (leaf === undefined || leaf.leafIndex !== decision.leafIndex)
    return logFault("LEAF_NOT_INCLUDED", `${name}: leaf ${decision.leafIndex} is not shown`)
  const found = verifyLeaf(leaf, tree)
  if ("code" in found) return logFault(found.code, `${name}: ${found.sentence}`)
  const salt = readHex(decision.salt ?? "")
  const isOpened = salt.length === SALT_BYTES && isEqual(found.value, commitmentOf(salt, bytes))
  if (found.kind === "decision" && isOpened) return statement
  return logFault(
    "LEAF_NOT_OPENED",
    `${name}: leaf ${leaf.leafIndex} does not open with this salt and statement: one of them was changed`,
  )
}
