import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from "node:fs"
import { dirname, join } from "node:path"
import { syncDirectory } from "../ledger/files.ts"

/** The log's directory (0700) below the ledger's, so that a copy of the ledger has its log. Files are 0600. */
export function logDirectory(ledgerDirectory: string): string {
  return join(ledgerDirectory, "log")
}

/** Names of the files beside the segments. */
export const LOG_FILES = {
  /** The part of the origin that changes when an operator gives up a signed head; empty before the first time. */
  era: "era",
  /** Latest checkpoint that this signer signed, as a note. */
  checkpoint: "checkpoint",
  /** Hashes of full tiles of leaves, 32 bytes each: computed from the leaves, and kept to start faster. */
  chunks: "chunks",
  /** Numbers of decisions of organizations at the last orderly stop, whose leaf has their digest. */
  counts: "counts",
  /** Receipts of changes: id of the vote, a space and the receipt in base64, one a line. */
  receipts: "receipts",
  /** A checkpoint that was shown and that the log contradicts, as a note. */
  contradiction: "contradiction",
  /** Words about the backup from which the log was restored: until an operator accepts it, nothing is decided. */
  restored: "restored",
} as const

/** Moves a log that was left in the directory of a ledger that is created: it is of another deployment. The files are kept beside it. */
export function setAsideLog(ledgerDirectory: string): void {
  const directory = logDirectory(ledgerDirectory)
  if (!existsSync(directory)) return
  let number = 1
  while (existsSync(`${directory}-former-${number}`)) number += 1
  renameSync(directory, `${directory}-former-${number}`)
  syncDirectory(ledgerDirectory)
}

/** True for an error of a full disk, or of a quota that is used up. */
export const isNoSpace = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT")

/** Creates the directory of a new log; does nothing where there is one. */
export function makeLogDirectory(directory: string, era: string): void {
  if (existsSync(join(directory, LOG_FILES.era))) return
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  replaceFile(join(directory, LOG_FILES.era), Buffer.from(era))
  syncDirectory(dirname(directory))
}

/** The era of the log in a directory. */
export function readEra(directory: string): string {
  return readOptional(join(directory, LOG_FILES.era))?.toString() ?? ""
}

/** Replaces a file at once: after a crash of the process or the host it has the old or the new content. */
export function replaceFile(file: string, content: Uint8Array): void {
  exchange(file, content, fsyncSync)
  syncDirectory(dirname(file))
}

/** As `replaceFile`, without a sync: after a crash of the host the file may have an earlier content, or none. */
export function replaceUnsynced(file: string, content: Uint8Array): void {
  exchange(file, content, () => {})
}

function exchange(file: string, content: Uint8Array, sync: (descriptor: number) => void): void {
  const next = `${file}.next`
  const descriptor = openSync(next, "w", 0o600)
  try {
    for (let at = 0; at < content.length; ) at += writeSync(descriptor, content, at)
    sync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(next, file)
}

/** The content of a file; undefined where there is none. */
export function readOptional(file: string): Buffer | undefined {
  return existsSync(file) ? readFileSync(file) : undefined
}
