import { dirname, join } from "node:path"
import { BackupPartKind } from "../../proto/gen/countersign/state/v1/backup_pb.ts"
import type { PartFile } from "../../signer/core/backup/tar.ts"
import type { FilePart } from "../../signer/core/backup-files/file-part.ts"
import { partFile, partSettings, secretFile } from "../../signer/core/backup-files/folder.ts"
import { sealedClause } from "../../signer/core/backup-files/sealed-clause.ts"
import { ownVersion } from "../common/own-version.ts"
import type { AuthProxyServiceSettings } from "./config.ts"
import { openOwnKey } from "./own-key.ts"

/** The secret of the captcha provider. Its file is a setting of the new host: the operator puts it there. */
const CAPTCHA_SECRET = "turnstile-secret"

/** The auth proxy's part of a backup. */
export function partOf(config: AuthProxyServiceSettings): FilePart {
  const { keyFile } = config
  const besideKey = (name: string) => join(dirname(keyFile), name)
  return {
    kind: BackupPartKind.AUTH_PROXY,
    release: ownVersion(),
    nowMs: Date.now(),
    files: () => filesOf(config),
    secret: { name: "key", path: keyFile },
    others: [
      { name: "settings.json", path: besideKey("restored-settings.json") },
      { name: CAPTCHA_SECRET, path: besideKey("restored-turnstile-secret") },
    ],
    next:
      "compare restored-settings.json beside the key with this host's settings, start the auth proxy, and unlock it if its key is " +
      "sealed. restored-turnstile-secret, if it is there, belongs where COUNTERSIGN_AUTH_PROXY_TURNSTILE_SECRET_FILE says.",
    tryOut(folder) {
      const key = openOwnKey(join(folder, "key"))
      return "publicKey" in key ? `its public key is ${key.publicKey}` : sealedClause(key)
    },
  }
}

async function* filesOf({ keyFile, captcha }: AuthProxyServiceSettings): AsyncGenerator<PartFile> {
  yield await secretFile("key", keyFile)
  yield partSettings(process.env)
  if (captcha !== undefined) yield await partFile(CAPTCHA_SECRET, captcha.secretFile)
}
