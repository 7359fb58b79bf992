import type { JsonMembers } from "../../../../proto/strict-json.ts"
import { ShownActivity } from "./activity.ts"
import { failed, type Finding, notProven, proven, quoted } from "./finding.ts"
import { faultOfVote } from "./votes.ts"

/**
 * The facts that the stamps of an activity prove without any app proof: its body, its parameters, and the keys that voted. They
 * do not prove the result, the decision or the owners of the keys.
 *
 * @param json an activity as the API tier showed or exported it, untrusted
 */
export function findingsOfStamps(json: JsonMembers): Finding[] {
  const activity = new ShownActivity(json)
  const [opening] = activity.votes
  if (opening === undefined) return [failed("it has no vote, so nothing of it is stamped")]
  const faults = activity.votes.map((vote) => faultOfVote(vote, activity)).filter((one) => one !== undefined)
  if (faults.length > 0) return faults
  const { body } = activity
  if (body === undefined)
    return [notProven("its body is not shown: the vote of another user stands in for it")]
  if (!activity.hasRequestOf(body))
    return [failed("its body asks for another type or intent than the one shown")]
  return [proven(`key ${quoted(opening.publicKey)} stamped the body that asks for it`)]
}
