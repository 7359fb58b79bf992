import { createPrivateKey, generateKeyPairSync, type KeyObject } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { compressP256, p256Point, p256PrivateKey } from "../../signer/core/crypto/p256.ts"
import type { Secret } from "../../signer/core/crypto/secret.ts"
import { readSealedSeed, type SealedFile } from "../../signer/core/sealed-seed/format.ts"
import { isSealed } from "../../signer/core/sealed-seed/mark.ts"
import { FAULT, StartError } from "../../signer/core/settings/start-fault.ts"

/** The proxy's own key, to which organizations' proxy keys are sealed. */
export type OwnKey = {
  privateKey: KeyObject
  /** Compressed point, 66 hexadecimal digits: the signer's setting, and a pin. */
  publicKey: string
}

/**
 * The proxy's own key from its file, PKCS #8 in PEM, or the sealed file that holds it. Without the file a key is generated. It opens nothing until an operator
 * gives its public half to the signer, and organizations enable the proxy for it.
 *
 * @throws {StartError} for a file that other users can read, or that holds no such key, and in production for a plain one
 * @throws SEALED_SEED_DAMAGED
 */
export function openOwnKey(file: string, { isProduction = false } = {}): OwnKey | SealedFile {
  if (!existsSync(file) && isProduction)
    throw new StartError(
      FAULT,
      `${file} is missing, and COUNTERSIGN_PRODUCTION makes no plain key: ${CEREMONY}`,
    )
  if (!existsSync(file)) create(file)
  if ((statSync(file).mode & 0o077) !== 0)
    throw new StartError(FAULT, `${file} is accessible to other users: set its mode to 0600`)
  const bytes = readFileSync(file)
  if (isSealed(bytes)) return readSealedSeed(bytes)
  if (isProduction) {
    bytes.fill(0)
    throw new StartError(FAULT, `${file} is a plain key, which COUNTERSIGN_PRODUCTION refuses: ${CEREMONY}`)
  }
  return withPublicKey(readKey(file, bytes))
}

/** The public half: of a sealed key as it was written when the key was last open. @throws {StartError} */
export function publicKeyOf(keyFile: string): string {
  const key = openOwnKey(keyFile)
  if ("privateKey" in key) return key.publicKey
  const file = publicKeyFileOf(keyFile)
  if (existsSync(file)) return readFileSync(file, "utf8").trim()
  throw new StartError(
    FAULT,
    `the key is sealed, and ${file} is missing: start the auth proxy and unlock it once`,
  )
}

/** File of the public half of a key that is sealed. */
export const publicKeyFileOf = (keyFile: string) => `${keyFile}.public`

const CEREMONY = "countersign-signer ceremony, or change-shares, with --auth-proxy-key FILE seals one"

/** The key of a sealed file: its seed is the scalar. */
export function ownKeyOf(seed: Secret): OwnKey {
  return withPublicKey(p256PrivateKey(seed))
}

function withPublicKey(privateKey: KeyObject): OwnKey {
  return { privateKey, publicKey: Buffer.from(compressP256(p256Point(privateKey))).toString("hex") }
}

function readKey(file: string, bytes: Buffer): KeyObject {
  const key = parseKey(bytes)
  if (key?.asymmetricKeyDetails?.namedCurve === "prime256v1") return key
  throw new StartError(FAULT, `${file} holds no private key of P-256 in PEM (PKCS #8)`)
}

function parseKey(pem: Buffer): KeyObject | undefined {
  try {
    return createPrivateKey(pem)
  } catch {
    return undefined
  } finally {
    pem.fill(0)
  }
}

/** Writes under another name first, so that an existing file is always complete. */
function create(file: string): void {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const pem = privateKey.export({ type: "pkcs8", format: "pem" })
  writeFileSync(`${file}.new`, pem, { mode: 0o600, flush: true })
  renameSync(`${file}.new`, file)
}
