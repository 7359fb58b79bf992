import type { Curve, PrivateKey } from "../../../core/crypto/curve.ts"
import { derivedIndices, type Path } from "../../../core/address/path.ts"
import { type Secret, wiping } from "../../../core/crypto/secret.ts"
import { SigningKey, type SigningScheme } from "../signing-key.ts"
import { bip32 } from "./bip32.ts"
import { KeyTree, type Scheme } from "./scheme.ts"
import { slip10Ed25519, slip10P256 } from "./slip10.ts"

const schemes: Record<Curve, Scheme> = {
  CURVE_SECP256K1: bip32,
  CURVE_ED25519: slip10Ed25519,
  CURVE_P256: slip10P256,
}

/**
 * Derives the key at a path from a seed of 16 to 64 bytes. Intermediate keys are wiped; the caller wipes the result. On
 * Ed25519 every index is hardened (path.ts, derivedIndices).
 * @throws {RangeError} for a seed of another length, and with probability 2^-127 for a child that BIP-32 excludes
 */
export function deriveKey(curve: Curve, seed: Secret, path: Path, scheme?: SigningScheme): SigningKey {
  const key = derivePrivateKey(curve, seed, path)
  return wiping([key.secret], () => new SigningKey(key, scheme))
}

/** Derives many keys of one seed: paths in order cost little more than their last levels. */
export class SeedKeys {
  readonly #seed: Secret
  readonly #trees = new Map<Curve, KeyTree>()

  /** The caller wipes the seed, and calls `wipe`. */
  constructor(seed: Secret) {
    this.#seed = seed
  }

  /** As `deriveKey`. */
  derive(curve: Curve, path: Path): SigningKey {
    const tree = this.#trees.get(curve) ?? new KeyTree(schemes[curve], this.#seed)
    this.#trees.set(curve, tree)
    const secret = tree.derive(derivedIndices(curve, path))
    return wiping([secret], () => new SigningKey({ curve, secret }))
  }

  /** Overwrites the keys along the paths. */
  wipe(): void {
    for (const tree of this.#trees.values()) tree.wipe()
    this.#trees.clear()
  }
}

/**
 * The keys along the path that was derived last, of each curve, without seed and master key: a path with the same beginning
 * costs its own levels only.
 */
export class LastPaths {
  readonly #trees = new Map<Curve, KeyTree>()

  /** As `deriveKey`. `openSeed` is called where no kept key leads to the path; its seed is wiped. */
  derive(curve: Curve, path: Path, openSeed: () => Secret, scheme?: SigningScheme): SigningKey {
    const indices = derivedIndices(curve, path)
    const tree = this.#reaching(curve, indices) ?? this.#open(curve, openSeed)
    try {
      const secret = tree.derive(indices)
      return wiping([secret], () => new SigningKey({ curve, secret }, scheme))
    } finally {
      tree.wipeMaster()
    }
  }

  wipe(): void {
    for (const tree of this.#trees.values()) tree.wipe()
    this.#trees.clear()
  }

  #reaching(curve: Curve, indices: readonly number[]): KeyTree | undefined {
    const tree = this.#trees.get(curve)
    return tree?.reaches(indices) === true ? tree : undefined
  }

  #open(curve: Curve, openSeed: () => Secret): KeyTree {
    const seed = openSeed()
    const tree = wiping([seed], () => new KeyTree(schemes[curve], seed))
    this.#trees.get(curve)?.wipe()
    this.#trees.set(curve, tree)
    return tree
  }
}

/** The key of `deriveKey` as bytes, for exports. The caller wipes its secret. */
export function derivePrivateKey(curve: Curve, seed: Secret, path: Path): PrivateKey {
  const tree = new KeyTree(schemes[curve], seed)
  return wiping([tree], () => ({ curve, secret: tree.derive(derivedIndices(curve, path)) }))
}
