// Notes of commands that call no signer: left beside the audit stream, recorded in it once, and never believed beyond their form.
import fs, {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import t from "tap"
import { type CommandNote, readNote, writeNote } from "../../../../signer/core/audit/note.ts"
import type { CommandResult } from "../../../../signer/operator/command-result.ts"
import { checkAuditFolder } from "../../../../signer/operator/audit/check.ts"
import { noted } from "../../../../signer/operator/audit/noted.ts"
import { leaveNote } from "../../../../signer/process/audit-notes.ts"
import { auditStream, recordsIn } from "../../../harness/audited.ts"

/** The user id of nobody on Linux. */
const NOBODY = 65_534

const note: CommandNote = { command: "revoke", outcome: "done", atMs: 1_800_000_000_000, subject: "api" }
const commandsIn = (directory: string) => recordsIn(directory).filter(({ kind }) => kind === "command")
const notesLeft = (directory: string) => readdirSync(directory).filter((name) => name.startsWith("command-"))

t.test(
  "W153: a note that a command left is a record of the next start or second, and is removed then",
  async (t) => {
    const directory = t.testdir()
    leaveNote(directory, { ...note, outcome: "begun", atMs: note.atMs - 1 })
    leaveNote(directory, note)
    const stream = auditStream(directory)
    stream.start()
    t.match(commandsIn(directory), [
      { command: "revoke", outcome: "begun", at: "2027-01-15T07:59:59.999Z", subject: "api", number: 2 },
      { command: "revoke", outcome: "done", at: "2027-01-15T08:00:00.000Z", subject: "api", number: 3 },
    ])
    t.strictSame(notesLeft(directory), [])
    leaveNote(directory, { command: "change-shares", outcome: "done", atMs: 0 })
    stream.tick(() => undefined)
    t.match(commandsIn(directory)[2], { command: "change-shares", outcome: "done" })
    stream.tick(() => undefined)
    t.equal(commandsIn(directory).length, 3, "once")
  },
)

t.test("W153: files of another content add no text to the stream, and are recorded as unknown", async (t) => {
  const directory = t.testdir()
  const name = (at: number) =>
    join(directory, `command-${String(at).padStart(15, "0")}-0000-${"0".repeat(16)}.json`)
  const whole = JSON.parse(writeNote(note)) as object
  const contents = [
    "no note",
    "x".repeat(1_000_000),
    JSON.stringify({ ...whole, command: "sign everything" }),
    JSON.stringify({ ...whole, subject: "a sentence of the attacker" }),
    JSON.stringify({ ...whole, outcome: "done\nforged" }),
    JSON.stringify({ ...whole, atMs: 9e15 }),
  ]
  contents.forEach((text, at) => writeFileSync(name(at), text))
  symlinkSync("/etc/passwd", name(100))
  mkdirSync(name(101))
  const stream = auditStream(directory)
  stream.start()
  const unknown = { command: "unknown", outcome: "unknown", at: undefined, subject: undefined }
  t.match(
    commandsIn(directory),
    Array.from({ length: contents.length + 2 }, () => unknown),
  )
  t.notMatch(JSON.stringify(recordsIn(directory)), /attacker|forged|everything/)
  t.strictSame(notesLeft(directory), [])
  t.strictSame(readNote(writeNote(note)), note)
})

t.test("W153: a note that the signer's user cannot read holds up none after it", async (t) => {
  const directory = mkdtempSync(join(tmpdir(), "notes-"))
  t.teardown(() => rmSync(directory, { recursive: true }))
  leaveNote(directory, { ...note, atMs: 0 })
  leaveNote(directory, note)
  const [first = ""] = notesLeft(directory).toSorted()
  chmodSync(join(directory, first), 0)
  const isRoot = process.geteuid!() === 0
  if (isRoot) {
    // Root reads every file, so the signer's user is another one.
    for (const path of [directory, join(directory, notesLeft(directory).find((name) => name !== first)!)])
      chownSync(path, NOBODY, NOBODY)
    process.seteuid!(NOBODY)
  }
  try {
    auditStream(directory).start()
  } finally {
    if (isRoot) process.seteuid!(0)
  }
  t.match(commandsIn(directory), [{ command: "unknown" }, { command: "revoke", outcome: "done" }])
  t.strictSame(notesLeft(directory), [])
})

t.test("C-1850: what a killed command left of a note is removed once it is an hour old", async (t) => {
  const directory = t.testdir()
  leaveNote(directory, note)
  const [name = ""] = notesLeft(directory)
  const hourMs = 3_600_000
  const unfinished = (at: number, ageMs: number) => {
    const path = join(directory, `command-${String(at).padStart(15, "0")}-0000-${"0".repeat(16)}.json.new`)
    writeFileSync(path, "{")
    const seconds = (1_800_000_000_000 - ageMs) / 1000
    utimesSync(path, seconds, seconds)
    return path
  }
  const old = unfinished(1, hourMs + 1000)
  const young = unfinished(2, hourMs - 1000)
  writeFileSync(join(directory, "other.new"), "")
  auditStream(directory).start()
  t.strictSame([old, young, join(directory, name)].map(existsSync), [false, true, false])
  t.ok(existsSync(join(directory, "other.new")), "a file of another name is not the stream's")
  t.match(commandsIn(directory), [{ command: "revoke" }], "an unfinished note is no record")
})

t.test("a note that cannot be written whole leaves no part of itself", async (t) => {
  const directory = t.testdir()
  // The text is made after the file: this stands for a full disk.
  const failing = {
    ...note,
    atMs: 0,
    get outcome(): string {
      throw new Error("full")
    },
  }
  t.throws(() => leaveNote(directory, failing), { message: "full" })
  t.strictSame(notesLeft(directory), [])
})

t.test(
  "W153: ten notes are taken in a second, and a fault of the disk holds them up for a minute",
  async (t) => {
    const directory = t.testdir()
    const faults: unknown[] = []
    let monotonicMs = 0
    const stream = auditStream(directory, {
      monotonicMs: () => monotonicMs,
      onFault: (error) => faults.push(error),
    })
    for (let at = 0; at < 15; at += 1) leaveNote(directory, { ...note, atMs: at })
    stream.start()
    t.equal(commandsIn(directory).length, 10)
    const second = () => {
      monotonicMs += 1000
      stream.tick(() => undefined)
      return commandsIn(directory).length
    }
    t.equal(second(), 15)
    t.equal(second(), 15)

    for (const call of ["readdirSync", "rmSync"] as const) {
      const before = commandsIn(directory).length
      leaveNote(directory, note)
      leaveNote(directory, note)
      const isRecorded = call === "rmSync"
      const broken = t.capture(fs, call, () => {
        throw Object.assign(new Error("EMFILE"), { code: "EMFILE" })
      })
      syncBuiltinESMExports()
      monotonicMs += 1000
      stream.tick(() => undefined)
      broken.restore()
      syncBuiltinESMExports()
      t.match(faults, [{ code: "EMFILE" }], call)
      t.equal(second(), before + (isRecorded ? 1 : 0), "no disk is asked each second while it fails")
      monotonicMs += 60_000
      t.equal(second(), before + 2, "each note is one record")
      t.strictSame(notesLeft(directory), [])
      t.match(faults.splice(0), [{ code: "EMFILE" }, undefined])
    }
  },
)

t.test(
  "C-1850: where there is a ledger and no stream, a command says that it leaves no record",
  async (t) => {
    const home = t.testdir({ signer: {} })
    const environment = { COUNTERSIGN_DATA_DIR: home }
    const said = t.capture(process.stderr, "write", () => true)
    const run = () =>
      noted({ command: "revoke" }, environment, () => Promise.resolve({ lines: [], json: {} }))
    await run()
    t.strictSame(said(), [], "a machine without a signer's files has no stream yet")
    mkdirSync(join(home, "signer", "ledger"))
    await run()
    t.match(
      String(said()[0]?.args[0]),
      /no record of this command is left: .*signer\/audit.*COUNTERSIGN_SIGNER_AUDIT_DIRECTORY/,
    )
    t.notOk(existsSync(join(home, "signer", "audit")), "the signer makes its folder as its own user")
  },
)

t.test(
  "C-1792: a command that cannot leave its note does nothing, unless the settings let acts go on",
  async (t) => {
    const directory = join(t.testdir(), "audit")
    const environment = { COUNTERSIGN_DATA_DIR: "/nowhere", COUNTERSIGN_SIGNER_AUDIT_DIRECTORY: directory }
    const done: string[] = []
    const run = (more: NodeJS.ProcessEnv = {}, result: Partial<CommandResult> = {}) =>
      noted({ command: "certificate" }, { ...environment, ...more }, async () => {
        done.push("done")
        return { lines: [], json: {}, ...result }
      })
    await run()
    t.strictSame(done, ["done"], "before the first start there is no stream")
    // A file in its place takes no note, whoever runs the test.
    writeFileSync(directory, "")
    await t.rejects(run(), { code: "AUDIT_UNWRITABLE", message: /ENOTDIR.*nothing was done/ })
    t.strictSame(done, ["done"])
    await run({ COUNTERSIGN_SIGNER_AUDIT_WHEN_FULL: "continue" })
    t.strictSame(done, ["done", "done"])

    const other = t.testdir({ audit: {} })
    const there = { COUNTERSIGN_SIGNER_AUDIT_DIRECTORY: join(other, "audit") }
    await run(there)
    await run(there, { exitStatus: 3 })
    const failing = noted({ command: "pair" }, { ...environment, ...there }, () =>
      Promise.reject(new Error("x")),
    )
    await t.rejects(failing, { message: "x" })
    auditStream(join(other, "audit")).start()
    t.strictSame(
      commandsIn(join(other, "audit")).map(({ command, outcome }) => `${String(command)} ${String(outcome)}`),
      ["begun", "done", "begun", "failed"]
        .map((outcome) => `certificate ${outcome}`)
        .concat("pair begun", "pair failed"),
    )
  },
)

t.test("doctor names a folder of the stream that others can write or read", async (t) => {
  const directory = t.testdir()
  t.match(checkAuditFolder(join(directory, "none")), { state: "ok", sentence: /is made at the first start/ })
  chmodSync(directory, 0o2750)
  t.match(checkAuditFolder(directory), { state: "ok", sentence: /has no record yet/ })
  auditStream(directory).start()
  t.match(checkAuditFolder(directory), { state: "ok", sentence: /^1 record up to 20.*, in 1 file of / })
  for (const mode of [0o2770, 0o755, 0o2751]) {
    chmodSync(directory, mode)
    t.match(checkAuditFolder(directory), { state: "FAULT", sentence: /chmod g-w,o= / }, mode.toString(8))
  }
  chmodSync(directory, 0o750)
  writeFileSync(join(directory, "audit-00000002.jsonl"), "no record\n")
  t.match(checkAuditFolder(directory), { state: "FAULT", sentence: /is no record/ })
})
