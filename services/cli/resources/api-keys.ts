import { usage } from "../../terminal-client/exit.ts"
import { readKey } from "../../terminal-client/key-folder.ts"
import type { ReadContext } from "./resource.ts"

/**
 * API keys of a user: the name of a key in the keys folder, or the public key in hexadecimal digits, with a name before it
 * and a colon: `laptop:02ab…`.
 *
 * @throws {CliError} usage
 */
export async function readApiKeys(
  texts: readonly string[],
  { keysFolder }: Pick<ReadContext, "keysFolder">,
): Promise<object[]> {
  return Promise.all(
    texts.map(async (text) => {
      const [, name = "", digits = ""] = /^(?:([^:]*):)?([0-9a-f]{64,66})$/i.exec(text) ?? []
      if (digits !== "") {
        const { publicKey, curveType } = readPublicKey(digits, "--api-key")
        return { apiKeyName: name === "" ? publicKey.slice(0, 8) : name, publicKey, curveType }
      }
      const key = await readKey(keysFolder, text)
      return { apiKeyName: key.name, publicKey: key.publicKey, curveType: "API_KEY_CURVE_P256" }
    }),
  )
}

/**
 * 66 digits are a compressed P-256 point, 64 an Ed25519 key. The signer checks that they are on the curve.
 *
 * @throws {CliError} usage
 */
export function readPublicKey(text: string, option: string): { publicKey: string; curveType: string } {
  const publicKey = text.trim().toLowerCase()
  if (/^0[23][0-9a-f]{64}$/.test(publicKey)) return { publicKey, curveType: "API_KEY_CURVE_P256" }
  if (/^[0-9a-f]{64}$/.test(publicKey)) return { publicKey, curveType: "API_KEY_CURVE_ED25519" }
  const forms = "66 hexadecimal digits (P-256, compressed) or 64 (Ed25519)"
  throw usage(`${option}: not ${forms}`)
}
