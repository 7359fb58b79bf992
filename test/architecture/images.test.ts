// Each image is complete: every file that its program loads lies in its stage of the Dockerfile.
import { existsSync, readFileSync, statSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import t from "tap"
import { IMAGE_PACKAGES } from "../../scripts/generators/image-packages.ts"
import { lockedIn, readStages, type Stage, stagesOf } from "../harness/dockerfile.ts"
import { readImports } from "./import-faults.ts"
import { ROOT } from "./sources.ts"

/** All files that a program loads, itself among them. A module from which only types are imported is never loaded. */
function loadedBy(program: string): Set<string> {
  const loaded = new Set<string>()
  const open = [program]
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (loaded.has(path)) continue
    loaded.add(path)
    for (const specifier of readImports(withoutTypes(path)).specifiers) {
      if (specifier.startsWith(".")) open.push(normalize(join(dirname(path), specifier)))
    }
  }
  return loaded
}

function withoutTypes(path: string): string {
  const text = readFileSync(join(ROOT, path), "utf8")
  return text.replaceAll(/^(?:import|export) type [^;]*?from "[^"]+"/gm, "")
}

/** Names of the packages that a file imports. */
function packagesIn(text: string): string[] {
  return readImports(text)
    .specifiers.filter((specifier) => !/^(?:\.|node:)/.test(specifier))
    .map((specifier) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier)
}

function missingIn(stage: Stage, stages: readonly Stage[]): string[] {
  const base = stages.find(({ name }) => name === stage.from)
  const copied = pathsOf([...(base === undefined ? [] : [base]), stage])
  return [...loadedIn(stage)].filter(
    (path) => !copied.some((one) => path === one || path.startsWith(`${one}/`)),
  )
}

const pathsOf = (stages: readonly Stage[]) => stages.flatMap(({ copied }) => copied.map(({ path }) => path))

const stages = readStages()
const programs = stages.filter(({ program }) => program !== "")

/** Programs beside an image's own, which operators run in it. */
const BESIDE: { readonly [image: string]: readonly string[] } = {
  signer: ["signer/operator/main.ts"],
  // countersign-node loads the second where it is installed.
  api: ["services/node/main.ts", "services/api/join.ts"],
  worker: ["services/node/main.ts"],
  "auth-proxy": ["services/node/main.ts"],
  dashboard: ["services/node/main.ts"],
}

/** All files that the programs of an image load. */
function loadedIn({ name, program }: Stage): Set<string> {
  return new Set([program, ...(BESIDE[name] ?? [])].flatMap((one) => [...loadedBy(one)]))
}

function stageOf(name: string): Stage {
  const stage = programs.find((one) => one.name === name)
  if (stage === undefined) throw new Error(`there is no image ${name}`)
  return stage
}

t.test("each image holds every file that its program loads", async (t) => {
  t.strictSame(
    programs.map(({ name }) => name),
    ["signer", "fetcher", "witness", "api", "worker", "auth-proxy", "dashboard"],
  )
  for (const stage of programs) {
    t.ok(loadedBy(stage.program).size > 20)
    t.strictSame(missingIn(stage, stages), [], stage.name)
  }
})

/** What a process reads or hands out: the guides of the API. */
const SHOWN: { readonly [image: string]: { paths: readonly string[]; packages: readonly string[] } } = {
  api: { paths: ["README.md", "docs", "services/dashboard/public"], packages: ["minisearch"] },
}

t.test("each image copies whole folders of its zone, and none that its program does not use", async (t) => {
  for (const stage of programs) {
    const others = ["proto", "package.json", ...(SHOWN[stage.name]?.paths ?? [])]
    const folders = pathsOf([stage]).filter((path) => !others.includes(path))
    const loaded = [...loadedIn(stage)]
    const superfluous = folders.filter((folder) => !loaded.some((path) => path.startsWith(`${folder}/`)))
    t.strictSame(superfluous, [], stage.name)
    t.ok(
      folders.every((path) => statSync(join(ROOT, path)).isDirectory()),
      `${stage.name} copies folders`,
    )
  }
})

t.test("each image installs the packages that its programs import, and no others", async (t) => {
  for (const stage of programs) {
    const { name } = stage
    const imported = [...loadedIn(stage)].flatMap((path) => packagesIn(withoutTypes(path)))
    const used = new Set([...imported, ...(SHOWN[name]?.packages ?? [])])
    t.strictSame([...used].toSorted(), (IMAGE_PACKAGES[name] ?? []).toSorted(), name)
  }
})

t.test(
  "the signer's process loads neither the operator's program nor its certificate authority",
  async (t) => {
    const authority = [...loadedBy("signer/operator/certify.ts")]
    t.ok(authority.includes("signer/operator/authority/certificate.ts"))
    const loaded = [...loadedBy("signer/enclave/main.ts"), ...loadedBy("signer/fetcher/main.ts")]
    t.strictSame(
      loaded.filter((path) => path.startsWith("signer/operator/")),
      [],
    )
  },
)

t.test("an image of a service has only the core of the signer", async (t) => {
  for (const name of ["api", "worker", "auth-proxy", "dashboard"]) {
    const stage = stageOf(name)
    const ofSigner = [...loadedIn(stage), ...pathsOf([stage])].filter((path) =>
      /^signer(?!\/core(?:\/|$))/.test(path),
    )
    t.strictSame(ofSigner, [], name)
  }
})

t.test("each image copies paths that exist", async (t) => {
  t.strictSame(
    pathsOf(stages).filter((path) => !existsSync(join(ROOT, path))),
    [],
  )
})

/** Folders that other stages build, by the image that serves them. */
const BUILT: { readonly [image: string]: Stage["built"] } = {
  dashboard: [{ stage: "dashboard-build", path: "services/dashboard/dist", to: "./services/dashboard/dist" }],
}

t.test(
  "the dashboard's image has its pages, built by a stage; no other image has something built",
  async (t) => {
    for (const { name, built } of programs) t.strictSame(built, BUILT[name] ?? [], name)
  },
)

t.test(
  "the stage of the dashboard has what it bundles, and its packages are those that are bundled",
  async (t) => {
    const stage = stages.find(({ name }) => name === "dashboard-build")
    if (stage === undefined) throw new Error("there is no stage dashboard-build")
    const [build, pages] = ["scripts/build-dashboard.ts", "services/dashboard/main.tsx"]
    for (const program of [build, pages]) t.strictSame(missingIn({ ...stage, program }, stages), [], program)
    const loaded = [build, pages].flatMap((program) => [...loadedBy(program)])
    const imported = loaded.flatMap((path) => packagesIn(withoutTypes(path)))
    t.strictSame([...new Set(imported)].toSorted(), IMAGE_PACKAGES["dashboard-build"]?.toSorted())
    t.strictSame(stage.packagesOf, ["dashboard-build-packages"])
  },
)

t.test("the image check reports a folder that is left out", async (t) => {
  const api = stageOf("api")
  const without = { ...api, copied: api.copied.filter(({ path }) => path !== "services/common") }
  t.ok(missingIn(without, stages).every((path) => path.startsWith("services/common/")))
  t.not(missingIn(without, stages).length, 0)
})

t.test("the build context has every path that a stage copies", async (t) => {
  const admitted = readFileSync(join(ROOT, ".dockerignore"), "utf8").match(/(?<=^!).+$/gm) ?? []
  t.strictSame(
    pathsOf(stages).filter((path) => !admitted.some((one) => path === one || path.startsWith(`${one}/`))),
    [],
  )
})

t.test("each image has the packages of its own zone, and no other's", async (t) => {
  const own = new Map<string, string[]>()
  t.strictSame(
    stagesOf("witness").flatMap(({ packagesOf }) => packagesOf),
    [],
    "a witness has none",
  )
  for (const { name } of programs.filter((one) => IMAGE_PACKAGES[one.name] !== undefined)) {
    t.strictSame(
      stagesOf(name).flatMap(({ packagesOf }) => packagesOf),
      [`${name}-packages`],
    )
    t.strictSame(pathsOf(stagesOf(`${name}-packages`)).slice(0, 1), [`images/${name}`])
    own.set(name, lockedIn(`images/${name}`))
  }
  const hasPackage = (image: string, name: string) => own.get(image)?.includes(`node_modules/${name}`)
  for (const name of ["koa", "pino", "postgres", "commander", "zod"])
    t.notOk(hasPackage("signer", name), name)
  for (const name of ["secp256k1", "tiny-secp256k1", "@noble/ciphers"])
    for (const image of ["fetcher", "api", "worker", "auth-proxy"])
      t.notOk(hasPackage(image, name), `${image}: ${name}`)
  // Its list of words names public keys and requests, in the other images too; the worker joins nothing.
  t.notOk(hasPackage("worker", "@scure/bip39"))
  for (const name of ["@grpc/grpc-js", "postgres"]) t.notOk(hasPackage("auth-proxy", name), name)
  for (const name of ["@grpc/grpc-js", "postgres", "koa", "vite"])
    t.notOk(hasPackage("dashboard", name), `dashboard: ${name}`)
  // Without a client of the signer the worker has no road to it.
  t.notOk(hasPackage("worker", "@grpc/grpc-js"))
})
