import type { Environment } from "../expression.ts"

/** The root of the time field: one instant for the whole request. */
export function timeFacts(nowMs: number): Environment {
  const now = BigInt(nowMs)
  return (root) => (root === "time.now" ? now : undefined)
}
