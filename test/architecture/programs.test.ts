// Every program of the repository refuses a debugger, by an option of Node and by its first import.
import { globSync, readFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import t from "tap"
import { blocksOf, documents } from "../docs/markdown.ts"
import { readImports } from "./import-faults.ts"
import { nodeOptionsOf } from "../../services/dev/layout.ts"
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

t.test("the development system starts signer and fetcher with the options of their images", async (t) => {
  for (const [name, file] of [
    ["signer", "signer/enclave/main.ts"],
    ["fetcher", "signer/fetcher/main.ts"],
  ] as const) {
    const [, words = "[]"] = new RegExp(`^CMD (\\[.*"${file}".*\\])$`, "m").exec(read("Dockerfile")) ?? []
    const ofImage = (JSON.parse(words) as string[]).filter((word) => word.startsWith("--"))
    t.strictSame([...nodeOptionsOf(name)].toSorted(), ofImage.toSorted(), name)
    t.ok(ofImage.length > 1)
  }
})
