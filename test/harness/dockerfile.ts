import { cpSync, linkSync, mkdirSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { LockFile } from "../../scripts/generators/image-packages.ts"

const ROOT = join(import.meta.dirname, "..", "..")

/** One stage of the Dockerfile, with the paths that it takes from the checkout and from other stages. */
export type Stage = {
  name: string
  from: string
  copied: { path: string; to: string }[]
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
      const packages = text.matchAll(/^COPY --from=(\S+) \/app\/node_modules \.\/node_modules$/gm)
      const command = JSON.parse(/^CMD (\[.*\])$/m.exec(text)?.[1] ?? "[]") as string[]
      const program = command.find((word) => word.endsWith(".ts")) ?? ""
      return {
        name,
        from,
        copied,
        packagesOf: [...packages].map(([, stage = ""]) => stage),
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

/** The folder `/app` of an image as the Dockerfile builds it; packages come from those that are installed here. */
export function buildImage(image: string, folder: string): void {
  const stages = readStages()
  for (const { copied, packagesOf } of stagesOf(image, stages)) {
    for (const { path, to } of copied) copy(path, join(folder, to.endsWith("/") ? join(to, path) : to))
    for (const name of packagesOf) {
      const lock = stagesOf(name, stages).flatMap(({ copied }) => copied)[0]?.path ?? ""
      for (const path of lockedIn(lock)) copyPackage(path, folder)
    }
  }
}

/** Paths below `node_modules` in the lock file of a folder. */
export function lockedIn(folder: string): string[] {
  const lock = JSON.parse(readFileSync(join(ROOT, folder, "package-lock.json"), "utf8")) as LockFile
  return Object.keys(lock.packages).filter((path) => path !== "")
}

function copy(path: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true })
  cpSync(join(ROOT, path), to, { recursive: true })
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
