// Parts that are a few files: those of the fetcher and of the auth proxy. One command makes, restores and rehearses each.
import { rm } from "node:fs/promises"
import type { BackupPartKind } from "../../../proto/gen/countersign/state/v1/backup_pb.ts"
import { openPart, type VerifiedArchive } from "../backup/archive.ts"
import { partName } from "../backup/part.ts"
import { type PartFile, readTar } from "../backup/tar.ts"
import { parseWords } from "../command-line.ts"
import { counted } from "../counted.ts"
import { requireContent } from "./content.ts"
import { writeFiles } from "./folder.ts"
import { privateKeyIn } from "./input.ts"
import { type PartCommand, writePart } from "./make-part.ts"
import { PART_OPTIONS, type PartResult, readPartWords, type RestorePart } from "./part-options.ts"
import { isCommitted, type Place, placeAll, requireUnused, scratchOf } from "./place.ts"
import { jsonOf, linesOf, readArchive, timeOf } from "./read-archive.ts"
import { rehearsalOf, withScratch } from "./scratch.ts"

/** The part of one process, on its host. */
export type FilePart = {
  kind: BackupPartKind
  release: string
  nowMs: number
  files: () => AsyncIterable<PartFile>
  /** The file that is placed last, beside which a restoration is made ready; without it nothing is served. */
  secret: Place
  others: readonly Place[]
  /** Sentence: the operator's step after a restoration. */
  next: string
  /** Opens restored files as the process does. @returns what was found, as a clause. @throws if the process could not serve with them */
  tryOut: (folder: string) => string
}

/** `program` and `verb`: the words before those of the command, such as `countersign-fetcher` and `backup`. */
type Words = { program: string; command: string; words: readonly string[] }

/** Runs `create`, `restore` or `rehearse`; undefined: help is asked for. @throws {UsageFault} {BackupFault} */
export async function runFilePart(
  { program, command, words }: Words,
  partOfHost: () => FilePart,
): Promise<PartResult | undefined> {
  const options = {
    ...PART_OPTIONS,
    json: { type: "boolean" },
    help: { type: "boolean", short: "h" },
  } as const
  const { values, positionals } = parseWords(words, options, `${program} ${command}`)
  if (values.help === true) return undefined
  const read = readPartWords(values, positionals, command)
  switch (read.verb) {
    case "create":
      return createFilePart(read.part, partOfHost())
    case "restore":
      return restoreFilePart(read.part, partOfHost())
    case "rehearse":
      return rehearseFilePart(read.part, partOfHost())
    default:
      return read satisfies never
  }
}

/** What a command line of a part takes. `id`: an example of a backup's id. */
export function usageOfFilePart(
  { program, command }: Omit<Words, "words">,
  part: { copies: string; out: string },
): string {
  const words = `${program} ${command}`
  return `Usage: ${words} create --to FILE --out FILE --id ID [--json]
       ${words} restore FILE... --key FILE [--json]
       ${words} rehearse FILE... --key FILE [--json]

  create copies ${part.copies}, encrypted for holders. Give the file to
  countersign-signer backup create. What is sealed stays sealed in it.
  restore restores them onto a host that has none.
  rehearse restores them into a folder of its own, opens them as the process does, and removes the folder.

      --to FILE    public keys of those who can open it, one a line: countersign-signer backup key
      --out FILE   the file of the part, which must not exist
      --id ID      the backup that it belongs to, as countersign-node backup database create printed it
      --key FILE   private key of a holder
      --pins FILE  pins of the deployment, to compare with: countersign-signer pins --json
      --head FILE  a checkpoint of the log that someone kept: an older backup is refused
      --json       print the result on one line

Example:
  ${words} create --to holders.txt --out ${part.out} --id 5f0c3e8a9b1d47260e4f8a7c6d5b3e21`
}

async function createFilePart(command: PartCommand, part: FilePart): Promise<PartResult> {
  const { backupId, out } = command
  const { kind } = part
  const { size, holders } = await writePart(command, part, part.files())
  const lines = [
    `${out}: the ${partName(kind)} part of backup ${backupId}; ${counted(holders, "holder")} can open it`,
    `Next, on the signer's host: countersign-signer backup create --out FILE with this file. Parts of other hosts: --id ${backupId}`,
  ]
  return { lines, json: { file: out, backupId, bytes: size } }
}

/** Restores files to a host that has none of them. A command that was stopped while it moved them goes on where it was. */
async function restoreFilePart(
  command: RestorePart,
  { kind, secret, others, next }: FilePart,
): Promise<PartResult> {
  const scratch = scratchOf(secret.path)
  const places = [...others, secret]
  const what = `the ${partName(kind)} part`
  if (isCommitted(scratch)) {
    await placeAll(scratch, places)
    const sentence = `an earlier restoration of ${what} was finished: it had been stopped while its files were moved`
    return { lines: [sentence, `Next: ${next}`], json: { finishedEarlier: true } }
  }
  const owned = places.filter(({ path }) => !isForPeople(path)).map(({ path }) => path)
  requireUnused(owned, `the ${partName(kind)}`)
  const archive = await readArchive(command, kind)
  await rm(scratch, { recursive: true, force: true })
  try {
    await unpack(archive, { kind, key: command.key }, scratch)
  } catch (error) {
    await rm(scratch, { recursive: true, force: true })
    throw error
  }
  await placeAll(scratch, places)
  const copiedAt = copyTimeOf(archive, kind)
  return {
    lines: [`${what} is restored, as it was at ${copiedAt}`, ...linesOf(archive), `Next: ${next}`],
    json: { ...jsonOf(archive), copiedAt },
  }
}

/** Files that a restoration leaves for the operator to compare, and no process reads. */
const isForPeople = (path: string) => /\/restored-[^/]*$/.test(path)

async function rehearseFilePart(
  command: RestorePart,
  { kind, secret, tryOut }: FilePart,
): Promise<PartResult> {
  const archive = await readArchive(command, kind)
  const folder = rehearsalOf(secret.path)
  const found = await withScratch(folder, async () => {
    await unpack(archive, { kind, key: command.key }, folder)
    return tryOut(folder)
  })
  const copiedAt = copyTimeOf(archive, kind)
  const sentence = `the ${partName(kind)} part, as it was at ${copiedAt}, was restored into a folder of its own: ${found}`
  const lines = [sentence, ...linesOf(archive), "Everything was removed again."]
  return { lines, json: { ...jsonOf(archive), copiedAt, found } }
}

const copyTimeOf = ({ parts }: VerifiedArchive, kind: BackupPartKind) =>
  timeOf(parts.get(kind)!.header.madeAtMs)

/** Writes a part's files below a folder, whole and as the manifest says. @throws {BackupFault} {UsageFault} */
export async function unpack(
  { parts }: VerifiedArchive,
  { kind, key }: { kind: BackupPartKind; key: string },
  folder: string,
): Promise<void> {
  const files = readTar(openPart(parts.get(kind)!, privateKeyIn(key)))
  requireContent(kind, await writeFiles(files, folder))
}
