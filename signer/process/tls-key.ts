import { generateKeyPairSync, type KeyObject } from "node:crypto"

/** A new private key for a certificate of mutual TLS, P-256. */
export function newTlsKey(): KeyObject {
  return generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey
}
