import { lstat, readFile, rename, writeFile } from "node:fs/promises"
import { dirname, join, relative } from "node:path"
import { FILE_NAMES, keysOf, publishedText, PUBLISHED, withKeys } from "../client-pins/constants.ts"
import { findPackages } from "../client-pins/find-packages.ts"
import { CliError, ExitCode, usage } from "../../terminal-client/exit.ts"
import { readTrustedPins } from "../../terminal-client/pins.ts"

export type PinsToApply = {
  /** Folder of the project: the one of its package.json. */
  project: string
  pinsFile: string
  /** True to restore the published keys. */
  undo: boolean
  /** True to change nothing. */
  dryRun: boolean
}

/** Paths are relative to the project. */
export type AppliedPins = { packages: AppliedPackage[] }
export type AppliedPackage = { folder: string; version: string; changed: string[] }

/**
 * Puts the deployment's public keys in place of the published ones in the client packages of a project, or the published
 * ones back. Every file is verified before the first one is written: with the published keys it must be a published file.
 *
 * @throws {CliError} usage: no package or no pins; verificationFailed: a file that is not known
 */
export async function applyPins({ project, pinsFile, undo, dryRun }: PinsToApply): Promise<AppliedPins> {
  const keys = undo ? PUBLISHED : keysOf(await readTrustedPins(pinsFile))
  const folders = await findPackages(project)
  if (folders.length === 0) {
    const sentence = `${project} has no @turnkey/crypto in node_modules: install the project's packages first`
    throw usage(sentence)
  }
  const plans = await Promise.all(folders.map((folder) => planOf(folder, keys)))
  if (!dryRun)
    for (const { files } of plans) for (const { path, text } of files) await replaceFile(path, text)
  const relativeTo = (path: string) => relative(project, path)
  return {
    packages: plans.map(({ folder, version, files }) => ({
      folder: relativeTo(folder),
      version,
      changed: files.map(({ path }) => relativeTo(path)),
    })),
  }
}

type Plan = { folder: string; version: string; files: { path: string; text: string }[] }

async function planOf(folder: string, keys: typeof PUBLISHED | ReturnType<typeof keysOf>): Promise<Plan> {
  const version = await versionOf(folder)
  const files: Plan["files"] = []
  for (const name of FILE_NAMES) {
    const path = join(folder, "dist", name)
    const text = await readPlainFile(path)
    const published = text === undefined ? undefined : publishedText(name, text)
    if (published === undefined) throw unknownFile(path, version)
    const wanted = withKeys(published, keys)
    if (wanted !== text) files.push({ path, text: wanted })
  }
  return { folder, version, files }
}

async function versionOf(folder: string): Promise<string> {
  try {
    const { version } = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as {
      version?: unknown
    }
    return typeof version === "string" ? version : "of unknown number"
  } catch {
    return "of unknown number"
  }
}

/** Undefined: there is no such file, or it is a link. */
async function readPlainFile(path: string): Promise<string | undefined> {
  try {
    return (await lstat(path)).isFile() ? await readFile(path, "utf8") : undefined
  } catch {
    return undefined
  }
}

/** Another file in its place: package managers link the same file into several projects. */
async function replaceFile(path: string, text: string): Promise<void> {
  const { mode } = await lstat(path)
  const next = join(dirname(path), `.countersign-${process.pid}.new`)
  await writeFile(next, text, { mode, flag: "wx" })
  await rename(next, path)
}

function unknownFile(path: string, version: string): CliError {
  return new CliError(
    ExitCode.verificationFailed,
    `${path} is no published file of @turnkey/crypto that is known here (version ${version}). Nothing was changed. ` +
      "Install one of the versions in docs/clients.md, or update Countersign",
  )
}
