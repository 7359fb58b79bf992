import t from "tap"
import { activityTypes, submitPaths } from "../../proto/catalog.ts"
import { Authority } from "../../proto/gen/countersign/api/v1/options_pb.ts"
import { queries } from "../../services/api/queries/index.ts"
import { isServed } from "../../services/api/submit/served.ts"
import { activities } from "../../signer/enclave/activities/index.ts"
import { sourcesIn } from "./sources.ts"

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

t.test(
  "every operation served is asked for over HTTP, against the tables that were written by hand",
  async (t) => {
    const asked = sourcesIn("test/e2e").filter(({ path }) => path.endsWith("replies.test.ts"))
    const submits = [...submitPaths].filter(([, types]) => types.some(isServed)).map(([path]) => path)
    const paths = [...submits, ...queries.keys()]
    t.ok(paths.length > 20)
    const missing = paths.filter((path) => !asked.some(({ text }) => text.includes(`"${path}"`)))
    // The setup code's way in is no operation of the document: every one of these tests begins with it.
    t.strictSame(missing, ["create_organization"])
  },
)
