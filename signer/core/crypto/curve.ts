import type { Secret } from "./secret.ts"

/** The curves of wallet accounts and private keys, by the names of the interface. */
export type Curve = "CURVE_SECP256K1" | "CURVE_ED25519" | "CURVE_P256"

/** A private key: the scalar (secp256k1, P-256) or the RFC 8032 seed (Ed25519), 32 bytes. */
export type PrivateKey = { readonly curve: Curve; readonly secret: Secret }
