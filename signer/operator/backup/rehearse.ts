import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { OperatorService } from "../../../proto/gen/countersign/signer/v1/operator_pb.ts"
import { Phase } from "../../../proto/gen/countersign/signer/v1/phase_pb.ts"
import { BackupPartKind } from "../../../proto/gen/countersign/state/v1/backup_pb.ts"
import type { VerifiedArchive } from "../../core/backup/archive.ts"
import { digestOfPins, logKeyOf } from "../../core/backup/manifest.ts"
import { type ArchiveCommand, jsonOf, linesOf, readArchive } from "../../core/backup-files/read-archive.ts"
import { openCheckpoint } from "../../core/log/checkpoint.ts"
import { REFUSED, StartError } from "../../core/settings/start-fault.ts"
import { withService } from "../../process/socket-client.ts"
import type { CommandResult } from "../command-result.ts"
import { phaseName } from "../status.ts"
import { type SignerPlaces, unpack } from "./restore.ts"

/** `key`: the file of a holder's private key. */
export type RehearseCommand = { verb: "rehearse"; key: string } & ArchiveCommand

const PROGRAM = join(import.meta.dirname, "..", "main.ts")
const START_SECONDS = 120
const POLL_MS = 50
/** A signer that ends may still write. */
const REMOVE = { recursive: true, force: true, maxRetries: 5 }

/** Beside the ledger: its disk has room for a second one, and its folder is the signer's alone. */
export const rehearsalOf = (ledgerDirectory: string): string => `${ledgerDirectory}.rehearsal-in-progress`

/**
 * Restores the signer's part into a folder of its own and starts a signer there, which nobody else reaches. It must have the keys of the
 * pins and sign a checkpoint that goes on from that of the backup. Then everything is removed, also what a killed rehearsal left.
 * @throws {BackupFault} {StartError} refused: the signer does not serve
 */
export async function rehearseBackup(
  command: RehearseCommand,
  { ledgerDirectory }: Pick<SignerPlaces, "ledgerDirectory">,
  environment: NodeJS.ProcessEnv,
): Promise<CommandResult> {
  const scratch = rehearsalOf(ledgerDirectory)
  await rm(scratch, REMOVE)
  const archive = await readArchive(command, BackupPartKind.SIGNER)
  try {
    await unpack(archive, { key: command.key, isLatest: true }, scratch)
    const child = startIn(scratch, environment)
    try {
      const found = await Promise.race([rehearse(archive, scratch), endedEarly(child)])
      return resultOf(archive, command, found)
    } finally {
      await end(child)
    }
  } finally {
    await rm(scratch, REMOVE)
  }
}

/** It has no setting but its folder, and ends with this command. */
function startIn(scratch: string, { PATH, COUNTERSIGN_PRODUCTION }: NodeJS.ProcessEnv): ChildProcess {
  return spawn(process.execPath, [...process.execArgv, PROGRAM, "serve"], {
    env: {
      PATH,
      ...(COUNTERSIGN_PRODUCTION !== undefined && { COUNTERSIGN_PRODUCTION }),
      COUNTERSIGN_DATA_DIR: scratch,
      COUNTERSIGN_SIGNER_SEED_FILE: join(scratch, "root-seed"),
      COUNTERSIGN_SIGNER_LEDGER_DIRECTORY: join(scratch, "ledger"),
      COUNTERSIGN_EXIT_WITH_PARENT: "1",
    },
    stdio: ["pipe", "ignore", "pipe"],
  })
}

const MAX_LOG = 4_000

/** Rejects when the signer ends by itself, with the last line of its log. */
async function endedEarly(child: ChildProcess): Promise<never> {
  let text = ""
  child.stderr?.on("data", (bytes: Buffer) => (text = (text + bytes.toString()).slice(-MAX_LOG)))
  await once(child, "close")
  const [line = ""] = text.trim().split("\n").slice(-1)
  throw new StartError(REFUSED, `the signer of this backup does not start: ${line}`)
}

/** Size of the checkpoint that the started signer signed; undefined: its seed is sealed. */
type Rehearsed = { signedSize: number | undefined }

async function rehearse(archive: VerifiedArchive, scratch: string): Promise<Rehearsed> {
  const socket = join(scratch, "operator", "operator.sock")
  return withService(OperatorService, socket, START_SECONDS, async ({ getStatus }) => {
    const status = await getStatus({})
    const { phase, explanation, pins } = status
    if (phase === Phase.SEALED) return { signedSize: undefined }
    if (phase !== Phase.READY)
      throw new StartError(
        REFUSED,
        `the signer of this backup does not serve: ${phaseName(status)}, ${explanation}`,
      )
    if (pins === undefined || digestOfPins(pins) !== digestOfPins(archive.pins))
      throw new StartError(REFUSED, "the signer of this backup has other keys than the backup's pins")
    return { signedSize: await signedBeyond(archive, join(scratch, "ledger", "log", "checkpoint")) }
  })
}

/** Waits for a checkpoint that is larger than that of the backup, and signed by the deployment's log. */
async function signedBeyond({ manifest, head }: VerifiedArchive, path: string): Promise<number> {
  const giveUpMs = performance.now() + START_SECONDS * 1000
  while (performance.now() < giveUpMs) {
    const opened = openCheckpoint(readFileSync(path), logKeyOf(manifest, head.origin))
    if (opened !== undefined && opened.checkpoint.size > head.size) return opened.checkpoint.size
    await pause(POLL_MS)
  }
  throw new StartError(REFUSED, "the signer of this backup signed no later checkpoint")
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, "exit")
  child.kill("SIGKILL")
  await gone
}

function resultOf(
  archive: VerifiedArchive,
  command: RehearseCommand,
  { signedSize }: Rehearsed,
): CommandResult {
  const sentence =
    signedSize === undefined
      ? "the backup was restored into a folder of its own; its seed is sealed, so no key signed: unlock a restored signer once a year"
      : `the backup was restored into a folder of its own; its signer served, and signed a checkpoint of ${signedSize} leaves`
  return {
    lines: [sentence, ...linesOf(archive, command), "Everything was removed again."],
    json: { ...jsonOf(archive), signedSize, isSealed: signedSize === undefined },
  }
}
