// Backups in memory, for tests: parts with any content, and a manifest of a deployment that is its own.
import { createHash, generateKeyPairSync, randomBytes } from "node:crypto"
import { create, toBinary } from "@bufbuild/protobuf"
import { BackupManifestSchema, BackupPartKind } from "../../../../proto/gen/countersign/state/v1/backup_pb.ts"
import type { ArchiveFile } from "../../../../signer/core/backup/archive.ts"
import { publicHexOf, readHolderKeys } from "../../../../signer/core/backup/keys.ts"
import { writeManifest } from "../../../../signer/core/backup/manifest.ts"
import { sealPart } from "../../../../signer/core/backup/part.ts"
import { writeTar } from "../../../../signer/core/backup/tar.ts"
import { Secret } from "../../../../signer/core/crypto/secret.ts"
import { signCheckpoint } from "../../../../signer/core/log/checkpoint.ts"
import { BACKUP_TAG } from "../../../../signer/core/wire.ts"
import { openKeyring } from "../../../../signer/enclave/provision/keyring.ts"

export const newKey = () => generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey
export const holder = newKey()
export const holders = readHolderKeys(publicHexOf(holder))

/** A stream of these bytes in small pieces. */
export async function* streamOf(bytes: Uint8Array, piece = 1000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += piece) yield bytes.subarray(at, at + piece)
}

export async function read(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of bytes) pieces.push(piece)
  return Buffer.concat(pieces)
}

export const fileOf = (bytes: Uint8Array, name = "a.backup"): ArchiveFile => ({
  name,
  read: () => streamOf(bytes),
})

export type Files = { readonly [name: string]: Uint8Array }

async function* partFiles(files: Files) {
  for (const [name, bytes] of Object.entries(files))
    yield { name, size: bytes.length, content: streamOf(bytes) }
}

export const tarOf = (files: Files) => writeTar(partFiles(files))

/** The bytes of a part. */
export function part(backupId: string, kind: BackupPartKind, files: Files): Promise<Buffer> {
  const terms = { backupId, kind, madeAtMs: 1_700_000_000_000n, release: "0.0.0" }
  return read(sealPart(terms, holders, tarOf(files), { random: randomBytes, ephemeral: newKey }))
}

/** A deployment of a seed. */
export function deployment(seed = 1) {
  const keyring = openKeyring(Secret.copyOf(new Uint8Array(32).fill(seed)))
  const { pins } = keyring
  const origin = `countersign/${pins.deploymentId}/1`
  const headOf = (size: number) =>
    Buffer.from(signCheckpoint({ origin, size, root: new Uint8Array(32) }, keyring.log.signerOf(origin)))
  const manifest = (backupId: string, parts: readonly [BackupPartKind, Uint8Array][]) => {
    const bytes = toBinary(
      BackupManifestSchema,
      create(BackupManifestSchema, {
        backupId,
        pins,
        sequence: 7n,
        checkpoint: headOf(5),
        logKeyStatement: keyring.log.statement,
        logKeySignature: keyring.log.signature,
        parts: parts.map(([kind, content]) => ({
          kind,
          digest: createHash("sha256").update(content).digest(),
          size: BigInt(content.length),
        })),
      }),
    )
    return writeManifest(bytes, keyring.notary.sign(BACKUP_TAG, bytes))
  }
  return { pins, headOf, manifest }
}
