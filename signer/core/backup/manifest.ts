// The signed list of a backup's parts, with the ledger's position and signed head.
import { createHash } from "node:crypto"
import { create, fromBinary, toBinary } from "@bufbuild/protobuf"
import {
  type BackupManifest,
  BackupManifestSchema,
  SignedBackupManifestSchema,
} from "../../../proto/gen/countersign/state/v1/backup_pb.ts"
import { LogKeyStatementSchema } from "../../../proto/gen/countersign/state/v1/log_pb.ts"
import { type Pins, PinsSchema } from "../../../proto/gen/countersign/state/v1/setup_pb.ts"
import { isSignedTagged, type PublicKeySet, readPublicKeySet } from "../crypto/keyset.ts"
import { lengthPrefixed } from "../crypto/length-prefixed.ts"
import { type Checkpoint, openCheckpoint } from "../log/checkpoint.ts"
import { ED25519, type NoteKey, noteKey } from "../log/note-key.ts"
import { readNote } from "../log/note.ts"
import { BACKUP_TAG, LOG_KEY_TAG } from "../wire.ts"
import { BackupFault, edited } from "./fault.ts"
import { isBackupId } from "./part.ts"

export const MANIFEST_MARK = Buffer.from("countersign-backup-manifest/1\n")
export const MAX_MANIFEST_BYTES = 256 * 1024

/** A manifest whose signature and signed head were verified with its own pins. */
export type VerifiedManifest = {
  readonly manifest: BackupManifest
  readonly pins: Pins
  readonly head: Checkpoint
}

/** SignedBackupManifest, serialized. */
export function manifestBytes(manifest: Uint8Array, signature: Uint8Array): Uint8Array {
  return toBinary(SignedBackupManifestSchema, create(SignedBackupManifestSchema, { manifest, signature }))
}

/** mark || length(4) || SignedBackupManifest. */
export function writeManifest(manifest: Uint8Array, signature: Uint8Array): Buffer {
  return Buffer.concat([MANIFEST_MARK, lengthPrefixed(manifestBytes(manifest, signature))])
}

/** Members that follow from the root seed alone. The notarizer's key is what signs: ids alone can be written by anybody. */
const OF_SEED = ["deploymentId", "signerPublicKey", "notarizerPublicKey"]

/**
 * Verifies a manifest: with the pins that it names, whose members of the root seed must be the trusted ones where there are some.
 * @throws {BackupFault} BACKUP_EDITED, BACKUP_FOREIGN
 */
export function verifyManifest(bytes: Uint8Array, trusted?: Pins): VerifiedManifest {
  const { manifest, pins, notarizer, signed } = readSigned(bytes)
  if (trusted !== undefined) requireOfSeed(pins, trusted)
  if (!isSignedTagged(notarizer.sign, BACKUP_TAG, signed.manifest, signed.signature))
    throw edited("the manifest is not as the signer signed it")
  return { manifest, pins, head: headOf(manifest, pins, notarizer) }
}

/** @throws {BackupFault} BACKUP_FOREIGN */
function requireOfSeed(pins: Pins, trusted: Pins): void {
  const others = membersThatDiffer(pins, trusted).filter((name) => OF_SEED.includes(name))
  if (others.length === 0) return
  throw new BackupFault(
    "BACKUP_FOREIGN",
    `the backup is of deployment ${pins.deploymentId}, and the pins are of ${trusted.deploymentId}: they differ in ${others.join(", ")}. ` +
      "Take a backup of that deployment",
  )
}

/** Names of the members in which two pins differ. */
export function membersThatDiffer(pins: Pins, others: Pins): string[] {
  const names = PinsSchema.fields.map(({ localName }) => localName as keyof Pins)
  const found = names.filter((name) => pins[name] !== others[name])
  if (found.length > 0 || digestOfPins(pins) === digestOfPins(others)) return found
  return ["members of a later release"]
}

const unreadable = () => edited("the manifest is none that this release reads")

function readSigned(bytes: Uint8Array) {
  try {
    const signed = fromBinary(SignedBackupManifestSchema, bytes)
    // One spelling: what no signature covers is compared as it is written.
    if (!Buffer.from(bytes).equals(toBinary(SignedBackupManifestSchema, signed))) throw unreadable()
    const manifest = fromBinary(BackupManifestSchema, signed.manifest)
    const { pins, parts, backupId } = manifest
    const notarizer = readPublicKeySet(pins?.notarizerPublicKey ?? "")
    const isWhole = parts.every(({ digest }) => digest.length === 32) && isBackupId(backupId)
    if (pins !== undefined && notarizer !== undefined && isWhole) return { signed, manifest, pins, notarizer }
  } catch {
    // as any other fault
  }
  throw unreadable()
}

/** The checkpoint of the copied log: the notarizer certifies the key that signed it. */
function headOf(manifest: BackupManifest, pins: Pins, notarizer: PublicKeySet): Checkpoint {
  const { checkpoint, logKeyStatement, logKeySignature } = manifest
  const origin = readNote(checkpoint)?.text.split("\n")[0] ?? ""
  try {
    const isCertified = isSignedTagged(notarizer.sign, LOG_KEY_TAG, logKeyStatement, logKeySignature)
    const { deploymentId, publicKey } = fromBinary(LogKeyStatementSchema, logKeyStatement)
    const isOwn = deploymentId === pins.deploymentId && origin.startsWith(`countersign/${deploymentId}/`)
    const opened =
      isCertified && isOwn ? openCheckpoint(checkpoint, noteKey(origin, ED25519, publicKey)) : undefined
    if (opened) return opened.checkpoint
  } catch {
    // as any other fault
  }
  throw edited("the head of the copied log is not signed by the deployment's log")
}

/** The key of the deployment's log for an origin. The manifest was verified. */
export function logKeyOf({ logKeyStatement }: BackupManifest, origin: string): NoteKey {
  return noteKey(origin, ED25519, fromBinary(LogKeyStatementSchema, logKeyStatement).publicKey)
}

/** The pins that follow from root seed and ledger. Keys of paired processes are from settings, which a rehearsal does not have. */
export function ownPins(pins: Pins): Pins {
  return { ...pins, fetcherPublicKey: "", onRampPublicKey: "", authProxyPublicKey: "" }
}

/** SHA-256 of the serialized pins, by which people compare deployments. */
export function digestOfPins(pins: Pins): string {
  return createHash("sha256").update(toBinary(PinsSchema, pins)).digest("hex")
}
