import { createPrivateKey } from "node:crypto"
import { accessSync, constants, existsSync, readFileSync, statSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { SeedOwner } from "../../../proto/gen/countersign/state/v1/sealed_seed_pb.ts"
import { isP256Scalar } from "../../core/crypto/p256.ts"
import { ownBytes, Secret } from "../../core/crypto/secret.ts"
import { readSealedSeed } from "../../core/sealed-seed/format.ts"
import { isSealed } from "../../core/sealed-seed/mark.ts"
import { ownerName } from "../../core/sealed-seed/terms.ts"
import { FAULT, StartError } from "../../core/settings/start-fault.ts"
import type { SignerConfig } from "../../enclave/config.ts"
import { isSeedStored, newRootSeed, readStoredSeed, type StoredSeed } from "../../process/root-seed.ts"
import { AUTHORITY_KEY, placeOfAuthority } from "../authority/place.ts"
import type { CeremonyCommand } from "./ceremony-command.ts"

/** A file with the seed of one process. The seed of auth proxy and certificate authority is the scalar of its key. */
export type SeedPlace = {
  owner: SeedOwner
  file: string
  /** Undefined: there is no file. */
  read: () => StoredSeed | undefined
  make: () => Secret
}

type Files = Pick<CeremonyCommand, "fetcherSeed" | "authProxyKey" | "sealsAuthority">

/** Places of the seeds that a ceremony is about. The signer's place first, as sheets name it first. @throws {JoinFault} */
export function placesOf(
  config: Pick<SignerConfig, "seedFile" | "dataDirectory" | "authorityDirectory">,
  { fetcherSeed, authProxyKey, sealsAuthority }: Files,
): [SeedPlace, ...SeedPlace[]] {
  return [
    seedPlace(SeedOwner.SIGNER, config.seedFile),
    ...(fetcherSeed === undefined ? [] : [seedPlace(SeedOwner.FETCHER, fetcherSeed)]),
    ...(authProxyKey === undefined ? [] : [keyPlace(SeedOwner.AUTH_PROXY, authProxyKey)]),
    ...(sealsAuthority ? [authorityPlaceIn(placeOfAuthority(config).directory)] : []),
  ]
}

/** Tries the file's folder before holders type words for it. @throws Node's error, which names the folder */
export function requireWritable({ file }: SeedPlace): void {
  let folder = dirname(resolve(file))
  while (!existsSync(folder)) folder = dirname(folder)
  if (!statSync(folder).isDirectory())
    throw new StartError(FAULT, `${folder} is no folder, so ${file} cannot be stored`)
  accessSync(folder, constants.W_OK | constants.X_OK)
}

/** The key of the certificate authority in its folder. */
function authorityPlaceIn(directory: string): SeedPlace {
  return keyPlace(SeedOwner.AUTHORITY, join(directory, AUTHORITY_KEY))
}

function seedPlace(owner: SeedOwner, file: string): SeedPlace {
  return { owner, file, read: () => readOf(owner, file, readStoredSeed), make: newRootSeed }
}

function keyPlace(owner: SeedOwner, file: string): SeedPlace {
  return { owner, file, read: () => readOf(owner, file, readKey), make: newScalar }
}

/** Shares of one process are never asked for the file of another. @throws {StartError} */
function readOf(owner: SeedOwner, file: string, read: (file: string) => StoredSeed): StoredSeed | undefined {
  const stored = isSeedStored(file) ? read(file) : undefined
  if (stored?.kind !== "sealed" || stored.sealed.header.owner === owner) return stored
  const [its, expected] = [stored.sealed.header.owner, owner].map(ownerName)
  throw new StartError(
    FAULT,
    `${file} is the sealed seed of the ${its}, not of the ${expected}: nothing was changed`,
  )
}

function newScalar(): Secret {
  for (;;) {
    const scalar = newRootSeed()
    if (scalar.use(isP256Scalar)) return scalar
  }
}

/** A key of P-256 in PEM, or sealed. @throws {StartError}, SEALED_SEED_DAMAGED */
function readKey(file: string): StoredSeed {
  if ((statSync(file).mode & 0o077) !== 0)
    throw new StartError(FAULT, `${file} is accessible to other users: set its mode to 0600`)
  const bytes = readFileSync(file)
  if (isSealed(bytes)) return { kind: "sealed", sealed: readSealedSeed(bytes) }
  try {
    const { crv, d = "" } = createPrivateKey(bytes).export({ format: "jwk" })
    if (crv !== "P-256") throw new RangeError("another curve")
    const scalar = ownBytes(32)
    scalar.set(Buffer.from(d, "base64url"))
    return { kind: "plain", seed: Secret.moveFrom(scalar) }
  } catch (cause) {
    throw new StartError(FAULT, `${file} holds no private key of P-256 in PEM (PKCS #8)`, { cause })
  } finally {
    bytes.fill(0)
  }
}
