import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import type { KeyObject } from "node:crypto"
import { deriveBranch } from "../core/crypto/branch.ts"
import { type KeySet, openKeySet } from "../core/crypto/keyset.ts"
import { compressP256, p256Point } from "../core/crypto/p256.ts"
import { type Secret, wiping } from "../core/crypto/secret.ts"
import { FAULT, StartError } from "../core/settings/start-fault.ts"
import {
  isSeedStored,
  newRootSeed,
  readStoredSeed,
  type StoredSeed,
  storeRootSeed,
} from "../process/root-seed.ts"
import { type CodeKeys, codeKeysOf } from "./codes/keys.ts"
import type { FetcherConfig } from "./config.ts"

/**
 * Creates the fetcher's seed, which is independent of the signer's. Only an operator's word, or `countersign dev`, leads
 * here: a fetcher whose volume is empty must not get another key by itself.
 *
 * @throws {StartError} when a seed is stored
 */
export function createIdentity({ seedFile, isProduction }: FetcherConfig): void {
  if (isSeedStored(seedFile))
    throw new StartError(FAULT, `${seedFile} is a seed already: start the fetcher without init`)
  if (isProduction) throw new StartError(FAULT, PLAIN_IN_PRODUCTION)
  const fresh = newRootSeed()
  storeRootSeed(seedFile, fresh)
  fresh.wipe()
}

const PLAIN_IN_PRODUCTION =
  "this would write a plain seed, which COUNTERSIGN_PRODUCTION refuses. Nothing was created. " +
  "countersign-signer ceremony --fetcher-seed FILE creates one that is sealed"

/** The keys of a fetcher. */
export type FetcherIdentity = {
  /** Signs statements, and opens client secrets. */
  keySet: KeySet
  /** Opens keys of on-ramp providers, and nothing else. */
  onRampKey: KeyObject
  /** Keys of the store of one-time codes. */
  codeKeys: CodeKeys
  /** Public keys for pairing a signer: `FetcherKeys` in hexadecimal. */
  publicHex: string
}

/** The fetcher's seed as its file holds it. @throws {StartError} when none is stored; ROOT_SEED_UNUSABLE, SEALED_SEED_DAMAGED */
export function readSeed({ seedFile }: Pick<FetcherConfig, "seedFile">): StoredSeed {
  if (!isSeedStored(seedFile)) throw new StartError(FAULT, `${seedFile} is missing: ${SEED_MISSING}`)
  return readStoredSeed(seedFile)
}

/** The fetcher's own keys, from its own seed, which is wiped. The public ones are written for the operator. */
export function openIdentity(
  seed: Secret,
  { publicKeyFile }: Pick<FetcherConfig, "publicKeyFile">,
): FetcherIdentity {
  const identity = wiping([seed], () => identityOf(seed))
  publish(publicKeyFile, identity.publicHex)
  return identity
}

/** The public keys: from a plain seed, or as the fetcher wrote them when it was last open. @throws {StartError} */
export function publicKeysOf(config: FetcherConfig): string {
  const stored = readSeed(config)
  if (stored.kind === "plain") return openIdentity(stored.seed, config).publicHex
  if (existsSync(config.publicKeyFile)) return readFileSync(config.publicKeyFile, "utf8").trim()
  throw new StartError(
    FAULT,
    `the seed is sealed, and ${config.publicKeyFile} is missing: start the fetcher and unlock it, which writes its public keys`,
  )
}

/** Keys of independent branches of the seed. */
export function identityOf(seed: Secret): FetcherIdentity {
  const keySetAt = (name: string) => {
    const branch = deriveBranch(seed, name)
    return wiping([branch], () => openKeySet(branch))
  }
  const keySet = keySetAt("fetcher")
  const { privateKey: onRampKey, publicKey } = keySetAt("on-ramp").encrypt
  const onRampHex = Buffer.from(compressP256(p256Point(publicKey))).toString("hex")
  return { keySet, onRampKey, codeKeys: codeKeysOf(seed), publicHex: keySet.publicHex + onRampHex }
}

const SEED_MISSING =
  "restore the fetcher's seed from its backup, or create another with countersign-fetcher init and pair the signer with it"

/** Writes public keys for the operator, or for `countersign dev`. */
export function publish(file: string, keys: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeFileSync(`${file}.new`, `${keys}\n`, { mode: 0o600 })
  renameSync(`${file}.new`, file)
}
