import t from "tap"
import { queryPaths, submitPaths } from "../../../proto/operations.ts"
import { queries } from "../../../services/api/queries/index.ts"
import { replacementFor } from "../../../services/common/not-served.ts"

t.test(
  "every operation that is not served names what to use meanwhile, and no served one does",
  async (t) => {
    const isServed = new Map<string, boolean>([
      ...[...submitPaths].map(([path, types]) => [path, types.some(({ served }) => served)] as const),
      ...[...queryPaths.keys()].map((path) => [path, queries.has(path)] as const),
    ])
    for (const [path, served] of isServed)
      t.equal(replacementFor(path) !== undefined, !served, `${path}, ${served ? "served" : "not served"}`)
  },
)

t.test("a sentence names only operations that exist and are served", async (t) => {
  const words = [...submitPaths.keys()].flatMap(
    (path) => replacementFor(path)?.match(/[a-z]+_[a-z_]+/g) ?? [],
  )
  for (const word of new Set(words)) {
    const isServed = submitPaths.get(word)?.some(({ served }) => served) ?? queries.has(word)
    t.ok(isServed, word)
  }
})
