// CONTRIBUTING, STYLE and the files of reviews name what is there.
import { globSync } from "node:fs"
import t from "tap"
import { rooms } from "../../scripts/mutation/rooms.ts"
import { proseOf, ROOT, textOf } from "./markdown.ts"

const { scripts } = JSON.parse(textOf("package.json")) as { scripts: { [name: string]: string } }

t.test("every script that they name is one of package.json", async (t) => {
  const texts = ["CONTRIBUTING.md", "docs/STYLE.md"].map(proseOf).join("\n")
  const named = [...texts.matchAll(/npm run ([\w:]+)|npm (start|test)\b/g)].map(([, run, own]) => run ?? own)
  t.ok(named.length > 10)
  t.strictSame(
    named.filter((name) => name === undefined || !Object.hasOwn(scripts, name)),
    [],
  )
  const room = /npm run mutate -- (\w+)/.exec(texts)?.[1] ?? ""
  t.ok(Object.hasOwn(rooms, room), room)
})

t.test("every path that has owners is in the repository", async (t) => {
  const paths = [...textOf(".github/CODEOWNERS").matchAll(/^\/(\S+)/gm)].map(([, path = ""]) => path)
  t.ok(paths.length > 5)
  t.strictSame(
    paths.filter((path) => globSync(path, { cwd: ROOT }).length === 0),
    [],
  )
})
