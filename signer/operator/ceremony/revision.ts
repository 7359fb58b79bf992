import { REFUSED, StartError } from "../../core/settings/start-fault.ts"

/** How a sealed file was changed: by a threshold of shares, with approvals of its holders, or by a daily way alone. */
type ChangedBy = "shares" | "approvals" | "daily"

/** Changes with approvals between two changes by shares. */
const APPROVED_CHANGES = 1n << 20n

/**
 * The revision of the next file: `time of the last change by shares || changes with approvals since(20 bits)`. The signer refuses a file
 * whose revision is below one that it has seen. Shares give it the Unix time at least, so that they can replace a newer file that was lost.
 * A daily way alone gives none, or it could lift an earlier file. Approvals count within one time, so that holders who were replaced by
 * shares never reach the revision that replaced them.
 *
 * @throws {StartError}
 */
export function nextRevision(present: bigint, by: ChangedBy, nowMs = Date.now()): bigint {
  const [time, approved] = [present / APPROVED_CHANGES, present % APPROVED_CHANGES]
  switch (by) {
    case "daily":
      return present
    case "approvals":
      if (approved + 1n < APPROVED_CHANGES) return present + 1n
      throw new StartError(
        REFUSED,
        "this file counts no more changes with approvals: change it by shares, without --by. Nothing was changed",
      )
    case "shares": {
      const now = BigInt(Math.floor(nowMs / 1000))
      return (now > time ? now : time + 1n) * APPROVED_CHANGES
    }
    default:
      return by satisfies never
  }
}
