// The browser's mark of an activity that the API shows otherwise than it was stamped.
import t from "tap"
import { generateApiKey } from "../../../services/terminal-client/api-key.ts"
import { check } from "../../../services/dashboard/api/verify.ts"
import { alterations, MALLORY, waitingActivity } from "../../harness/altered-activity.ts"

t.test(
  "W12: an activity that the API alters in any part is shown as altered, and an unaltered one is not",
  async (t) => {
    const tag = (userTagName: string, userIds: readonly string[] = []) =>
      waitingActivity(generateApiKey(), "CREATE_USER_TAG", "createUserTagIntent", { userTagName, userIds })
    const [genuine, other] = [tag("one cent"), tag("all of it", [MALLORY])]
    for (const twin of [genuine, other]) {
      const checked = check(twin as never, [], undefined)
      t.equal(checked.verdict, "stamped")
      t.equal(checked.body, twin.votes[0]?.message, "what is described is what was stamped")
    }
    for (const [part, altered] of alterations(genuine, other)) {
      const { verdict, findings } = check(altered as never, [], undefined)
      t.equal(verdict, "false", part)
      t.ok(
        findings.some((finding) => finding.verdict === "failed"),
        part,
      )
    }
  },
)
