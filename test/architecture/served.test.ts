import { existsSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { activityTypes } from "../../proto/catalog.ts"
import { Authority } from "../../proto/gen/countersign/api/v1/options_pb.ts"
import { queries } from "../../services/api/queries/index.ts"
import { activities } from "../../signer/enclave/modules/index.ts"
import { queryPaths } from "../../proto/operations.ts"
import { ASKED_BY } from "../e2e/replies/asked-by.ts"
import { ROOT } from "./sources.ts"

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
  const types = [...activityTypes.values()]
    .filter(({ served }) => served)
    .map(({ type }) => type.slice("ACTIVITY_TYPE_".length))
  const operations = [...types, ...queries.keys()]
  t.ok(operations.length > 180)
  const asked: readonly string[] = Object.values(ASKED_BY).flat()
  t.strictSame(
    operations.filter((operation) => !asked.includes(operation)),
    // The setup code's way in is no operation of the document: every one of these tests begins with it.
    ["CREATE_ORGANIZATION"],
  )
  t.equal(new Set(asked).size, asked.length, "one sequence answers for an operation")
})

t.test("every sequence of requests has a file of tests", async (t) => {
  for (const sequence of Object.keys(ASKED_BY)) {
    const places = [`test/e2e/replies/${sequence}.ts`, `test/e2e/${sequence}-replies.test.ts`]
    t.ok(
      places.some((place) => existsSync(join(ROOT, place))),
      sequence,
    )
  }
})
