import { createHash } from "node:crypto"
import { openKeySet } from "../../core/crypto/keyset.ts"
import { Secret } from "../../core/crypto/secret.ts"
import { openProver, type Prover } from "../../core/proof/app-proof.ts"
import type { AttestationProvider } from "../proof/attestation.ts"
import { type BootProofParts, makeBootProof } from "../proof/boot-proof.ts"
import { codeDigest, release } from "./code.ts"
import type { Keyring } from "./keyring.ts"

/** What distinguishes this process from every other one with the same root seed. */
export type ProcessIdentity = {
  /** Signs app proofs with a key that was made at the start and ends with the process. */
  prover: Prover
  /** What ties that key to the deployment. The same for as long as the process lives. */
  bootProof(): Promise<BootProofParts>
}

/** Settings that have a say in what the signer answers; where its files lie has none. */
export type ProvenConfiguration = {
  listen: { kind: "unix" } | { kind: "tcp"; callers: readonly string[] }
  keyCache: { maxEntries: number; ttlMs: number }
  fetcherPublicKey: string | undefined
}

const SEED_LENGTH = 32

type Birth = {
  keyring: Pick<Keyring, "notary" | "pins" | "pinsDigest">
  configuration: ProvenConfiguration
  attestation: AttestationProvider
  random: (length: number) => Uint8Array
  bootedAtMs: number
}

export function openProcessIdentity({
  keyring,
  configuration,
  attestation,
  random,
  bootedAtMs,
}: Birth): ProcessIdentity {
  const prover = openProver(freshKeySet(random))
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
  let made: Promise<BootProofParts> | undefined
  return {
    prover,
    bootProof: () => {
      made ??= makeBootProof(manifest, approver, attestation)
      return made
    },
  }
}

/** SHA-256 of the settings as JSON, members in this order, lower-case hexadecimal. */
export function configurationDigest({ listen, keyCache, fetcherPublicKey }: ProvenConfiguration): string {
  const text = JSON.stringify({
    listen: listen.kind === "tcp" ? { kind: listen.kind, callers: listen.callers } : { kind: listen.kind },
    keyCache: { maxEntries: keyCache.maxEntries, ttlMs: keyCache.ttlMs },
    fetcherPublicKey: fetcherPublicKey ?? "",
  })
  return createHash("sha256").update(text).digest("hex")
}

function freshKeySet(random: (length: number) => Uint8Array) {
  const seed = Secret.moveFrom(random(SEED_LENGTH))
  try {
    return openKeySet(seed)
  } finally {
    seed.wipe()
  }
}
