import { readJsonObject } from "../../../proto/strict-json.ts"

/** Commands that call no signer and change its files. */
const NOTED_COMMANDS = [
  "accept-seal",
  "backup restore",
  "ceremony",
  "certificate",
  "change-daily",
  "change-holders",
  "change-shares",
  "change-witnesses",
  "export-authority",
  "init",
  "leave-production",
  "pair",
  "revoke",
] as const

export type NotedCommand = (typeof NOTED_COMMANDS)[number]

/**
 * Word of a command about itself. `outcome`: "begun", "done", "failed" or a stable code. `subject`: a name of a process, a serial number or
 * the id of a backup.
 */
export type CommandNote = {
  readonly command: NotedCommand
  readonly outcome: string
  readonly atMs: number
  readonly subject?: string
}

/** Nothing but words, numbers and names of processes: whoever writes files there chooses no text of the stream. */
const WORD = /^[\w.:-]{1,100}$/

export function writeNote(note: CommandNote): string {
  return `${JSON.stringify(note)}\n`
}

/** The note in a file; undefined: it has none. */
export function readNote(text: string): CommandNote | undefined {
  const members = objectOf(text.trimEnd())
  const command = NOTED_COMMANDS.find((name) => name === members?.["command"])
  const { outcome, atMs, subject } = members ?? {}
  if (command === undefined || !isWord(outcome) || !(subject === undefined || isWord(subject)))
    return undefined
  if (typeof atMs !== "number" || !Number.isSafeInteger(atMs) || atMs < 0 || atMs > MAX_TIME) return undefined
  return { command, outcome, atMs, ...(subject !== undefined && { subject }) }
}

/** The last time that dates of the language have. */
const MAX_TIME = 8.64e15

function isWord(value: unknown): value is string {
  return typeof value === "string" && WORD.test(value)
}

function objectOf(text: string) {
  try {
    return readJsonObject(text, (reason) => new Error(reason))
  } catch {
    return undefined
  }
}
