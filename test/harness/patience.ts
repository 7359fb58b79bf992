/** How many times longer work takes on this machine than on the usual one. `npm test` measures it (scripts/test-pace.ts). */
const pace = Math.max(1, Number(process.env["TEST_PACE"] ?? 1))

/** A time limit that only ends what would never end: as long as given on the usual machine, longer on a slower one. */
export function patienceMs(usualMs: number): number {
  return usualMs * pace
}
