import type { ActivityRow } from "../store/activities.ts"

/** A test for values that contain one of these texts: in any case, at any depth, and in any escaping of JSON. */
export function mentionsOf(words: readonly string[]): (value: unknown) => boolean {
  const wanted = words.map(folded)
  const isMentioned = (value: unknown): boolean => {
    if (typeof value === "string") {
      // Bodies, payloads of proofs and client data stand as text within JSON.
      const inner = parsed(value)
      return inner === undefined ? wanted.some((word) => folded(value).includes(word)) : isMentioned(inner)
    }
    if (typeof value !== "object" || value === null) return false
    return Object.entries(value).some(([name, member]) => isMentioned(name) || isMentioned(member))
  }
  return isMentioned
}

function folded(text: string): string {
  return text.normalize("NFC").toLowerCase()
}

/** The object or list of a JSON text; undefined: it is another text. */
function parsed(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text) as object
  } catch {
    return undefined
  }
}

/** The parts of an activity that users and results fill. */
export function contentsOf({ intent, result, failure, appProofs, votes }: ActivityRow): unknown {
  return { intent, result, failure, appProofs, votes }
}
