import { hash } from "node:crypto"
import { blake2b } from "@noble/hashes/blake2.js"
import { base32nopad, base58 } from "@scure/base"
import { crc16 } from "../../../core/address/canonical.ts"

// Addresses of chains that sign with Ed25519; every function takes the public key, 32 bytes. TON is in ton.ts.

/** Authentication scheme of a plain Ed25519 key on Aptos. */
const APTOS_SCHEME = 0x00
/** Signature scheme of a plain Ed25519 key on Sui. */
const SUI_FLAG = 0x00
/** Version of a Stellar account id, which makes it begin with G. */
const STELLAR_VERSION = 6 << 3

/** AIP-40, LONG: 0x and 64 digits of SHA3-256 of `key(32) || scheme(1)`, an account's first authentication key. */
export function aptosAddress(publicKey: Uint8Array): string {
  return `0x${hash("sha3-256", Uint8Array.of(...publicKey, APTOS_SCHEME), "hex")}`
}

/** Base58 of the key. */
export function solanaAddress(publicKey: Uint8Array): string {
  return base58.encode(publicKey)
}

/** StrKey (SEP-23): Base32 of `version(1) || key(32) || crc16(2, little-endian)`. */
export function stellarAddress(publicKey: Uint8Array): string {
  const payload = Uint8Array.of(STELLAR_VERSION, ...publicKey)
  const checksum = crc16(payload)
  return base32nopad.encode(Uint8Array.of(...payload, checksum & 0xff, checksum >> 8))
}

/** 0x and 64 digits of BLAKE2b-256 of `flag(1) || key(32)` (Sui, keys and addresses). */
export function suiAddress(publicKey: Uint8Array): string {
  const digest = blake2b(Uint8Array.of(SUI_FLAG, ...publicKey), { dkLen: 32 })
  return `0x${Buffer.from(digest).toString("hex")}`
}
