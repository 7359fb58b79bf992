// Every program of the repository refuses a debugger, by an option of Node and by its first import.
import { globSync, readFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import t from "tap"
import { blocksOf, documents } from "../docs/markdown.ts"
import { readImports } from "./import-faults.ts"
import { servingOptionsOf } from "../../services/dev/layout.ts"
import { IMAGES } from "../../scripts/release/images.ts"
import { ROOT } from "./sources.ts"

const GUARD = "refuse-debugger.ts"
const OPTION = "--disable-sigusr1"

/** Runs a program with the Node that is installed beside it, in a checkout and in an archive, whatever Node the host has. */
const SHELL_LINE = `#!/usr/bin/env -S sh -c 'd=$(dirname "$(readlink -f "$0")")/../..; PATH=$d/node_modules/.bin:$d/bin:$PATH exec node ${OPTION} "$0" "$@"'`

const read = (path: string) => readFileSync(join(ROOT, path), "utf8")

/** Files that no file imports, or that have a line for the shell: the programs of signer/ and services/. */
function programs(): string[] {
  const files = globSync(["signer/**/*.ts", "services/**/*.ts"], { cwd: ROOT }).filter(
    // Pages for the browser are no programs of Node.js.
    (path) => !path.endsWith(".d.ts") && !path.startsWith("services/dashboard/"),
  )
  const imported = new Set(
    [...files, ...globSync("scripts/**/*.ts", { cwd: ROOT })].flatMap((path) =>
      readImports(read(path)).specifiers.map((specifier) => join(dirname(path), specifier)),
    ),
  )
  // Indexes and pages are loaded by a computed path.
  const isLoaded = (path: string) => imported.has(path) || /\/(?:index|openapi)\.ts$/.test(path)
  return files.filter(
    (path) => !isLoaded(path) || read(path).startsWith("#!") || basename(path) === "main.ts",
  )
}

/** Commands that start Node with a program of signer/ or services/, each with its place. */
function starts(): [place: string, command: string][] {
  const { scripts } = JSON.parse(read("package.json")) as { scripts: { [name: string]: string } }
  const shell = documents
    .flatMap(blocksOf)
    .filter(({ language }) => language === "shell")
    .flatMap(({ file, text }) => text.split("\n").map((line): [string, string] => [file, line]))
  const images = read("Dockerfile")
    .split("\n")
    .map((line): [string, string] => ["Dockerfile", line])
  const compose = globSync("docker-compose*.yml", { cwd: ROOT }).flatMap((file) =>
    read(file)
      .split("\n")
      .map((line): [string, string] => [file, line]),
  )
  const all = [...Object.entries(scripts), ...shell, ...images, ...compose]
  // A command in a container has the option from its image, see below.
  return all.filter(
    ([, command]) =>
      /\bnode\b.*\b(?:signer|services)\/[\w/-]+\.ts/.test(command) &&
      !/docker compose (?:--file \S+ )?(?:exec|run)/.test(command),
  )
}

t.test("the first import of every program refuses a debugger", async (t) => {
  const all = programs()
  t.ok(all.length >= 10, all.join(" "))
  for (const path of all) {
    const first = /^import\b.*$/m.exec(read(path))?.[0] ?? ""
    t.ok(first.startsWith('import "') && first.endsWith(`/${GUARD}"`), `${path}: ${first}`)
  }
})

t.test("every documented start of a program gives Node the option", async (t) => {
  const all = starts()
  t.ok(all.length >= 10)
  t.strictSame(
    all.filter(([, command]) => !command.includes(OPTION)),
    [],
  )
  for (const path of programs()) {
    const [line = ""] = read(path).split("\n")
    if (line.startsWith("#!")) t.equal(line, SHELL_LINE, path)
  }
})

t.test("commands in a running container get the option from the image", async (t) => {
  t.match(read("Dockerfile"), /^ENV (?:.*\\\n)*.*\bNODE_OPTIONS=--disable-sigusr1$/m)
})

/** Programs that serve, by the name that a development system gives them. */
const SERVING = {
  signer: "signer/enclave/main.ts",
  fetcher: "signer/fetcher/main.ts",
  witness: "signer/witness/main.ts",
  api: "services/api/main.ts",
  worker: "services/worker/main.ts",
  "auth-proxy": "services/auth-proxy/main.ts",
  dashboard: "services/dashboard-host/main.ts",
} as const
const IN_DEV = ["signer", "fetcher", "api"] as const
const YOUNG = "--max-semi-space-size=16"

t.test(
  "C-1951: images, units and the development system start a program with the same options",
  async (t) => {
    const options = (words: readonly string[]) => words.filter((word) => word.startsWith("--")).toSorted()
    for (const [name, file] of Object.entries(SERVING)) {
      const [, command = "[]"] = new RegExp(`^CMD (\\[.*"${file}".*\\])$`, "m").exec(read("Dockerfile")) ?? []
      const ofImage = options(JSON.parse(command) as string[])
      t.ok(ofImage.includes(OPTION), `${name} has an image`)
      const unit = read(`examples/systemd/countersign-${name}.service`)
      const [, line = ""] = /^ExecStart=(.*)$/m.exec(unit) ?? []
      t.ok(line.includes(file), `${name} has a unit`)
      t.strictSame(options(line.split(" ")), ofImage, `unit of ${name}`)
      const ofRelease = IMAGES[name]?.command ?? []
      t.ok(ofRelease.includes(file), `${name} is an image of a release`)
      t.strictSame(options([OPTION, ...ofRelease]), ofImage, `archive of the image of ${name}`)
      t.equal(
        ofImage.includes(YOUNG),
        name === "signer" || name === "api",
        `${name}: a bound on its young generation`,
      )
    }
    for (const name of IN_DEV) {
      const ofDev = servingOptionsOf(name).filter(
        (word) => name !== "fetcher" || !word.startsWith("--max-semi"),
      )
      const [, line = ""] =
        /^ExecStart=(.*)$/m.exec(read(`examples/systemd/countersign-${name}.service`)) ?? []
      t.strictSame(options(ofDev), options(line.split(" ")), `${name} of a development system`)
    }
  },
)
