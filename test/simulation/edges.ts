import type { Request, World } from "./oracle.ts"

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** The time at which the request becomes stale, Unix milliseconds. */
export const staleAtMsOf = ({ timestampMs }: Request): number => timestampMs + HOUR_MS

/** The expiry of the session that stamped the request, Unix milliseconds; undefined: a key without expiry did. */
export function expiryOf(world: World, { organizationId, publicKey }: Request): number | undefined {
  const users = world.get(organizationId)?.users ?? []
  return users.flatMap(({ sessions }) => sessions).find((session) => session.publicKey === publicKey)
    ?.expiresAtMs
}

/** An activity whose votes lapse at a time. */
type Lapse = { organizationId: string; fingerprint: string; atMs: number }

/** The lapses of votes that are still to come. */
export function lapsesOf(world: World, nowMs: number): Lapse[] {
  return [...world.values()].flatMap(({ organizationId, pending }) =>
    [...pending].flatMap(([fingerprint, { votes }]) => {
      const first = votes.find(({ lapsedAtMs }) => lapsedAtMs === 0)
      const atMs = (first?.atMs ?? 0) + DAY_MS
      return nowMs < atMs ? [{ organizationId, fingerprint, atMs }] : []
    }),
  )
}
