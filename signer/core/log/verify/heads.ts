import { fromBinary } from "@bufbuild/protobuf"
import {
  type HeadStatement,
  HeadStatementSchema,
} from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { LogKeyStatementSchema } from "../../../../proto/gen/countersign/state/v1/log_pb.ts"
import type { Pins } from "../../../../proto/gen/countersign/state/v1/setup_pb.ts"
import { counted } from "../../counted.ts"
import { isSignedTagged, readPublicKeySet } from "../../crypto/keyset.ts"
import { HEAD_TAG, LOG_KEY_TAG } from "../../wire.ts"
import { readHex } from "../../encodings.ts"
import { type Checkpoint, openCheckpoint } from "../checkpoint.ts"
import { readNote, verifyNote } from "../note.ts"
import { ED25519, type NoteKey, noteKey, type VerifiedSignature } from "../note-key.ts"
import { isConsistent } from "../verify-proofs.ts"
import { unproven } from "./fault.ts"

/** The public key of a deployment's log, and the deployment. */
export type CertifiedLogKey = { readonly deploymentId: string; readonly publicKey: Uint8Array }

/** A statement with its signature, as replies have them: hexadecimal. */
export type SignedHex = { readonly statement: string; readonly signature: string }

/** The log's key by the notarizer of one of the pins. @throws Fault log: LOG_KEY_UNTRUSTED */
export function openLogKey({ statement, signature }: SignedHex, pins: readonly Pins[]): CertifiedLogKey {
  const bytes = readHex(statement)
  const signed = pins.filter((one) => isByNotarizer(one, LOG_KEY_TAG, bytes, signature))
  if (signed.length === 0)
    throw unproven("LOG_KEY_UNTRUSTED", "the pins' notarizer did not certify the key of this log")
  const { deploymentId, publicKey } = fromBinary(LogKeyStatementSchema, bytes)
  if (signed.some((one) => one.deploymentId === deploymentId) && publicKey.length === 32)
    return { deploymentId, publicKey }
  throw unproven("LOG_KEY_UNTRUSTED", "the certified key is of another deployment than the pins")
}

/** A verified checkpoint with the signatures of others on it. */
export type VerifiedCheckpoint = Checkpoint & {
  /** Cosignatures of the witnesses whose keys were given. */
  readonly cosignatures: readonly VerifiedSignature[]
  /** Names on other signature lines, which nobody verified. */
  readonly unverified: readonly string[]
}

/** @throws Fault log: CHECKPOINT_FOREIGN */
export function verifyCheckpoint(
  note: string,
  { deploymentId, publicKey }: CertifiedLogKey,
  witnesses: readonly NoteKey[] = [],
): VerifiedCheckpoint {
  const bytes = Buffer.from(note)
  const origin = note.slice(0, note.indexOf("\n"))
  const isOwn = origin.startsWith(`countersign/${deploymentId}/`)
  if (!isOwn) throw unproven("CHECKPOINT_FOREIGN", "the checkpoint is of another deployment's log")
  const key = noteKey(origin, ED25519, publicKey)
  const opened = openCheckpoint(bytes, key)
  const cosignatures = opened && verifyNote(opened.note, witnesses)
  if (opened === undefined) throw unproven("CHECKPOINT_FOREIGN", "the log's key did not sign the checkpoint")
  if (cosignatures === undefined)
    throw unproven("CHECKPOINT_FOREIGN", "a witness's line on the checkpoint is not its signature")
  const known = [key, ...witnesses]
  const unverified = (readNote(bytes)?.signatures ?? [])
    .filter(({ name, id }) => !known.some((one) => one.name === name && one.id === id))
    .map(({ name }) => name)
  return { ...opened.checkpoint, cosignatures, unverified }
}

/** @throws Fault log: CHECKPOINT_CONTRADICTED, ERA_OTHER */
export function requireConsistent(kept: Checkpoint, checkpoint: Checkpoint, proof: readonly string[]): void {
  if (kept.origin !== checkpoint.origin)
    throw unproven(
      "ERA_OTHER",
      `the kept checkpoint is of ${kept.origin}, the present one of ${checkpoint.origin}: ask the operator what was given up`,
    )
  if (isConsistent(kept, checkpoint, proof.map(readHex))) return
  throw unproven(
    "CHECKPOINT_CONTRADICTED",
    `the log of ${counted(checkpoint.size, "leaf", "leaves")} does not begin with the kept one of ${kept.size}: keep both, they show that the log was changed`,
  )
}

/** The signer's statement about the organization, for this nonce. @throws Fault log: HEAD_UNTRUSTED, ORGANIZATION_FOREIGN */
export function openHead(
  { statement, signature }: SignedHex,
  expected: { pins: readonly Pins[]; nonce: string; organizationId: string },
): HeadStatement {
  const bytes = readHex(statement)
  if (!expected.pins.some((one) => isByNotarizer(one, HEAD_TAG, bytes, signature)))
    throw unproven("HEAD_UNTRUSTED", "the pins' notarizer did not sign the head statement")
  const head = fromBinary(HeadStatementSchema, bytes)
  if (Buffer.from(head.nonce).toString("hex") !== expected.nonce.toLowerCase())
    throw unproven("HEAD_UNTRUSTED", "the head statement is for another nonce: it may be an old one")
  if (head.organizationId === expected.organizationId) return head
  throw unproven("ORGANIZATION_FOREIGN", "the head statement is about another organization")
}

function isByNotarizer(pins: Pins, tag: string, bytes: Uint8Array, signature: string): boolean {
  const key = readPublicKeySet(pins.notarizerPublicKey)?.sign
  return (
    key !== undefined &&
    /^[0-9a-f]{128}$/.test(signature) &&
    isSignedTagged(key, tag, bytes, Buffer.from(signature, "hex"))
  )
}
