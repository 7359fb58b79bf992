import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { BackupPartKind } from "../../../proto/gen/countersign/state/v1/backup_pb.ts"
import { openPart, type VerifiedArchive } from "../../core/backup/archive.ts"
import { BackupFault } from "../../core/backup/fault.ts"
import { digestOfPins, logKeyOf, ownPins } from "../../core/backup/manifest.ts"
import { partName } from "../../core/backup/part.ts"
import { readTar } from "../../core/backup/tar.ts"
import { requireContent } from "../../core/backup-files/content.ts"
import { privateKeyIn } from "../../core/backup-files/input.ts"
import {
  type ArchiveCommand,
  type ComparedArchive,
  jsonOf,
  linesOf,
  readArchive,
} from "../../core/backup-files/read-archive.ts"
import { rehearsalOf, withScratch } from "../../core/backup-files/scratch.ts"
import { counted } from "../../core/counted.ts"
import { openCheckpoint } from "../../core/log/checkpoint.ts"
import { REFUSED, StartError } from "../../core/settings/start-fault.ts"
import type { RehearsalReport } from "../../enclave/rehearsal.ts"
import { openHolderTerminal } from "../../core/seal-commands/holder-terminal.ts"
import { unlock } from "../../process/unlock-client.ts"
import type { CommandResult } from "../command-result.ts"
import { type SignerPlaces, unpackSigner } from "./restore.ts"

/** `key`: the file of a holder's private key. `unlockBy`: what opens a sealed seed; undefined: it stays sealed. */
export type RehearseCommand = {
  verb: "rehearse"
  key: string
  unlockBy: "shares" | "passphrase" | undefined
} & ArchiveCommand

const PROGRAM = join(import.meta.dirname, "..", "..", "enclave", "rehearsal.ts")
const UNLOCK_WAIT_SECONDS = 60

/**
 * Restores the signer's part into a folder of its own and starts its signer there, which nobody else reaches. It must have the keys of
 * the pins, sign with keys of wallets, and sign a checkpoint that goes on from that of the backup. Other parts are opened and read. Then
 * everything is removed, also what a killed rehearsal left.
 * @throws {BackupFault} {StartError} refused: the signer does not sign
 */
export async function rehearseBackup(
  command: RehearseCommand,
  { ledgerDirectory }: Pick<SignerPlaces, "ledgerDirectory">,
  environment: NodeJS.ProcessEnv,
): Promise<CommandResult> {
  const archive = await readArchive(command, BackupPartKind.SIGNER)
  const folder = rehearsalOf(ledgerDirectory)
  return withScratch(folder, async ({ onStop }) => {
    const others = await readOthers(archive, command)
    await unpackSigner(archive, { key: command.key, isLatest: true }, folder)
    const child = startIn(folder, archive, environment)
    onStop(() => child.kill("SIGKILL"))
    try {
      const signed = await rehearse({ archive, command, folder, child })
      return resultOf(archive, { signed, others })
    } finally {
      await end(child)
    }
  })
}

/** It has no setting but its folder, and ends with this command. */
function startIn(folder: string, { manifest }: VerifiedArchive, { PATH }: NodeJS.ProcessEnv): ChildProcess {
  return spawn(process.execPath, [...process.execArgv, PROGRAM, String(manifest.madeAtMs)], {
    env: {
      PATH,
      COUNTERSIGN_DATA_DIR: folder,
      COUNTERSIGN_SIGNER_SEED_FILE: join(folder, "root-seed"),
      COUNTERSIGN_SIGNER_LEDGER_DIRECTORY: join(folder, "ledger"),
      COUNTERSIGN_SIGNER_OPERATOR_SOCKET: socketIn(folder),
      COUNTERSIGN_SIGNER_LISTEN: `unix:${join(folder, "unused")}`,
      COUNTERSIGN_EXIT_WITH_PARENT: "1",
    },
    stdio: ["pipe", "pipe", "pipe"],
  })
}

/** Short: the system bounds paths of sockets, and the folder's own is long. */
const socketIn = (folder: string) => join(folder, "o")

type Rehearsal = { archive: VerifiedArchive; command: RehearseCommand; folder: string; child: ChildProcess }
type Signed = Extract<RehearsalReport, { is: "signed" }> & { logSize: number }

/** Undefined: the seed stayed sealed. */
async function rehearse({ archive, command, folder, child }: Rehearsal): Promise<Signed | undefined> {
  const reports = reportsOf(child)
  let report = await reports.next()
  if (report.is === "sealed") {
    if (command.unlockBy === undefined) return undefined
    await unlockIn(folder, command.unlockBy)
    report = await reports.next()
  }
  if (report.is !== "signed")
    throw refused(
      `the signer of this backup does not sign: ${report.is === "refused" ? report.sentence : report.is}`,
    )
  if (report.pins !== digestOfPins(ownPins(archive.pins)))
    throw refused("the signer of this backup has other keys than the backup's pins")
  return { ...report, logSize: sizeBeyond(archive, join(folder, "ledger", "log", "checkpoint")) }
}

const refused = (sentence: string) => new StartError(REFUSED, sentence)
const MAX_LOG = 4_000

function reportsOf(child: ChildProcess): { next(): Promise<RehearsalReport> } {
  let text = ""
  child.stderr?.on("data", (bytes: Buffer) => (text = (text + bytes.toString()).slice(-MAX_LOG)))
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]()
  return {
    async next() {
      const { value, done } = await lines.next()
      if (done !== true) return JSON.parse(value) as RehearsalReport
      await (child.exitCode === null && child.signalCode === null ? once(child, "close") : undefined)
      const [last = ""] = text.trim().split("\n").slice(-1)
      throw refused(`the signer of this backup does not start: ${last}`)
    },
  }
}

async function unlockIn(folder: string, by: "shares" | "passphrase"): Promise<void> {
  const holder = openHolderTerminal()
  try {
    const settings = { operatorSocket: socketIn(folder), unsealCommand: undefined }
    const { lines, exitStatus } = await unlock({ by, waitSeconds: UNLOCK_WAIT_SECONDS }, settings, holder)
    if (exitStatus !== undefined) throw refused(`the seed of this backup stayed sealed. ${lines.join(" ")}`)
  } finally {
    holder.close()
  }
}

/** Size of the checkpoint that the started signer signed, which must be beyond that of the backup. */
function sizeBeyond({ manifest, head }: VerifiedArchive, path: string): number {
  const opened = openCheckpoint(readFileSync(path), logKeyOf(manifest, head.origin))
  if (opened !== undefined && opened.checkpoint.size > head.size) return opened.checkpoint.size
  throw refused("the signer of this backup signed no later checkpoint")
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, "exit")
  child.kill("SIGKILL")
  await gone
}

/** A part of another host. `isOpened`: the key is of one of its holders. */
type OtherPart = { part: string; isOpened: boolean }

/** Reads each part to its end. @throws {BackupFault} for one that opens and is not whole */
async function readOthers({ parts }: VerifiedArchive, { key }: RehearseCommand): Promise<OtherPart[]> {
  const others: OtherPart[] = []
  for (const [kind, part] of parts) {
    if (kind === BackupPartKind.SIGNER) continue
    const names: string[] = []
    try {
      for await (const { name } of readTar(openPart(part, privateKeyIn(key)))) names.push(name)
      requireContent(kind, names)
      others.push({ part: partName(kind), isOpened: true })
    } catch (error) {
      if (!(error instanceof BackupFault && error.code === "BACKUP_KEY_WRONG")) throw error
      others.push({ part: partName(kind), isOpened: false })
    }
  }
  return others
}

type Found = { signed: Signed | undefined; others: readonly OtherPart[] }

function resultOf(archive: ComparedArchive, { signed, others }: Found): CommandResult {
  const lines = [sentenceOf(signed), ...others.map(sentenceOfOther), ...linesOf(archive)]
  return {
    lines: [...lines, "Everything was removed again."],
    json: {
      ...jsonOf(archive),
      signedSize: signed?.logSize,
      isSealed: signed === undefined,
      signatures: signed?.signatures,
      curves: signed?.curves,
      others,
    },
  }
}

function sentenceOf(signed: Signed | undefined): string {
  const restored = "the signer's part was restored into a folder of its own"
  if (signed === undefined)
    return `${restored}; its seed is sealed, so no key signed: --unlock takes shares, --passphrase the passphrase`
  const { signatures, curves, organizations, logSize } = signed
  const keys =
    signatures === 0
      ? `none of ${counted(organizations, "organization")} has a wallet, so no wallet's key signed`
      : `${counted(signatures, "key")} of wallets signed (${curves.join(", ")}), and each signature is that of the key's public half`
  return `${restored}; ${keys}; its signer signed a checkpoint of ${counted(logSize, "leaf", "leaves")}`
}

const sentenceOfOther = ({ part, isOpened }: OtherPart) =>
  isOpened
    ? `the ${part} part opens, and has what its restoration needs`
    : `the ${part} part was not opened: the key is of none of its holders. Rehearse with the key of one`
