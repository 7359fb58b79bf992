// Makes, restores or rehearses the auth proxy's part of a backup: `countersign-node backup proxy`.
import "../common/refuse-debugger.ts"
import { runFilePart, usageOfFilePart } from "../../signer/core/backup-files/file-part.ts"
import { runBackupCommand } from "../common/backup-command.ts"
import { readOrExit } from "../common/settings.ts"
import { partOf } from "./backup-part.ts"
import { readAuthProxyConfig } from "./config.ts"

const COMMAND = { program: "countersign-node", command: "backup proxy" }

const USAGE = usageOfFilePart(COMMAND, {
  copies: "the auth proxy's key, its secret of the captcha provider and its settings",
  out: "proxy.part",
})

await runBackupCommand(USAGE, (words) =>
  runFilePart({ ...COMMAND, words }, () => partOf(readOrExit(readAuthProxyConfig))),
)
