// The fetcher's part of a backup: its seed as its file is, its store of codes, its settings.
import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { BackupPartKind } from "../../proto/gen/countersign/state/v1/backup_pb.ts"
import type { PartFile } from "../core/backup/tar.ts"
import { wiping } from "../core/crypto/secret.ts"
import { type FilePart, runFilePart, usageOfFilePart } from "../core/backup-files/file-part.ts"
import { partBytes, partSettings, secretFile } from "../core/backup-files/folder.ts"
import type { PartResult } from "../core/backup-files/part-options.ts"
import { sealedClause } from "../core/backup-files/sealed-clause.ts"
import { ownVersion } from "../process/own-version.ts"
import { copyStore } from "./codes/copy-store.ts"
import { openDatabase } from "./codes/database.ts"
import { CodeStore } from "./codes/store.ts"
import { type FetcherConfig, readConfig } from "./config.ts"
import { identityOf, readSeed } from "./identity.ts"

const COMMAND = { program: "countersign-fetcher", command: "backup" }

/** The store in the part, whatever its file is called on a host. */
const STORE = "store/codes.sqlite"

export const backupUsage = usageOfFilePart(COMMAND, {
  copies: "seed, store of codes and settings beside a running fetcher",
  out: "fetcher.part",
})

/** Runs the words after `backup`; undefined: help is asked for. @throws {UsageFault} {BackupFault} */
export function runBackup(
  words: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<PartResult | undefined> {
  return runFilePart({ ...COMMAND, words }, () => partOf(readConfig(environment), environment))
}

function partOf(config: FetcherConfig, environment: NodeJS.ProcessEnv): FilePart {
  const { seedFile, codesFile } = config
  return {
    kind: BackupPartKind.FETCHER,
    release: ownVersion(),
    nowMs: Date.now(),
    files: () => filesOf(config, environment),
    secret: { name: "seed", path: seedFile },
    others: [
      { name: `${STORE}-wal`, path: `${codesFile}-wal` },
      { name: STORE, path: codesFile },
      { name: "settings.json", path: join(dirname(seedFile), "restored-settings.json") },
    ],
    next:
      "compare restored-settings.json beside the seed with this host's settings, join for certificates, start the fetcher, " +
      "and unlock it if its seed is sealed.",
    tryOut: (folder) => tryOut(join(folder, "seed"), join(folder, STORE)),
  }
}

async function* filesOf(
  { seedFile, codesFile }: FetcherConfig,
  environment: NodeJS.ProcessEnv,
): AsyncGenerator<PartFile> {
  yield await secretFile("seed", seedFile)
  yield partSettings(environment)
  for (const { suffix, bytes } of copyStore(codesFile)) yield partBytes(`${STORE}${suffix}`, bytes)
}

/** A sealed seed opens no key, so the rows of its store are not compared with their codes. */
function tryOut(seedFile: string, codesFile: string): string {
  const stored = readSeed({ seedFile })
  const hasStore = existsSync(codesFile)
  const store = hasStore ? "; its store of codes opens" : "; it has no store of codes"
  if (stored.kind === "sealed") {
    if (hasStore) openDatabase(codesFile).close()
    return `${sealedClause(stored.sealed)}${store}`
  }
  const { publicHex, codeKeys } = wiping([stored.seed], () => identityOf(stored.seed))
  if (hasStore) CodeStore.open(codesFile, codeKeys.store).close()
  return `its public keys are ${publicHex}${store}`
}
