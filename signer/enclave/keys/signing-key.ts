import type { Curve, PrivateKey } from "../../core/crypto/curve.ts"
import { type Backend, hexOf, type OpenBackend, type Signable } from "./signing/backend.ts"
import { openEd25519 } from "./signing/ed25519.ts"
import { openP256 } from "./signing/p256.ts"
import { openSchnorr, openSecp256k1, openTaproot } from "./signing/secp256k1.ts"

export type { Signable } from "./signing/backend.ts"

/** Lower-case hex without 0x: `r` and `s` of 64 digits each, leading zeros kept; `v` is "00" or "01". */
export type Signature = { readonly r: string; readonly s: string; readonly v: string }

/** Algorithm of a key: its curve's default, or on secp256k1 Schnorr, with or without Taproot tweak. */
export type SigningScheme = "default" | "taproot" | "schnorr"

/** A private key ready to sign. It reveals signatures and the public key only. */
export class SigningKey {
  readonly curve: Curve
  readonly scheme: SigningScheme
  /** 66 digits, `02` or `03` first; 64 digits for Ed25519. */
  readonly publicKeyHex: string
  /** 130 digits, `04` first; undefined for Ed25519. */
  readonly publicKeyUncompressed: string | undefined
  readonly #backend: Backend

  /** Copies the key; the caller wipes the original. @throws {RangeError} when the bytes are not a key of the curve */
  constructor({ curve, secret }: PrivateKey, scheme: SigningScheme = "default") {
    if (scheme !== "default" && curve !== "CURVE_SECP256K1") throw new TypeError("Schnorr is for secp256k1")
    const backend = (scheme === "default" ? openers[curve] : schnorrOpeners[scheme])(secret)
    this.curve = curve
    this.scheme = scheme
    this.publicKeyHex = hexOf(backend.publicKey)
    this.publicKeyUncompressed = backend.uncompressed && hexOf(backend.uncompressed)
    this.#backend = backend
    // Requests share cached keys: none replaces what another reads or calls.
    Object.freeze(this)
  }

  /**
   * - secp256k1: RFC 6979, low s; `v` is the recovery id.
   * - Schnorr (BIP-340), for Taproot by the tweaked key (BIP-341): without auxiliary randomness; `v` is always "00".
   * - P-256: low s; `v` is always "00": OpenSSL does not return the parity, and no published client reads it.
   * - Ed25519: `r` and `s` are the halves of the RFC 8032 signature; `v` is "00".
   * @throws {TypeError} for a message instead of a digest or the reverse; {Error} after a wipe
   */
  sign(input: Signable): Signature {
    const { signature, recovery } = this.#backend.sign(input)
    return { r: signature.slice(0, 64), s: signature.slice(64), v: recovery === 0 ? "00" : "01" }
  }

  /** Overwrites the key's bytes and drops the reference to OpenSSL's copy. */
  wipe(): void {
    this.#backend.wipe()
  }
}

const openers: Record<Curve, OpenBackend> = {
  CURVE_SECP256K1: openSecp256k1,
  CURVE_ED25519: openEd25519,
  CURVE_P256: openP256,
}

const schnorrOpeners: Record<Exclude<SigningScheme, "default">, OpenBackend> = {
  schnorr: openSchnorr,
  taproot: openTaproot,
}
