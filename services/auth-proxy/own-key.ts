import { createPrivateKey, generateKeyPairSync, type KeyObject } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { compressP256, p256Point } from "../../signer/core/crypto/p256.ts"
import { FAULT, StartError } from "../../signer/core/settings/start-fault.ts"

/** The proxy's own key, to which organizations' proxy keys are sealed. */
export type OwnKey = {
  privateKey: KeyObject
  /** Compressed point, 66 hexadecimal digits: the signer's setting, and a pin. */
  publicKey: string
}

/**
 * The proxy's own key from its file, PKCS #8 in PEM. Without the file a key is generated. It opens nothing until an operator
 * gives its public half to the signer, and organizations enable the proxy for it.
 *
 * @throws {StartError} for a file that other users can read, or that holds no such key
 */
export function openOwnKey(file: string): OwnKey {
  if (!existsSync(file)) create(file)
  if ((statSync(file).mode & 0o077) !== 0)
    throw new StartError(FAULT, `${file} is accessible to other users: set its mode to 0600`)
  const privateKey = readKey(file)
  return { privateKey, publicKey: Buffer.from(compressP256(p256Point(privateKey))).toString("hex") }
}

function readKey(file: string): KeyObject {
  const key = parseKey(readFileSync(file))
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
