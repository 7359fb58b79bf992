import t from "tap"
import { importCycles, importCyclesIn } from "../../scripts/import-cycles.ts"
import { ROOT } from "./sources.ts"

t.test("no file imports itself through others, not even for a type", async (t) => {
  t.strictSame(importCyclesIn(ROOT), [])
})

t.test("an import cycle is found wherever it is entered", async (t) => {
  const imports = new Map([
    ["a", ["b", "d"]],
    ["b", ["c"]],
    ["c", ["b"]],
    ["d", ["d"]],
  ])
  t.strictSame(importCycles(imports), ["b -> c -> b", "d -> d"])
  t.strictSame(importCycles(new Map([["a", ["b"]]])), [])
})

t.test("an import is read in every form", async (t) => {
  const root = t.testdir({
    signer: {
      "a.ts": 'import type { B } from "./b.ts"\nexport type A = B',
      "b.ts": 'export * from "./c.ts"',
      "c.ts": 'const load = () => import("./a.ts")',
    },
  })
  t.strictSame(importCyclesIn(root), ["signer/a.ts -> signer/b.ts -> signer/c.ts -> signer/a.ts"])
})
