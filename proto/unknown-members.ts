import { editDistance } from "./edit-distance.ts"
import { fieldFault, ReadFault } from "./read-value.ts"

/** Names of an object's members: a set of them, or a map by them. Objects of one type have the same one. */
export type KnownNames = { keys(): Iterable<string> }

/**
 * Called for each member, except null, that its object does not have. `parent` is the object's path, `known` the names
 * of its members.
 */
export type OnUnknownMember = (parent: string, name: string, known: KnownNames) => void

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
 * Unknown names of one body that are compared with known ones: a comparison costs microseconds of the thread that signs.
 * A name that many objects of one type have, as the items of a list, is compared once.
 */
export const MAX_UNKNOWN_NAMES = 100

/**
 * A check of one body that refuses members that must not be ignored: those that are not implemented, misspelt ones, and
 * all that follow MAX_UNKNOWN_NAMES others. For example, `conditions` in place of `condition` would make a policy
 * without condition. Other unknown members are ignored. The check throws {@link ReadFault}.
 */
export function misspellingCheck(): OnUnknownMember {
  const compared = new Map<KnownNames, Set<string>>()
  let count = 0
  return (parent, name, known) => {
    const names = compared.get(known) ?? new Set()
    if (names.has(name)) return
    if (count === MAX_UNKNOWN_NAMES) throw tooManyNames(parent)
    refuseMisspelling(parent, name, known)
    compared.set(known, names.add(name))
    count += 1
  }
}

function tooManyNames(path: string): ReadFault {
  const sentence = `the body has more than ${MAX_UNKNOWN_NAMES} names of members that the operation does not know`
  return new ReadFault(path, `${sentence}; leave those members out`)
}

/** @throws {ReadFault} */
function refuseMisspelling(parent: string, name: string, known: KnownNames): void {
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

/** The nearest known name within two edits, unless every character differs. */
function misspeltName(name: string, known: KnownNames): string | undefined {
  let nearest: string | undefined
  let least = MAX_EDITS + 1
  for (const candidate of known.keys()) {
    const distance = editDistance(name, candidate, MAX_EDITS)
    if (distance >= least || distance >= Math.max(name.length, candidate.length)) continue
    nearest = candidate
    least = distance
  }
  return nearest
}
