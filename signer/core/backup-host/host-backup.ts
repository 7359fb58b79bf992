// The backup of what lies on one host: each process makes its own part, as its own user. On the signer's host all parts are joined.
import { readdirSync } from "node:fs"
import { unlink } from "node:fs/promises"
import { join } from "node:path"
import { readOtherParts } from "../backup/archive.ts"
import { BackupFault } from "../backup/fault.ts"
import { archiveFile, holdersIn } from "../backup-files/input.ts"
import { backupIdIn } from "../backup-files/make-part.ts"
import { BackupFile } from "../backup-files/output.ts"
import { UsageFault } from "../command-line.ts"
import { counted } from "../counted.ts"
import { StartError } from "../settings/start-fault.ts"
import { PartFolders, readOnly } from "./part-folders.ts"
import { type InstalledZone, installedZone } from "./zone.ts"

/** How a program ended. */
type Ended = { readonly status: number; readonly out: string; readonly log: string }

/** The edge of the process. */
export type HostEdge = {
  /** Folder below which the host's files lie. */
  readonly root: string
  readonly nowMs: number
  /** Runs a program with the rights and variables of an installed process. */
  run(zone: InstalledZone, file: string, words: readonly string[]): Promise<Ended>
}

/** `out`: folder of the backups. `holders`: the file of their public keys. */
export type ApiHostCommand = { out: string; holders: string; backupId: string | undefined }

/** `parts`: folder with files that came from the API's host; undefined: none come. `holders` undefined: those of the sealed seed. */
export type SignerHostCommand = { out: string; holders: string | undefined; parts: string | undefined }

/** Output for a person, and for a program. */
type Result = { lines: string[]; json: object }

/** Ends the names of files with parts that another host joins. */
const PARTS = ".parts"

/** Makes one file of the parts of the API's host: database, then auth proxy. @throws {UsageFault} {StartError} */
export async function backUpApiHost(command: ApiHostCommand, edge: HostEdge): Promise<Result> {
  const { holders, out } = command
  holdersIn(holders)
  const [api, proxy] = [installedZone("api", edge.root), installedZone("auth-proxy", edge.root)]
  if (api === undefined && proxy === undefined)
    throw new UsageFault(
      "neither the API nor the auth proxy is installed on this host: run countersign-node install",
    )
  const made = new Making(out, edge)
  return made.within(async () => {
    const to = ["--to", holders]
    let backupId = command.backupId
    const files: string[] = []
    if (api !== undefined) {
      const id = backupId === undefined ? [] : ["--id", backupId]
      const part = await made.part(api, "countersign-node", ["backup", "database", "create", ...to, ...id])
      backupId = part.backupId
      files.push(part.file)
    }
    if (proxy !== undefined) {
      const id = ["--id", backupIdIn(backupId)]
      const part = await made.part(proxy, "countersign-node", ["backup", "proxy", "create", ...to, ...id])
      backupId = part.backupId
      files.push(part.file)
    }
    const file = await made.write(PARTS, files)
    const names = [api, proxy].flatMap((zone) => (zone === undefined ? [] : [zone.name]))
    const lines = [
      `${file}: parts of backup ${backupId}, of ${names.join(" and ")}`,
      "Next: bring the file to the folder of parts on the signer's host, where countersign-signer backup host --parts joins it",
    ]
    return { lines, json: { file, backupId, zones: names } }
  })
}

/** Makes the backup of the signer's host, with the newest parts that came from the API's host. @throws {UsageFault} {StartError} {BackupFault} */
export async function backUpSignerHost(command: SignerHostCommand, edge: HostEdge): Promise<Result> {
  const { holders, out, parts } = command
  if (holders !== undefined) holdersIn(holders)
  const [signer, fetcher] = [installedZone("signer", edge.root), installedZone("fetcher", edge.root)]
  if (signer === undefined)
    throw new UsageFault("the signer is not installed on this host: run countersign-signer install")
  const [came, ...older] = parts === undefined ? [] : partsIn(parts)
  const backupId = came === undefined ? backupIdIn(undefined) : await idOf(came)
  const made = new Making(out, edge)
  return made.within(async () => {
    const to = holders === undefined ? [] : ["--to", holders]
    const others = came === undefined ? [] : [came]
    if (fetcher !== undefined) {
      if (holders === undefined)
        throw new UsageFault("the fetcher's part needs the file of its holders' public keys: --to FILE")
      const id = ["--id", backupId]
      others.push((await made.part(fetcher, "countersign-fetcher", ["backup", "create", ...to, ...id])).file)
    }
    const words = ["backup", "create", ...to, "--wait", "60"]
    const whole = await made.part(signer, "countersign-signer", words, others)
    const file = await made.write(".backup", [whole.file])
    if (came !== undefined) for (const joined of [came, ...older]) await unlink(joined)
    const lines = [
      `${file}: backup ${whole.backupId} with these parts: ${whole.parts.join(", ")}`,
      ...(came === undefined
        ? [
            "It has no part of the API's host: countersign-node backup host makes them there, and --parts names the folder",
          ]
        : [`${came} was joined. It was removed with ${counted(older.length, "older file")}`]),
    ]
    return { lines, json: { file, backupId: whole.backupId, parts: whole.parts, joined: came } }
  })
}

/** What `create --json` printed. */
type Created = { file: string; backupId: string; parts: string[] }

/** The files of one run of the command. */
class Making {
  readonly #out: string
  readonly #edge: HostEdge
  readonly #folders: PartFolders

  constructor(out: string, edge: HostEdge) {
    this.#out = out
    this.#edge = edge
    this.#folders = new PartFolders(out)
  }

  async within<T>(use: () => Promise<T>): Promise<T> {
    await this.#folders.begin()
    try {
      return await use()
    } finally {
      await this.#folders.end()
    }
  }

  /** Lets a process make its part. @param others files that it joins */
  async part(
    zone: InstalledZone,
    program: string,
    words: readonly string[],
    others: readonly string[] = [],
  ): Promise<Created> {
    const folder = await this.#folders.give(zone, others)
    const file = join(folder, "part")
    const given = others.map((_, at) => join(folder, `given-${at}`))
    const all = [...words, "--out", file, "--json", ...given]
    const { status, out, log } = await this.#edge.run(zone, join(zone.folder, program), all)
    if (status !== 0) throw new StartError(status, `${zone.name}: ${sentenceIn(log)}`)
    const { backupId, parts = [] } = JSON.parse(out) as Partial<Created>
    return { file, backupId: backupIdIn(backupId ?? ""), parts }
  }

  /** Writes one file of these, named after the time. */
  async write(ending: string, files: readonly string[]): Promise<string> {
    const time = new Date(this.#edge.nowMs).toISOString().replaceAll(/[-:]|\.\d+/g, "")
    const path = join(this.#out, `${time}${ending}`)
    await BackupFile.write(path, async (output) => {
      for (const file of files) await output.append(readOnly(file))
    })
    return path
  }
}

/** The sentence of a command that was called with --json. */
function sentenceIn(log: string): string {
  const [last = ""] = log.trim().split("\n").slice(-1)
  try {
    return (JSON.parse(last) as { error: { message: string } }).error.message
  } catch {
    return last
  }
}

/** The files of parts that came since the last backup, the latest first: their names begin with the time. */
function partsIn(folder: string): string[] {
  const names = readdirSync(folder).filter((name) => name.endsWith(PARTS))
  return names
    .toSorted()
    .toReversed()
    .map((name) => join(folder, name))
}

/** The id that all parts of a file have. @throws {BackupFault} */
async function idOf(file: string): Promise<string> {
  const parts = await readOtherParts([archiveFile(file)])
  const [id = "", ...others] = new Set(parts.map(({ header }) => header.backupId))
  if (others.length === 0) return id
  throw new BackupFault(
    "BACKUP_MIXED",
    `${file} has parts of several backups. Remove it, and make the parts again`,
  )
}
