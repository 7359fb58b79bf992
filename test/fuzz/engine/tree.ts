/**
 * A part of an input. `head`: what stands before its content and says its kind, without its length. `body`: its content.
 * A format writes heads and lengths again, so that parts can be moved, repeated and removed.
 */
export type Part = { head: string; body: Buffer | Part[] }

/** `parse` returns undefined for an input without the structure. */
export type TreeFormat = { parse(input: Buffer): Part | undefined; write(part: Part): Buffer }

/** Deeper parts stay bytes. */
export const MAX_DEPTH = 24

/** All parts, the outermost first. */
export function partsOf(part: Part): Part[] {
  const all = [part]
  for (const one of all) if (Array.isArray(one.body)) for (const inner of one.body) all.push(inner)
  return all
}

export function copyOf({ head, body }: Part): Part {
  return { head, body: Array.isArray(body) ? body.map(copyOf) : body }
}
