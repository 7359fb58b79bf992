import type { HolderAct } from "../../core/holder-acts/acts.ts"
import { approvalsNeeded } from "../../core/holder-acts/act-gate.ts"
import { requireFileAct } from "../../core/holder-acts/file-act.ts"
import type { SealedFile } from "../../core/sealed-seed/format.ts"
import { holdersOf } from "../../core/sealed-seed/holders.ts"
import { readApprovals } from "./approval-file.ts"

/** Requires approvals of an act over a sealed file, if it names holders. @throws APPROVALS_NEEDED, and those of `requireFileAct` */
export function requireApprovedFileAct(
  act: HolderAct,
  files: readonly string[],
  { header }: SealedFile,
): void {
  const holders = holdersOf(header)
  if (holders === undefined) return
  const approved = readApprovals(files)
  if (approved === undefined) throw approvalsNeeded(act, holders)
  requireFileAct(act, approved, { holders, nowMs: Date.now() })
}
