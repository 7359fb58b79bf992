// Parts that are a few files: those of the fetcher and of the auth proxy.
import { rm } from "node:fs/promises"
import type { BackupPartKind } from "../../../proto/gen/countersign/state/v1/backup_pb.ts"
import { openPart } from "../backup/archive.ts"
import { edited } from "../backup/fault.ts"
import { partName } from "../backup/part.ts"
import { type PartFile, readTar } from "../backup/tar.ts"
import { writeFiles } from "./folder.ts"
import { privateKeyIn } from "./input.ts"
import { type PartCommand, writePart } from "./make-part.ts"
import type { PartResult, RestorePart } from "./part-options.ts"
import { isCommitted, type Place, placeAll, requireUnused, scratchOf } from "./place.ts"
import { jsonOf, linesOf, readArchive, timeOf } from "./read-archive.ts"

/** Writes the part of these files. @throws {UsageFault} */
export async function createFilePart(
  command: PartCommand,
  terms: { kind: BackupPartKind; release: string; nowMs: number },
  files: AsyncIterable<PartFile>,
): Promise<PartResult> {
  const { backupId, out } = command
  const { size, holders } = await writePart(command, terms, files)
  const lines = [
    `${out}: the ${partName(terms.kind)} part of backup ${backupId}; ${holders} holders can open it`,
    `Next, on the signer's host: countersign-signer backup create --out FILE with this file. Parts of other hosts: --id ${backupId}`,
  ]
  return { lines, json: { file: out, backupId, bytes: size } }
}

/** `secret`: the file that is placed last, beside which the restoration is made ready; without it nothing is served. */
type Target = { kind: BackupPartKind; secret: Place; others: readonly Place[] }

/**
 * Restores files to a host that has none of them. A command that was stopped while it moved them goes on where it was.
 * @throws {BackupFault} {UsageFault}
 */
export async function restoreFilePart(
  command: RestorePart,
  { kind, secret, others }: Target,
): Promise<PartResult> {
  const scratch = scratchOf(secret.path)
  const places = [...others, secret]
  const what = `the ${partName(kind)} part`
  if (isCommitted(scratch)) {
    await placeAll(scratch, places)
    const sentence = `an earlier restoration of ${what} was finished: it had been stopped while its files were moved`
    return { lines: [sentence], json: { finishedEarlier: true } }
  }
  const owned = places.filter(({ name }) => name !== "settings.json")
  requireUnused(
    owned.map(({ path }) => path),
    `the ${partName(kind)}`,
  )
  const archive = await readArchive(command, kind)
  const part = archive.parts.get(kind)!
  await rm(scratch, { recursive: true, force: true })
  try {
    const names = await writeFiles(readTar(openPart(part, privateKeyIn(command.key))), scratch)
    if (!names.includes(secret.name)) throw edited(`${what} has no ${secret.name}`)
  } catch (error) {
    await rm(scratch, { recursive: true, force: true })
    throw error
  }
  await placeAll(scratch, places)
  const copiedAt = timeOf(part.header.madeAtMs)
  return {
    lines: [`${what} is restored, as it was at ${copiedAt}`, ...linesOf(archive, command)],
    json: { ...jsonOf(archive), copiedAt },
  }
}
