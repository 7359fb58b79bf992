import { memberAt } from "../../terminal-client/json.ts"
import type { ReadContext } from "./resource.ts"

/** Rules of an IP allowlist: `192.0.2.0/24`, or `192.0.2.0/24=office` with a label. The signer checks the blocks. */
export function readBlocks(texts: readonly string[]): Promise<object[]> {
  return Promise.resolve(
    texts.map((text) => {
      const [cidr = "", ...label] = text.split("=")
      return { cidr, ...(label.length > 0 && { label: label.join("=") }) }
    }),
  )
}

/** The public key of an API key: the key itself, or the name or id of one of the organization. @throws {CliError} usage */
export async function readListedKey(
  [text = ""]: readonly string[],
  { directory }: Pick<ReadContext, "directory">,
): Promise<string> {
  if (/^[0-9a-f]{64,66}$/i.test(text)) return text.toLowerCase()
  return String(memberAt(await directory.find("key", text), "credential.publicKey"))
}
