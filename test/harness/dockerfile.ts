import { cpSync, existsSync, linkSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import type { LockFile } from "../../scripts/generators/image-packages.ts"

const ROOT = join(import.meta.dirname, "..", "..")

/** One stage of the Dockerfile, with the paths that it takes from the checkout and from other stages. */
export type Stage = {
  name: string
  from: string
  copied: { path: string; to: string }[]
  /** Folders that another stage has built: the stage, the path there and the path here. */
  built: { stage: string; path: string; to: string }[]
  /** Stages whose `node_modules` it takes. */
  packagesOf: string[]
  /** Words of its command, and the program among them; "" where it has none. */
  command: string[]
  program: string
}

export function readStages(dockerfile: string = readFileSync(join(ROOT, "Dockerfile"), "utf8")): Stage[] {
  return dockerfile
    .split(/^FROM /m)
    .slice(1)
    .map((text) => {
      const [from = "", , name = ""] = (text.split("\n")[0] ?? "").split(" ")
      const copied = [...text.matchAll(/^COPY (?!--from)(.+) (\S+)$/gm)].flatMap(([, paths = "", to = ""]) =>
        paths.split(" ").map((path) => ({ path, to })),
      )
      const taken = [...text.matchAll(/^COPY --from=(\S+) \/app\/(\S+) (\S+)$/gm)].map(
        ([, stage = "", path = "", to = ""]) => ({ stage, path, to }),
      )
      const command = JSON.parse(/^CMD (\[.*\])$/m.exec(text)?.[1] ?? "[]") as string[]
      const program = command.find((word) => word.endsWith(".ts")) ?? ""
      return {
        name,
        from,
        copied,
        built: taken.filter(({ path }) => path !== "node_modules"),
        packagesOf: taken.filter(({ path }) => path === "node_modules").map(({ stage }) => stage),
        command,
        program,
      }
    })
}

/** The stage that an image is built on, and its own. @throws when there is no such image */
export function stagesOf(image: string, stages: readonly Stage[] = readStages()): Stage[] {
  const own = stages.find(({ name }) => name === image)
  if (own === undefined) throw new Error(`there is no stage ${image}`)
  const base = stages.find(({ name }) => name === own.from)
  return base === undefined ? [own] : [base, own]
}

/**
 * The folder `/app` of an image as the Dockerfile builds it; packages come from those that are installed here. `built`: the
 * folder `/app` of each stage that was built before. Others are left out.
 */
export function buildImage(image: string, folder: string, built: { [stage: string]: string } = {}): void {
  const stages = readStages()
  for (const { copied, packagesOf, built: taken } of stagesOf(image, stages)) {
    for (const { path, to } of copied)
      copy(path, join(folder, to.endsWith("/") ? join(to, fileName(path)) : to))
    for (const { stage, path, to } of taken) {
      const from = built[stage]
      if (from !== undefined) cpSync(join(from, path), join(folder, to), { recursive: true })
    }
    for (const name of packagesOf) {
      const lock = stagesOf(name, stages).flatMap(({ copied }) => copied)[0]?.path ?? ""
      for (const path of installedIn(lock)) copyPackage(path, folder)
    }
  }
}

/** Paths below `node_modules` in the lock file of a folder. */
export function lockedIn(folder: string): string[] {
  return Object.keys(readLock(folder).packages).filter((path) => path !== "")
}

/** As `lockedIn`, without the packages that npm leaves out here because they are for other platforms. */
function installedIn(folder: string): string[] {
  const { packages } = readLock(folder)
  return lockedIn(folder).filter((path) => packages[path]?.optional !== true || existsSync(join(ROOT, path)))
}

function readLock(folder: string): LockFile {
  return JSON.parse(readFileSync(join(ROOT, folder, "package-lock.json"), "utf8")) as LockFile
}

/** Docker copies a file into a folder under its own name, and a folder's content. */
function fileName(path: string): string {
  return statSync(join(ROOT, path)).isDirectory() ? "" : basename(path)
}

/** Patterns that .dockerignore leaves out below a folder that it admits. */
const IGNORED = readFileSync(join(ROOT, ".dockerignore"), "utf8")
  .split("\n")
  .filter((line) => /^\w/.test(line))
  .map((line) => join(ROOT, line))

function copy(path: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true })
  cpSync(join(ROOT, path), to, { recursive: true, filter: (source) => !IGNORED.includes(source) })
}

/**
 * Files of packages are linked where the folder is on the same disk: nobody changes them, and copying takes longer than starting
 * the image. Packages inside a package have paths of their own in the lock.
 */
function copyPackage(path: string, folder: string): void {
  linkFiles(join(ROOT, path), join(folder, path), "node_modules")
}

function linkFiles(from: string, to: string, except = ""): void {
  mkdirSync(to, { recursive: true })
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (entry.name === except) continue
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) linkFiles(source, target)
    else linkOrCopy(source, target)
  }
}

function linkOrCopy(source: string, target: string): void {
  try {
    linkSync(source, target)
  } catch {
    cpSync(source, target)
  }
}
