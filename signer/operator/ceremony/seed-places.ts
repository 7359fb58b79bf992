import { createPrivateKey } from "node:crypto"
import { readFileSync, statSync } from "node:fs"
import { SeedOwner } from "../../../proto/gen/countersign/state/v1/sealed_seed_pb.ts"
import { isP256Scalar } from "../../core/crypto/p256.ts"
import { ownBytes, Secret } from "../../core/crypto/secret.ts"
import { readSealedSeed } from "../../core/sealed-seed/format.ts"
import { isSealed } from "../../core/sealed-seed/mark.ts"
import { FAULT, StartError } from "../../core/settings/start-fault.ts"
import { isSeedStored, newRootSeed, readStoredSeed, type StoredSeed } from "../../process/root-seed.ts"

/** A file with the seed of one process. The auth proxy's seed is the scalar of its key. */
export type SeedPlace = {
  owner: SeedOwner
  file: string
  /** Undefined: there is no file. */
  read: () => StoredSeed | undefined
  make: () => Secret
}

/** Files of the seeds that a ceremony is about; undefined: the process is left out. */
export type SeedFiles = { fetcherSeed: string | undefined; authProxyKey: string | undefined }

/** The signer's place first, as sheets name it first. */
export function placesOf(
  signerFile: string,
  { fetcherSeed, authProxyKey }: SeedFiles,
): [SeedPlace, ...SeedPlace[]] {
  return [
    seedPlace(SeedOwner.SIGNER, signerFile),
    ...(fetcherSeed === undefined ? [] : [seedPlace(SeedOwner.FETCHER, fetcherSeed)]),
    ...(authProxyKey === undefined ? [] : [keyPlace(authProxyKey)]),
  ]
}

function seedPlace(owner: SeedOwner, file: string): SeedPlace {
  const read = () => (isSeedStored(file) ? readStoredSeed(file) : undefined)
  return { owner, file, read, make: newRootSeed }
}

function keyPlace(file: string): SeedPlace {
  const read = () => (isSeedStored(file) ? readKey(file) : undefined)
  return { owner: SeedOwner.AUTH_PROXY, file, read, make: newScalar }
}

function newScalar(): Secret {
  for (;;) {
    const scalar = newRootSeed()
    if (scalar.use(isP256Scalar)) return scalar
  }
}

/** The auth proxy's key in PEM, or sealed. @throws {StartError}, SEALED_SEED_DAMAGED */
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
