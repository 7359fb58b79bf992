// Makes or restores the auth proxy's part of a backup: `countersign-node backup proxy`.
import "../common/refuse-debugger.ts"
import { dirname, join } from "node:path"
import { BackupPartKind } from "../../proto/gen/countersign/state/v1/backup_pb.ts"
import { BackupFault } from "../../signer/core/backup/fault.ts"
import type { PartFile } from "../../signer/core/backup/tar.ts"
import { createFilePart, restoreFilePart } from "../../signer/core/backup-files/file-part.ts"
import { partFile, partSettings } from "../../signer/core/backup-files/folder.ts"
import { PART_OPTIONS, type PartResult, readPartWords } from "../../signer/core/backup-files/part-options.ts"
import { parseWords, UsageFault } from "../../signer/core/command-line.ts"
import { REFUSED, startFaultOf } from "../../signer/core/settings/start-fault.ts"
import { ownVersion } from "../common/own-version.ts"
import { readOrExit } from "../common/settings.ts"
import { readAuthProxyConfig } from "./config.ts"

const USAGE = `Usage: countersign-node backup proxy create --to FILE --out FILE --id ID [--json]
       countersign-node backup proxy restore FILE... --key FILE [--json]

  create copies the auth proxy's key and settings, encrypted for holders. Give the file to countersign-signer backup create.
  A sealed key stays sealed in it.
  restore restores them onto a host that has none.

      --to FILE    public keys of those who can open it, one a line: countersign-signer backup key
      --out FILE   the file of the part, which must not exist
      --id ID      the backup that it belongs to, as countersign-node backup database create printed it
      --key FILE   private key of a holder
      --pins FILE  pins of the deployment, to compare with: countersign-signer pins --json
      --head FILE  a checkpoint of the log that someone kept: an older backup is refused

Example:
  countersign-node backup proxy create --to holders.txt --out proxy.part --id 5f0c3e8a9b1d47260e4f8a7c6d5b3e21`

const USAGE_FAULT = 2

process.umask(0o077)
process.exitCode = await run(process.argv.slice(2))

async function run(words: readonly string[]): Promise<number> {
  const isJson = words.includes("--json")
  try {
    const result = await resultOf(words)
    const text = isJson ? JSON.stringify(result?.json) : result?.lines.join("\n")
    process.stdout.write(`${result === undefined ? USAGE : text}\n`)
    return 0
  } catch (error) {
    const { message } = error as Error
    process.stderr.write(
      isJson ? `${JSON.stringify({ error: { message } })}\n` : `countersign-node: ${message}\n`,
    )
    if (error instanceof UsageFault) return USAGE_FAULT
    return error instanceof BackupFault ? REFUSED : (startFaultOf(error)?.status ?? 1)
  }
}

/** Undefined: help is asked for. @throws {UsageFault} {BackupFault} */
async function resultOf(words: readonly string[]): Promise<PartResult | undefined> {
  const options = {
    ...PART_OPTIONS,
    json: { type: "boolean" },
    help: { type: "boolean", short: "h" },
  } as const
  const { values, positionals } = parseWords(words, options, "countersign-node backup proxy")
  if (values.help === true) return undefined
  const command = readPartWords(values, positionals, "backup proxy")
  const { keyFile } = readOrExit(readAuthProxyConfig)
  const kind = BackupPartKind.AUTH_PROXY
  if (command.verb === "create") {
    const terms = { kind, release: ownVersion(), nowMs: Date.now() }
    return createFilePart(command.part, terms, filesOf(keyFile))
  }
  const settings = { name: "settings.json", path: join(dirname(keyFile), "restored-settings.json") }
  const target = { kind, secret: { name: "key", path: keyFile }, others: [settings] }
  return restoreFilePart(command.part, target)
}

async function* filesOf(keyFile: string): AsyncGenerator<PartFile> {
  yield await partFile("key", keyFile)
  yield partSettings(process.env)
}
