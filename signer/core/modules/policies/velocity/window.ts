import type { Bucket, Control, Slot } from "../../../policy/controls.ts"

type Window = Pick<Control, "windowMs">

/**
 * Slots of one window. The data of a slot count until its last instant is as old as the window. That is never shorter than the
 * window, and longer by at most a hundredth of it, rounded up to a millisecond.
 */
const SLOTS_PER_WINDOW = 100

function slotMs(windowMs: number): number {
  return Math.ceil(windowMs / SLOTS_PER_WINDOW)
}

/** Unix time from which the slot's data no longer count, milliseconds; undefined: they always do. */
export function slotEndMs({ windowMs }: Window, { number }: Pick<Slot, "number">): number | undefined {
  return windowMs === undefined ? undefined : (Number(number) + 1) * slotMs(windowMs) + windowMs
}

/** The slots whose data count. */
export function liveSlots(window: Window, bucket: Bucket, nowMs: number): Bucket {
  return bucket.filter((slot) => {
    const endMs = slotEndMs(window, slot)
    return endMs === undefined || nowMs < endMs
  })
}

export function sumOf(bucket: Bucket): bigint {
  return bucket.reduce((sum, slot) => sum + slot.sum, 0n)
}

/**
 * The bucket with more data, and without data that no longer count. Data never go to a slot before the newest one. If the clock
 * was set back they count longer, and a bucket never has more than SLOTS_PER_WINDOW + 2 slots.
 */
export function withData(window: Window, bucket: Bucket, added: bigint, nowMs: number): Bucket {
  const live = liveSlots(window, bucket, nowMs)
  const { windowMs } = window
  const now = windowMs === undefined ? 0n : BigInt(Math.floor(nowMs / slotMs(windowMs)))
  const newest = live.at(-1)
  if (newest === undefined || newest.number < now) return [...live, { number: now, sum: added }]
  return live.with(live.length - 1, { number: newest.number, sum: newest.sum + added })
}

/**
 * The earliest Unix time in milliseconds at which at most `most` is left of the data; undefined: never. With a rolling
 * window that is when enough of the oldest slots have ended.
 */
export function freesAtMs(window: Window, bucket: Bucket, most: bigint, nowMs: number): number | undefined {
  if (most < 0n) return undefined
  const live = liveSlots(window, bucket, nowMs)
  let left = sumOf(live)
  if (left <= most) return nowMs
  for (const slot of live) {
    const endMs = slotEndMs(window, slot)
    if (endMs === undefined) return undefined
    left -= slot.sum
    if (left <= most) return endMs
  }
  return undefined
}
