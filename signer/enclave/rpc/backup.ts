import { create, toBinary } from "@bufbuild/protobuf"
import type {
  CopyLedgerRequest,
  SignBackupRequest,
} from "../../../proto/gen/countersign/signer/v1/operator_pb.ts"
import {
  type BackupManifest,
  BackupManifestSchema,
  type BackupPart,
  BackupPartKind,
} from "../../../proto/gen/countersign/state/v1/backup_pb.ts"
import { BACKUP_TAG } from "../../core/wire.ts"
import { refuse } from "../../core/refusal.ts"
import { log } from "../../process/log.ts"
import { ownVersion } from "../../process/own-version.ts"
import type { SignerContext } from "./context.ts"

const DIGEST_BYTES = 32

/** Begins a copy of ledger and log, or tells how far it is. @throws LEDGER_FULL, BACKUP_BUSY, REQUEST_INVALID */
export async function copyLedger({ backupId }: CopyLedgerRequest, context: SignerContext) {
  const { copies } = context.state()
  const { progress, copy } = copies.copy(requireBackupId(backupId))
  return {
    percent: Math.floor(100 * progress),
    directory: copy?.directory ?? "",
    sequence: copy?.state.sequence ?? 0n,
  }
}

/** Signs the list of a backup's parts, with what the signer knows of its copy. Then the copy is gone. */
export async function signBackup({ backupId, parts }: SignBackupRequest, context: SignerContext) {
  const { copies, keyring, log: decisionLog } = context.state()
  const copy = copies.finished(requireBackupId(backupId))
  const manifest: BackupManifest = create(BackupManifestSchema, {
    backupId,
    pins: keyring.pins,
    madeAtMs: BigInt(copy.madeAtMs),
    release: ownVersion(),
    ledgerIdentity: copy.position.identity,
    lanes: copy.position.lanes.map(({ lane, fence, epoch, sequence }) => ({
      lane,
      fence: BigInt(fence),
      epoch: BigInt(epoch),
      sequence,
    })),
    sequence: copy.state.sequence,
    stateDigest: copy.state.digest,
    checkpoint: copy.head,
    logKeyStatement: keyring.log.statement,
    logKeySignature: keyring.log.signature,
    parts: requireParts(parts),
  })
  const bytes = toBinary(BackupManifestSchema, manifest)
  const signature = keyring.notary.sign(BACKUP_TAG, bytes)
  copies.end(backupId)
  decisionLog.act("backup")
  log("info", "a backup was signed", { backupId, sequence: String(copy.state.sequence) })
  return { manifest: bytes, signature }
}

function requireBackupId(text: string): string {
  if (/^[0-9a-f]{32}$/.test(text)) return text
  throw refuse("REQUEST_INVALID", "the id of a backup has 32 hexadecimal digits", { field: "backupId" })
}

/** The parts in the order of their kinds, the signer's own among them. */
function requireParts(parts: readonly BackupPart[]): BackupPart[] {
  const sorted = parts.toSorted((one, other) => one.kind - other.kind)
  const kinds = new Set(sorted.map(({ kind }) => kind))
  const isWhole = sorted.every(({ kind, digest }) => kind in KNOWN && digest.length === DIGEST_BYTES)
  if (isWhole && kinds.size === parts.length && kinds.has(BackupPartKind.SIGNER)) return sorted
  throw refuse("REQUEST_INVALID", "a backup has the signer's part, each part once, and a SHA-256 of each", {
    field: "parts",
  })
}

const KNOWN = {
  [BackupPartKind.SIGNER]: true,
  [BackupPartKind.DATABASE]: true,
  [BackupPartKind.FETCHER]: true,
  [BackupPartKind.AUTH_PROXY]: true,
}
