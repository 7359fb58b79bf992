// The signer's rule for members that an activity does not have. An ignored text must not look like a text that
// decides: an approver, or a program that shows a request, could mistake it for one.
import { type ActivityEntry, activityTypes } from "../../../proto/catalog.ts"
import { fieldFault, type ReadFault } from "../../../proto/read-value.ts"
import { memberPath, misspellingCheck } from "../../../proto/unknown-members.ts"
import { isSentByClients } from "./client-members.ts"
import { intentNames, placeOf } from "./intent-names.ts"
import type { MemberRule } from "./read-body.ts"

/** Members that the operator admits: an activity type and a path without indexes, joined by a dot. */
export type AdmittedMembers = ReadonlySet<string>

/** Names that a sentence may repeat: others can be as long as a body. */
const SHOWABLE = /^\w{1,64}$/

/**
 * Makes the rule. A member that its object does not have is refused where
 * - it looks like one of the object's own, misspelt, or changes what a request does and is not implemented;
 * - some activity has a member of this name, in either spelling: a decoy;
 * - the activity ignores no members (ActivityDeclaration.ignores_unknown_members).
 *
 * Members that published clients are known to send, and those that the operator admits, are ignored.
 */
export function memberRule(admitted: AdmittedMembers): MemberRule {
  const decoys = intentNames()
  return (activity) => {
    const misspelling = misspellingCheck()
    if (activity === undefined) return misspelling
    return (parent, name, known) => {
      const place = memberPath(withoutIndexes(parent), name)
      if (isSentByClients(place) || admitted.has(`${activity.type}.${place}`)) return
      misspelling(parent, name, known)
      if (decoys.has(name)) throw decoyFault(activity, parent, name)
      if (!activity.ignoresUnknownMembers) throw unknownFault(activity, parent, name)
    }
  }
}

/** `parameters.users[0].apiKeys` without its indexes: `parameters.users.apiKeys`. */
function withoutIndexes(path: string): string {
  return path.includes("[") ? path.replace(/\[\d+\]/g, "") : path
}

function decoyFault(activity: ActivityEntry, parent: string, name: string): ReadFault {
  const own = placeOf(activity, name)
  const path = memberPath(parent, name)
  if (own !== undefined) {
    const sentence = `is no member of this object: ${activity.type} has it as \`${own}\`; move it there or leave it out`
    return fieldFault(path, sentence)
  }
  const { type } = ownerOf(activity, name)
  return fieldFault(path, `is no member of ${activity.type} but of ${type}; leave it out or send that type`)
}

/** An activity that has a member of the name: another version of the same one, or the first. */
function ownerOf({ path }: ActivityEntry, name: string): ActivityEntry {
  const owners = [...activityTypes.values()].filter((entry) => placeOf(entry, name) !== undefined)
  return owners.find((entry) => entry.path === path) ?? (owners[0] as ActivityEntry)
}

function unknownFault({ type }: ActivityEntry, parent: string, name: string): ReadFault {
  if (SHOWABLE.test(name)) {
    const sentence = `is no member of ${type}, which takes no others; leave it out`
    return fieldFault(memberPath(parent, name), sentence)
  }
  return fieldFault(parent, `has a member that ${type} does not know, and takes no others; leave it out`)
}
