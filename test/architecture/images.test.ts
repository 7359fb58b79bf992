// What an image leaves out must not be missed: every file that a program loads lies in its stage of the Dockerfile.
import { existsSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import t from "tap"
import { readImports } from "./import-faults.ts"
import { ROOT } from "./sources.ts"

type Stage = { name: string; from: string; copied: string[]; program: string }

/** Stages with what they take from the checkout, in the order of the file. */
function readStages(dockerfile: string): Stage[] {
  return dockerfile
    .split(/^FROM /m)
    .slice(1)
    .map((text) => {
      const [from = "", , name = ""] = (text.split("\n")[0] ?? "").split(" ")
      const copied = [...text.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, paths = ""]) =>
        paths.split(" "),
      )
      const program = /^CMD \[.*"((?:signer|services)\/[\w/-]+\.ts)"/m.exec(text)?.[1] ?? ""
      return { name, from, copied, program }
    })
}

/** All files that a program loads, itself among them. What only types are taken from is never loaded. */
function loadedBy(program: string): Set<string> {
  const loaded = new Set<string>()
  const open = [program]
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (loaded.has(path)) continue
    loaded.add(path)
    const text = readFileSync(join(ROOT, path), "utf8").replaceAll(
      /^(?:import|export) type [^;]*?from "[^"]+"/gm,
      "",
    )
    for (const specifier of readImports(text).specifiers) {
      if (specifier.startsWith(".")) open.push(normalize(join(dirname(path), specifier)))
    }
  }
  return loaded
}

function missingIn(stage: Stage, stages: readonly Stage[]): string[] {
  const base = stages.find(({ name }) => name === stage.from)
  const copied = [...(base?.copied ?? []), ...stage.copied]
  return [...loadedBy(stage.program)].filter(
    (path) => !copied.some((one) => path === one || path.startsWith(`${one}/`)),
  )
}

const stages = readStages(readFileSync(join(ROOT, "Dockerfile"), "utf8"))
const programs = stages.filter(({ program }) => program !== "")

function stageOf(name: string): Stage {
  const stage = programs.find((one) => one.name === name)
  if (stage === undefined) throw new Error(`there is no image ${name}`)
  return stage
}

t.test("each image holds every file that its program loads", async (t) => {
  t.strictSame(
    programs.map(({ name }) => name),
    ["signer", "fetcher", "api", "auth-proxy"],
  )
  for (const stage of programs) {
    t.ok(loadedBy(stage.program).size > 20)
    t.strictSame(missingIn(stage, stages), [], stage.name)
  }
})

t.test("the image of the auth proxy has nothing of the signer but the names of settings", async (t) => {
  const loaded = [...loadedBy(stageOf("auth-proxy").program)]
  t.same(
    loaded.filter((path) => path.startsWith("signer/")),
    ["signer/setting-names.ts"],
  )
  t.same(
    loaded.filter((path) => /^services\/(?!common\/|auth-proxy\/)/.test(path)),
    [],
  )
})

t.test("each image is copied from what is there", async (t) => {
  t.strictSame(
    stages.flatMap(({ copied }) => copied).filter((path) => !existsSync(join(ROOT, path))),
    [],
  )
})

t.test("notices a folder that is left out", async (t) => {
  const api = stageOf("api")
  const without = { ...api, copied: api.copied.filter((path) => path !== "services/common") }
  t.ok(missingIn(without, stages).every((path) => path.startsWith("services/common/")))
  t.not(missingIn(without, stages).length, 0)
})

t.test(
  "the image of the API tier has no room of the signer that decides or holds keys at work",
  async (t) => {
    const api = stageOf("api")
    const closed = ["signer/execution", "signer/rpc", "signer/ledger", "signer/provision", "signer/main.ts"]
    t.strictSame(
      [...loadedBy(api.program)].filter((path) => closed.some((one) => path.startsWith(one))),
      [],
    )
  },
)
