// Makes the parts of a backup that lie on the API's host: `countersign-node backup host`.
import "../common/refuse-debugger.ts"
import { resolve } from "node:path"
import { backUpApiHost } from "../../signer/core/backup-host/host-backup.ts"
import { excessWords, parseWords, UsageFault } from "../../signer/core/command-line.ts"
import { runBackupCommand } from "../common/backup-command.ts"
import { runAs } from "../../signer/core/backup-host/run-as.ts"

const USAGE = `Usage: countersign-node backup host --to FILE --out DIR [--id ID] [--json]

  As root: makes the parts of this host, database and auth proxy, each as the user of its process and with its settings, and writes them to
  one file in DIR. Bring it to the folder of parts on the signer's host, where countersign-signer backup host --parts joins it.

      --to FILE    public keys of those who can open it, one a line: countersign-signer backup key
      --out DIR    folder of the files
      --id ID      the backup that they belong to (default: a new one)

Example:
  countersign-node backup host --to /etc/countersign/holders.txt --out /var/backups/countersign`

const OPTIONS = {
  to: { type: "string" },
  out: { type: "string" },
  id: { type: "string" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const

await runBackupCommand(USAGE, async (words) => {
  const { values, positionals } = parseWords(words, OPTIONS, "countersign-node backup host")
  if (values.help === true) return undefined
  if (positionals.length > 0) throw excessWords(positionals, "backup host", "countersign-node")
  const { to, out, id } = values
  if (to === undefined || out === undefined) throw new UsageFault("backup host needs --to FILE and --out DIR")
  const command = { holders: resolve(to), out: resolve(out), backupId: id }
  return backUpApiHost(command, { root: "/", nowMs: Date.now(), run: runAs(process.env["PATH"]) })
})
