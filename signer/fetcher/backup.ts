// The fetcher's part of a backup: its seed as its file is, its store of codes, its settings.
import { basename, dirname, join } from "node:path"
import { BackupPartKind } from "../../proto/gen/countersign/state/v1/backup_pb.ts"
import { parseWords } from "../core/command-line.ts"
import type { PartFile } from "../core/backup/tar.ts"
import { createFilePart, restoreFilePart } from "../core/backup-files/file-part.ts"
import { partBytes, partFile, partSettings } from "../core/backup-files/folder.ts"
import { PART_OPTIONS, type PartResult, readPartWords } from "../core/backup-files/part-options.ts"
import { ownVersion } from "../process/own-version.ts"
import { copyStore } from "./codes/copy-store.ts"
import { type FetcherConfig, readConfig } from "./config.ts"

export const backupUsage = `Usage: countersign-fetcher backup create --to FILE --out FILE --id ID
       countersign-fetcher backup restore FILE... --key FILE

  create copies seed, store of codes and settings beside a running fetcher, encrypted for holders. Give the file to
  countersign-signer backup create. A sealed seed stays sealed in it.
  restore restores them onto a host that has none.

      --to FILE    public keys of those who can open it, one a line: countersign-signer backup key
      --out FILE   the file of the part, which must not exist
      --id ID      the backup that it belongs to, as countersign-node backup database create printed it
      --key FILE   private key of a holder
      --pins FILE  pins of the deployment, to compare with: countersign-signer pins --json
      --head FILE  a checkpoint of the log that someone kept: an older backup is refused
      --json       print the result on one line

Example:
  countersign-fetcher backup create --to holders.txt --out fetcher.part --id 5f0c3e8a9b1d47260e4f8a7c6d5b3e21`

/** Runs the words after `backup`; undefined: help is asked for. @throws {UsageFault} {BackupFault} */
export async function runBackup(
  words: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<PartResult | undefined> {
  const options = {
    ...PART_OPTIONS,
    json: { type: "boolean" },
    help: { type: "boolean", short: "h" },
  } as const
  const { values, positionals } = parseWords(words, options, "countersign-fetcher backup")
  if (values.help === true) return undefined
  const command = readPartWords(values, positionals, "backup")
  const config = readConfig(environment)
  const kind = BackupPartKind.FETCHER
  if (command.verb === "create") {
    const terms = { kind, release: ownVersion(), nowMs: Date.now() }
    return createFilePart(command.part, terms, filesOf(config, environment))
  }
  const { seedFile, codesFile } = config
  const name = basename(codesFile)
  const others = [
    { name: `store/${name}-wal`, path: `${codesFile}-wal` },
    { name: `store/${name}`, path: codesFile },
    { name: "settings.json", path: join(dirname(seedFile), "restored-settings.json") },
  ]
  return restoreFilePart(command.part, { kind, secret: { name: "seed", path: seedFile }, others })
}

async function* filesOf(
  { seedFile, codesFile }: FetcherConfig,
  environment: NodeJS.ProcessEnv,
): AsyncGenerator<PartFile> {
  yield await partFile("seed", seedFile)
  yield partSettings(environment)
  for (const { name, bytes } of copyStore(codesFile)) yield partBytes(`store/${name}`, bytes)
}
