import t from "tap"
import { activityTypes } from "../../proto/catalog.ts"
import { Authority } from "../../proto/gen/countersign/api/v1/options_pb.ts"
import { queries } from "../../services/api/queries/index.ts"
import { activities } from "../../signer/enclave/modules/index.ts"
import { sourcesIn } from "./sources.ts"
import { queryPaths, submitPaths } from "../../proto/operations.ts"

t.test("the signer runs and the API answers exactly the operations declared served", async (t) => {
  const served = [...activityTypes.values()].filter((entry) => entry.served)
  const [votes, run] = [true, false].map((isVote) =>
    served.filter(({ authority }) => (authority === Authority.VOTE) === isVote).map(({ type }) => type),
  )
  t.equal(votes?.length, 2, "votes are steps of the pipeline and have no file")
  t.strictSame([...activities.keys()], run)
  t.strictSame(
    [...queries.keys()],
    [...queryPaths.values()].filter((entry) => entry.served).map(({ path }) => path),
  )
})

t.test("every served operation is called over HTTP and compared with a table written by hand", async (t) => {
  const asked = sourcesIn("test/e2e").filter(({ path }) => path.endsWith("replies.test.ts"))
  const submits = [...submitPaths]
    .filter(([, types]) => types.some(({ served }) => served))
    .map(([path]) => path)
  const paths = [...submits, ...queries.keys()]
  t.ok(paths.length > 20)
  const missing = paths.filter((path) => !asked.some(({ text }) => text.includes(`"${path}"`)))
  // The setup code's way in is no operation of the document: every one of these tests begins with it.
  t.strictSame(missing, ["create_organization"])
})
