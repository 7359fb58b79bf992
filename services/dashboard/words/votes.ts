import type { Time } from "../../common/activity-json.ts"
import { VOTE_LIFETIME_MS } from "../../../signer/core/freshness.ts"
import { msOf } from "./time.ts"

/**
 * Time at which the votes that count lapse; undefined: none counts. They lapse together, a day after the first of them; the
 * next vote starts a new day. A reply lists lapsed votes too.
 */
export function votesLapseMs(votes: readonly { createdAt: Time }[], nowMs: number): number | undefined {
  let firstMs: number | undefined
  const times = votes.map(({ createdAt }) => msOf(createdAt)).filter((ms) => !Number.isNaN(ms))
  for (const ms of times.toSorted((a, b) => a - b)) {
    if (firstMs === undefined || ms - firstMs >= VOTE_LIFETIME_MS) firstMs = ms
  }
  if (firstMs === undefined || nowMs - firstMs >= VOTE_LIFETIME_MS) return undefined
  return firstMs + VOTE_LIFETIME_MS
}
