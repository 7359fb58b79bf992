import { createHash } from "node:crypto"
import { openKeySet } from "../../core/crypto/keyset.ts"
import { type RandomBytes, Secret, wiping } from "../../core/crypto/secret.ts"
import { type NoteKey, writeNoteKey } from "../../core/log/note-key.ts"
import { openProver, type Prover } from "../../core/proof/app-proof.ts"
import { type AttestationProvider, type BootProofParts, createBootProof } from "../proof/boot-proof.ts"
import { codeDigest, release } from "./code.ts"
import type { Keyring } from "./keyring.ts"

/** The keys that distinguish this process from others with the same root seed. */
export type ProcessIdentity = {
  /** Signs app proofs with a key generated at start, which ends with the process. */
  prover: Prover
  /** Proof that binds this key to the deployment; the same for the life of the process. */
  bootProof(): Promise<BootProofParts>
}

/** The settings that affect the signer's answers; paths of files do not. */
export type ProvenConfiguration = {
  listen: { kind: "unix" } | { kind: "tcp"; callers: readonly string[] }
  keyCache: { maxEntries: number; ttlMs: number }
  fetcherPublicKey: string | undefined
  oidcIssuer: string | undefined
  limits: Readonly<Record<string, number>>
  /** Witnesses of the log: who changes them shows in the next boot proof. */
  witnesses?: {
    readonly keys: readonly NoteKey[]
    readonly threshold: number
    readonly beforeAnswer: boolean
  }
}

const SEED_LENGTH = 32

type ProcessIdentityOptions = {
  keyring: Pick<Keyring, "notary" | "pins" | "pinsDigest">
  configuration: ProvenConfiguration
  attestation: AttestationProvider
  random: RandomBytes
  bootedAtMs: number
}

export function openProcessIdentity(options: ProcessIdentityOptions): ProcessIdentity {
  const { keyring, configuration, attestation, random, bootedAtMs } = options
  const prover = openProver(generateKeySet(random))
  const { pins, notary } = keyring
  const manifest = {
    deploymentId: pins.deploymentId,
    pinsDigest: Buffer.from(keyring.pinsDigest).toString("hex"),
    release: release(),
    codeDigest: codeDigest(),
    configurationDigest: configurationDigest(configuration),
    ephemeralPublicKey: prover.publicKey,
    bootedAtMs,
  }
  const approver = {
    publicKey: pins.notarizerPublicKey.slice(-130),
    sign: (tag: string, bytes: Uint8Array) => notary.sign(tag, bytes),
  }
  let proof: Promise<BootProofParts> | undefined
  return {
    prover,
    bootProof: () => {
      proof ??= createBootProof(manifest, approver, attestation)
      return proof
    },
  }
}

/** SHA-256 of the settings as JSON, members in this order, lower-case hexadecimal. */
export function configurationDigest(configuration: ProvenConfiguration): string {
  const { listen, keyCache, fetcherPublicKey, oidcIssuer, limits, witnesses } = configuration
  const { keys = [], threshold = 0, beforeAnswer = false } = witnesses ?? {}
  const text = JSON.stringify({
    listen: listen.kind === "tcp" ? { kind: listen.kind, callers: listen.callers } : { kind: listen.kind },
    keyCache: { maxEntries: keyCache.maxEntries, ttlMs: keyCache.ttlMs },
    fetcherPublicKey: fetcherPublicKey ?? "",
    oidcIssuer: oidcIssuer ?? "",
    limits,
    ...(threshold > 0 && { witnesses: { keys: keys.map(writeNoteKey), threshold, beforeAnswer } }),
  })
  return createHash("sha256").update(text).digest("hex")
}

function generateKeySet(random: RandomBytes) {
  const seed = Secret.moveFrom(random(SEED_LENGTH))
  return wiping([seed], () => openKeySet(seed))
}
