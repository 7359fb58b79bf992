import t from "tap"
import { activityTypes } from "../../proto/catalog.ts"
import { Authority } from "../../proto/gen/countersign/api/v1/options_pb.ts"
import { isServed } from "../../services/api/served.ts"
import { activities } from "../../signer/activities/index.ts"

// Services may not import the signer, so each side has its own list: of what only the API serves, everybody gets
// an error of the signer, and what only the signer serves nobody reaches.
t.test("API and signer serve the same activity types", async (t) => {
  const entries = [...activityTypes.values()]
  const votes = entries.filter(({ authority }) => authority === Authority.VOTE).map(({ type }) => type)
  t.same(
    votes.filter((type) => activities.has(type)),
    [],
    "votes are the pipeline's own",
  )
  const byApi = entries.filter(isServed).map(({ type }) => type)
  t.ok(byApi.length > votes.length)
  t.strictSame(byApi.toSorted(), [...activities.keys(), ...votes].toSorted())
})
