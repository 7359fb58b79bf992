import { editDistance } from "./edit-distance.ts"
import { fieldFault } from "./read-value.ts"

/**
 * Called for each member, null aside, that its object does not have. `parent` is the object's path, `known` the names
 * of its members.
 */
export type OnUnknownMember = (parent: string, name: string, known: Iterable<string>) => void

/** Members of a submitted body. */
export const ENVELOPE_MEMBERS: ReadonlySet<string> = new Set([
  "type",
  "timestampMs",
  "organizationId",
  "parameters",
  "generateAppProofs",
])

/** Edits up to which an unknown name counts as a known one, misspelt. */
const MAX_EDITS = 2

/** Members that would change what a request does, and that this release does not implement. At every depth. */
const NOT_IMPLEMENTED: ReadonlySet<string> = new Set(["externalSignerPubkey", "external_signer_pubkey"])

/**
 * Refuses members that must not be ignored: those that are not implemented, and misspelt ones. For example,
 * `conditions` in place of `condition` would make a policy without condition. Other unknown members are ignored.
 * @throws {ReadFault}
 */
export const refuseMisspelling: OnUnknownMember = (parent, name, known) => {
  if (NOT_IMPLEMENTED.has(name))
    throw fieldFault(memberPath(parent, name), "is not implemented; leave it out")
  const meant = misspeltName(name, known)
  if (meant === undefined) return
  const advice = `is unknown; did you mean \`${meant}\`? Correct the name or leave the member out`
  throw fieldFault(memberPath(parent, name), advice)
}

/** Calls `onUnknown` for the members of an object that are not in `known`. */
export function reportUnknownMembers(
  json: { readonly [member: string]: unknown },
  known: ReadonlySet<string>,
  onUnknown: OnUnknownMember,
): void {
  for (const [name, value] of Object.entries(json))
    if (!known.has(name) && value !== null) onUnknown("", name, known)
}

/** Path of a member: `parameters.users[0]` and `userName` make `parameters.users[0].userName`. */
export function memberPath(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`
}

/** The nearest known name with at most two edits; a name of which every character was edited is another one. */
function misspeltName(name: string, known: Iterable<string>): string | undefined {
  let nearest: string | undefined
  let least = MAX_EDITS + 1
  for (const candidate of known) {
    const distance = editDistance(name, candidate, MAX_EDITS)
    if (distance >= least || distance >= Math.max(name.length, candidate.length)) continue
    nearest = candidate
    least = distance
  }
  return nearest
}
