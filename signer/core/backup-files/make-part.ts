import { generateKeyPairSync, randomBytes } from "node:crypto"
import type { BackupPartKind } from "../../../proto/gen/countersign/state/v1/backup_pb.ts"
import type { HolderKey } from "../backup/keys.ts"
import { isBackupId, sealPart } from "../backup/part.ts"
import { type PartFile, writeTar } from "../backup/tar.ts"
import { UsageFault } from "../command-line.ts"
import { holdersIn } from "./input.ts"
import { BackupFile, type WrittenPart } from "./output.ts"

/** A part that a command makes on its host. `holders`: the file of their public keys. */
export type PartCommand = { out: string; holders: string; backupId: string }

/** Chance of this process. */
const CHANCE = {
  random: randomBytes,
  ephemeral: () => generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey,
}

export const newBackupId = (): string => randomBytes(16).toString("hex")

/** The id in the words of a command, or a new one. @throws {UsageFault} */
export function backupIdIn(text: string | undefined): string {
  if (text === undefined) return newBackupId()
  if (isBackupId(text)) return text
  throw new UsageFault(
    "--id takes the id of a backup, 32 hexadecimal digits, as the first command printed it",
  )
}

type Terms = { kind: BackupPartKind; release: string; nowMs: number }

/** The bytes of a part with these files. */
export function partOf(
  backupId: string,
  { kind, release, nowMs }: Terms,
  holders: readonly HolderKey[],
  files: AsyncIterable<PartFile>,
): AsyncGenerator<Uint8Array> {
  return sealPart({ backupId, kind, madeAtMs: BigInt(nowMs), release }, holders, writeTar(files), CHANCE)
}

/** Writes a file with one part. @throws {UsageFault} */
export async function writePart(
  { out, holders, backupId }: PartCommand,
  terms: Terms,
  files: AsyncIterable<PartFile>,
): Promise<WrittenPart & { holders: number }> {
  const keys = holdersIn(holders)
  const written = await BackupFile.write(out, (output) => output.append(partOf(backupId, terms, keys, files)))
  return { ...written, holders: keys.length }
}
