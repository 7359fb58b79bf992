import { generateKeyPairSync } from "node:crypto"
import { publicHexOf } from "../../core/backup/keys.ts"
import { BackupFile } from "../../core/backup-files/output.ts"
import type { CommandResult } from "../command-result.ts"

export type KeyCommand = { verb: "key"; out: string }

/** Makes a key that opens backups: the private half to a file, the public one to the terminal. */
export async function makeHolderKey({ out }: KeyCommand): Promise<CommandResult> {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const pem = Buffer.from(privateKey.export({ format: "pem", type: "pkcs8" }))
  await BackupFile.write(out, (output) => output.append(once(pem)))
  const publicKey = publicHexOf(privateKey)
  return { lines: [publicKey], json: { publicKey, file: out } }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
