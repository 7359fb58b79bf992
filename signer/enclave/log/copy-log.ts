import * as fs from "node:fs/promises"
import { dirname, join } from "node:path"
import { HASH_BYTES, TILE_WIDTH } from "../../core/log/merkle.ts"
import { LOG_FILES } from "./log-files.ts"
import { RECORD_BYTES, SEGMENT_LEAVES, segmentFile } from "./segments.ts"

/** The log of a copy: its first `size` leaves, which are durable, and their signed head. */
export type CopiedLog = { readonly size: number; readonly head: Uint8Array }

/** Copies the files of a log that grows. Leaves are only ever appended, so the first ones can be copied at any time. */
export async function copyLog(directory: string, target: string, { size, head }: CopiedLog): Promise<void> {
  await fs.mkdir(target, { recursive: true, mode: 0o700 })
  for (let segment = 0; segment * SEGMENT_LEAVES < size; segment++) {
    const records = Math.min(SEGMENT_LEAVES, size - segment * SEGMENT_LEAVES)
    await copyFirst(segmentFile(directory, segment), segmentFile(target, segment), records * RECORD_BYTES)
  }
  await copyFirst(join(directory, LOG_FILES.era), join(target, LOG_FILES.era))
  const chunks = Math.floor(size / TILE_WIDTH) * HASH_BYTES
  await copyFirst(join(directory, LOG_FILES.chunks), join(target, LOG_FILES.chunks), chunks)
  await fs.writeFile(join(target, LOG_FILES.checkpoint), head, { mode: 0o600 })
}

/** Copies the logs that an operator gave up: they lie beside the present one, and nothing writes them. */
export async function copyFormerLogs(directory: string, targetDirectory: string): Promise<void> {
  const former = (await fs.readdir(dirname(directory))).filter((name) => /^log-\d+$/.test(name))
  for (const name of former)
    await fs.cp(join(dirname(directory), name), join(targetDirectory, name), { recursive: true })
}

async function copyFirst(from: string, to: string, bytes?: number): Promise<void> {
  await fs.copyFile(from, to)
  await fs.chmod(to, 0o600)
  const { size } = await fs.stat(to)
  if (bytes !== undefined && size > bytes) await fs.truncate(to, bytes)
}
