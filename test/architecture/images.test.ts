// Each image is complete: every file that its program loads lies in its stage of the Dockerfile.
import { existsSync, readFileSync, statSync } from "node:fs"
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

t.test("each image copies whole folders of its zone, and none that its program does not load", async (t) => {
  for (const stage of programs) {
    const folders = stage.copied.filter((path) => !/^(?:proto|package\.json)$/.test(path))
    const programsOf: { [name: string]: string[] } = { signer: [stage.program, "signer/operator/main.ts"] }
    const loaded = (programsOf[stage.name] ?? [stage.program]).flatMap((program) => [...loadedBy(program)])
    const superfluous = folders.filter((folder) => !loaded.some((path) => path.startsWith(`${folder}/`)))
    t.strictSame(superfluous, [], stage.name)
    t.ok(
      folders.every((path) => statSync(join(ROOT, path)).isDirectory()),
      `${stage.name} copies folders`,
    )
  }
})

t.test("an image of a service has only the core of the signer", async (t) => {
  for (const name of ["api", "auth-proxy"]) {
    const { program, copied } = stageOf(name)
    const fakeFetcher = [...loadedBy(program), ...copied].filter((path) =>
      /^signer(?!\/core(?:\/|$))/.test(path),
    )
    t.strictSame(fakeFetcher, [], name)
  }
})

t.test("each image copies paths that exist", async (t) => {
  t.strictSame(
    stages.flatMap(({ copied }) => copied).filter((path) => !existsSync(join(ROOT, path))),
    [],
  )
})

t.test("the image check reports a folder that is left out", async (t) => {
  const api = stageOf("api")
  const without = { ...api, copied: api.copied.filter((path) => path !== "services/common") }
  t.ok(missingIn(without, stages).every((path) => path.startsWith("services/common/")))
  t.not(missingIn(without, stages).length, 0)
})
