import { activityTypes } from "../../../proto/catalog.ts"
import { queryPaths } from "../../../proto/operations.ts"
import { ReadFault, readMessage } from "../../../proto/read.ts"
import {
  ENVELOPE_MEMBERS,
  memberPath,
  misspellingCheck,
  reportUnknownMembers,
  type OnUnknownMember,
} from "../../../proto/unknown-members.ts"
import { usage } from "../exit.ts"

type Members = { readonly [member: string]: unknown }

/**
 * Requires that the operation has every member of the body: an API ignores most unknown members. All other faults of a
 * body, and operations that this release does not know, are left to the API.
 * @param subject the body, in sentences
 * @throws {CliError} usage
 */
export function requireKnownMembers(path: string, body: Members, subject = "BODY"): void {
  const unknown: string[] = []
  const check = misspellingCheck()
  const onUnknown: OnUnknownMember = (parent, name, known) => {
    try {
      check(parent, name, known)
    } catch (fault) {
      throw usage(`${subject}: ${(fault as ReadFault).message}`, { cause: fault })
    }
    unknown.push(memberPath(parent, name))
  }
  try {
    readMembers(path, body, onUnknown)
  } catch (fault) {
    if (!(fault instanceof ReadFault)) throw fault
  }
  if (unknown.length === 0) return
  const sentence = `${subject}: the operation has no ${unknown.join(", ")}; leave out what docs/api.md does not list`
  throw usage(sentence)
}

function readMembers(path: string, body: Members, onUnknown: OnUnknownMember): void {
  const query = queryPaths.get(path.replace("/public/v1/query/", ""))
  if (query !== undefined) {
    readMessage(query.input, body, "", onUnknown)
    return
  }
  const activity = activityTypes.get(String(body["type"]))
  if (activity === undefined) return
  reportUnknownMembers(body, ENVELOPE_MEMBERS, onUnknown)
  readMessage(activity.intentSchema, body["parameters"], "parameters", onUnknown)
}
