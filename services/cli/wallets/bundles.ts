import { createPrivateKey, generateKeyPairSync, type KeyObject } from "node:crypto"
import { p256 } from "@noble/curves/nist.js"
import { readHex } from "../../../signer/core/encodings.ts"
import { clientContext } from "../../../signer/core/crypto/client-hpke.ts"
import { openHpke, sealHpke } from "../../../signer/core/crypto/hpke.ts"
import { p256Point, p256PublicKey } from "../../../signer/core/crypto/p256.ts"
import { Secret } from "../../../signer/core/crypto/secret.ts"
import { parseStrictJson } from "../../../proto/strict-json.ts"
import { CliError, ExitCode } from "../../terminal-client/exit.ts"
import { POINT_DIGITS, readTrustedPins } from "../../terminal-client/pins.ts"

type Content = { readonly [member: string]: unknown }

/** A key for one export: the point that the request names, and the private half as kept beside the request. */
export function generateExportKey(): { targetPublicKey: string; secret: string } {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  return {
    targetPublicKey: Buffer.from(p256Point(privateKey)).toString("hex"),
    secret: privateKey.export({ format: "der", type: "pkcs8" }).toString("base64"),
  }
}

/**
 * The content of a bundle that the pinned signer signed (docs/formats/bundle.md).
 *
 * @throws {CliError} verificationFailed: another signer, or other members than expected; usage: no pins
 */
export async function readSignedBundle(text: string, pinsFile: string, expected: Content): Promise<Content> {
  const { signerPublicKey } = await readTrustedPins(pinsFile)
  let content: Content
  try {
    const { data, dataSignature } = parseStrictJson(text) as { data: string; dataSignature: string }
    const signed = Uint8Array.from(readHex(data))
    const signature = Uint8Array.from(readHex(dataSignature))
    const key = Uint8Array.from(Buffer.from(signerPublicKey.slice(POINT_DIGITS), "hex"))
    if (!p256.verify(signature, signed, key, { lowS: false, format: "der" }))
      throw new Error("another signer")
    content = parseStrictJson(Buffer.from(signed).toString()) as Content
  } catch (cause) {
    throw failed("the bundle is not signed by the signer of the pins: it is not used", cause)
  }
  const other = Object.keys(expected).find((member) => content[member] !== expected[member])
  if (other !== undefined) throw failed(`the bundle has another ${other} than was asked for: it is not used`)
  return content
}

/** Seals a secret to the point of an import. The caller wipes it. @throws {CliError} verificationFailed */
export function sealImport({ targetPublic }: Content, secret: Secret): string {
  const recipient = p256PublicKey(Buffer.from(String(targetPublic), "hex"))
  if (recipient === undefined) throw failed("the import key is no point of P-256: nothing was sealed")
  const { privateKey: ephemeral } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const enc = p256Point(ephemeral)
  const ciphertext = sealHpke({ ephemeral, recipient }, clientContext(enc, recipient), secret)
  return JSON.stringify({ encappedPublic: hex(enc), ciphertext: hex(ciphertext) })
}

/** Opens an export with the private half of its key. The caller wipes it. @throws {CliError} verificationFailed */
export function openExport({ encappedPublic, ciphertext }: Content, secret: string): Secret {
  const recipient: KeyObject = createPrivateKey({
    key: Buffer.from(secret, "base64"),
    format: "der",
    type: "pkcs8",
  })
  const enc = Uint8Array.from(Buffer.from(String(encappedPublic), "hex"))
  const opened = openHpke(
    { recipient, enc },
    clientContext(enc, recipient),
    Uint8Array.from(Buffer.from(String(ciphertext), "hex")),
  )
  if (opened === undefined) throw failed("the bundle was sealed to another key: it does not open")
  return opened
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex")
}

function failed(sentence: string, cause?: unknown): CliError {
  return new CliError(ExitCode.verificationFailed, sentence, { cause })
}
