import { readFileSync } from "node:fs"
import { presentPlaceOf } from "../authority/place.ts"
import { toJsonString } from "@bufbuild/protobuf"
import { OperatorService } from "../../../proto/gen/countersign/signer/v1/operator_pb.ts"
import { BackupPartKind, type BackupPart } from "../../../proto/gen/countersign/state/v1/backup_pb.ts"
import { PinsSchema } from "../../../proto/gen/countersign/state/v1/setup_pb.ts"
import { readOtherParts, type FoundPart } from "../../core/backup/archive.ts"
import { BackupFault } from "../../core/backup/fault.ts"
import { holderKey, type HolderKey } from "../../core/backup/keys.ts"
import { verifyManifest, writeManifest, manifestBytes } from "../../core/backup/manifest.ts"
import { partName } from "../../core/backup/part.ts"
import type { PartFile } from "../../core/backup/tar.ts"
import {
  partFolder,
  partSettings,
  partText,
  requireSecret,
  secretFile,
} from "../../core/backup-files/folder.ts"
import { archiveFile, holdersIn } from "../../core/backup-files/input.ts"
import { newBackupId, partOf } from "../../core/backup-files/make-part.ts"
import { BackupFile, type WrittenPart } from "../../core/backup-files/output.ts"
import { UsageFault } from "../../core/command-line.ts"
import { counted } from "../../core/counted.ts"
import { readSealedSeed } from "../../core/sealed-seed/format.ts"
import { isSealed } from "../../core/sealed-seed/mark.ts"
import type { SignerConfig } from "../../enclave/config.ts"
import { ownVersion } from "../../process/own-version.ts"
import type { CommandResult } from "../command-result.ts"
import { withService } from "../../process/socket-client.ts"
import { CopyHandle } from "./copy-handle.ts"

/** `others`: files with parts of other hosts. `holders`: the file of their public keys; undefined: those in the sealed seed. */
export type CreateCommand = {
  verb: "create"
  out: string
  holders: string | undefined
  others: readonly string[]
  waitSeconds: number
}

/** Makes a backup of the running signer, and joins it with the parts of other hosts to one signed archive. */
export async function createBackup(
  { out, holders, others, waitSeconds }: CreateCommand,
  config: SignerConfig,
  environment: NodeJS.ProcessEnv,
): Promise<CommandResult> {
  const keys = holders === undefined ? holdersOfSeed(config.seedFile) : holdersIn(holders)
  const parts = await readOtherParts(others.map(archiveFile))
  const backupId = backupIdOf(parts)
  return withService(OperatorService, config.operatorSocket, waitSeconds, async (operator) => {
    const copy = new CopyHandle(operator, backupId)
    try {
      const directory = await copy.finished()
      const { pins } = await operator.getStatus({})
      const files = filesOf({ directory, config, environment, pins: toJsonString(PinsSchema, pins!) })
      return await BackupFile.write(out, async (output) => {
        const terms = { kind: BackupPartKind.SIGNER, release: ownVersion(), nowMs: Date.now() }
        const own = await output.append(partOf(backupId, terms, keys, files))
        for (const file of new Set(parts.map((part) => part.file))) await output.append(file.read())
        const stated = [
          statedPart(BackupPartKind.SIGNER, own),
          ...parts.map((part) => statedPart(part.header.kind, part)),
        ]
        const { manifest, signature } = await operator.signBackup({ backupId, parts: stated })
        const section = writeManifest(manifest, signature)
        await output.append(once(section))
        return resultOf(out, manifestBytes(manifest, signature), keys)
      })
    } finally {
      copy.end()
    }
  })
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

const statedPart = (kind: BackupPartKind, { digest, size }: WrittenPart): BackupPart => ({
  $typeName: "countersign.state.v1.BackupPart",
  kind,
  digest,
  size: BigInt(size),
})

/** The holders that are named in the header of the sealed seed. @throws {UsageFault} */
function holdersOfSeed(seedFile: string): HolderKey[] {
  requireSecret(seedFile)
  const bytes = readFileSync(seedFile)
  const keys = isSealed(bytes) ? readSealedSeed(bytes).header.holderPublicKeys.map(holderKey) : []
  const known = keys.filter((key) => key !== undefined)
  if (known.length > 0) return known
  throw new UsageFault("the sealed seed names no holders: name the file of their public keys with --to FILE")
}

/** The id that the given parts have; without any a new one. @throws {BackupFault} */
function backupIdOf(parts: readonly FoundPart[]): string {
  const [id = newBackupId(), ...others] = new Set(parts.map(({ header }) => header.backupId))
  if (others.length > 0)
    throw new BackupFault("BACKUP_MIXED", "the parts are of several backups. Give those with one id")
  const kinds = parts.map(({ header }) => header.kind)
  const doubled = kinds.find((kind, at) => kind === BackupPartKind.SIGNER || kinds.indexOf(kind) !== at)
  if (doubled !== undefined)
    throw new BackupFault(
      "BACKUP_MIXED",
      `there would be two ${partName(doubled)} parts. Give each part once`,
    )
  return id
}

type Sources = { directory: string; config: SignerConfig; environment: NodeJS.ProcessEnv; pins: string }

/** The files of the signer's part. */
async function* filesOf({ directory, config, environment, pins }: Sources): AsyncGenerator<PartFile> {
  yield await secretFile("root-seed", config.seedFile)
  yield partText("pins.json", pins)
  yield partSettings(environment)
  yield* partFolder("authority", presentPlaceOf(config))
  yield* partFolder("ledger", directory)
  // After the ledger: the records that its log binds are there. Later ones may be, too.
  yield* partFolder("audit", config.audit.directory)
}

function resultOf(out: string, signed: Uint8Array, keys: readonly HolderKey[]): CommandResult {
  const { manifest, pins, head } = verifyManifest(signed)
  const madeAt = new Date(Number(manifest.madeAtMs)).toISOString()
  const sequence = String(manifest.sequence)
  const parts = manifest.parts.map(({ kind }) => partName(kind))
  const json = {
    file: out,
    backupId: manifest.backupId,
    deploymentId: pins.deploymentId,
    madeAt,
    sequence,
    logSize: head.size,
    parts,
  }
  const lines = [
    `${out}: backup ${manifest.backupId} of deployment ${pins.deploymentId}`,
    `the ledger at ${madeAt}, after ${counted(manifest.sequence, "transaction")}; the log has ${counted(head.size, "leaf", "leaves")}`,
    `parts: ${parts.join(", ")}; ${counted(keys.length, "holder")} can open it`,
  ]
  return { lines, json }
}
