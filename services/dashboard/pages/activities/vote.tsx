import type { WholeActivityJson } from "../../../common/activity-json.ts"
import type { ListedOrganization } from "../../api/directory.ts"
import type { ProofCheck } from "../../api/verify.ts"
import { openChange } from "../../ui/change.tsx"
import { WholeRequest } from "./request.tsx"

/** Opens the dialog of a vote. It shows the request that the vote covers, as it was stamped and checked here. */
export function vote(
  verb: "approve" | "reject",
  activity: WholeActivityJson,
  check: ProofCheck,
  organization: ListedOrganization | undefined,
): void {
  const word = verb === "approve" ? "Approve" : "Reject"
  openChange({
    title: `${word} this request`,
    verb: word,
    type: `ACTIVITY_TYPE_${word.toUpperCase()}_ACTIVITY`,
    about: <WholeRequest activity={activity} check={check} organization={organization} />,
    parameters: () => ({ fingerprint: activity.fingerprint }),
  })
}
