import * as fs from "node:fs"
import { dirname } from "node:path"
import { type SealedFile, writeSealedSeed } from "../sealed-seed/format.ts"
import { REFUSED, StartError } from "../settings/start-fault.ts"

/** Stores a sealed seed in the place of a plain or an earlier one, whole or not at all. */
export function storeSealedSeed(file: string, sealed: SealedFile): void {
  replaceFile(file, writeSealedSeed(sealed))
}

/**
 * Stores a change of a sealed seed. Holders take minutes to give shares; what another command stored meanwhile is kept.
 *
 * @param present the file as it was read before the change
 * @throws {StartError} when the file is another one now
 */
export function storeChangedSeed(file: string, present: SealedFile, next: SealedFile): void {
  if (!fs.readFileSync(file).equals(writeSealedSeed(present)))
    throw new StartError(
      REFUSED,
      `${file} is not the file any more that this command read: another command replaced it. Nothing was changed; give this command again`,
    )
  storeSealedSeed(file, next)
}

/** The content is durable under another name before it gets its own, so that the file is always one or the other. */
export function replaceFile(file: string, content: Uint8Array): void {
  fs.mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const unfinished = `${file}.new`
  fs.rmSync(unfinished, { force: true })
  const descriptor = fs.openSync(unfinished, "wx", 0o600)
  try {
    fs.writeFileSync(descriptor, content)
    fs.fsyncSync(descriptor)
  } finally {
    fs.closeSync(descriptor)
  }
  fs.renameSync(unfinished, file)
  const directory = fs.openSync(dirname(file), "r")
  fs.fsyncSync(directory)
  fs.closeSync(directory)
}
