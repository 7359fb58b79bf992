// Every command that reads a backup, with every fault of one: the fault is named with the way out, and nothing is left or changed.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import t, { type Test } from "tap"
import { createPart } from "../../services/api/backup/create-part.ts"
import { rehearsePart, restorePart } from "../../services/api/backup/restore-part.ts"
import { isEmptySchema } from "../../services/api/store/schema.ts"
import { partOf } from "../../services/auth-proxy/backup-part.ts"
import { readAuthProxyConfig } from "../../services/auth-proxy/config.ts"
import { BackupPartKind } from "../../proto/gen/countersign/state/v1/backup_pb.ts"
import { PinsSchema } from "../../proto/gen/countersign/state/v1/setup_pb.ts"
import { toJsonString } from "@bufbuild/protobuf"
import { publicHexOf } from "../../signer/core/backup/keys.ts"
import { runFilePart } from "../../signer/core/backup-files/file-part.ts"
import type { RestorePart } from "../../signer/core/backup-files/part-options.ts"
import { readConfig } from "../../signer/enclave/config.ts"
import { runBackup as runFetcher } from "../../signer/fetcher/backup.ts"
import { createBackup } from "../../signer/operator/backup/create.ts"
import { rehearseBackup } from "../../signer/operator/backup/rehearse.ts"
import { restoreBackup } from "../../signer/operator/backup/restore.ts"
import { verifyBackup } from "../../signer/operator/backup/verify.ts"
import { emptyHost } from "../harness/backups.ts"
import { freshDatabase } from "../harness/database.ts"
import { deployment, holder, part } from "../signer/core/backup/parts.ts"

const KINDS = {
  signer: BackupPartKind.SIGNER,
  database: BackupPartKind.DATABASE,
  fetcher: BackupPartKind.FETCHER,
  "auth proxy": BackupPartKind.AUTH_PROXY,
} as const
type Part = keyof typeof KINDS
const PARTS = Object.keys(KINDS) as Part[]
const ID = "ab".repeat(16)
const own = deployment()

type Sections = { [name in Part]: Buffer }

/** Parts that have none of the files that they need. */
async function sectionsOf(id = ID): Promise<Sections> {
  const made = PARTS.map(async (name) => [
    name,
    await part(id, KINDS[name], { other: Buffer.alloc(300_000, 7) }),
  ])
  return Object.fromEntries(await Promise.all(made)) as Sections
}

const manifestOf = (of: typeof own, sections: Sections, id = ID) =>
  of.manifest(
    id,
    PARTS.map((name) => [KINDS[name], sections[name]]),
  )

/** The faults of a backup, as a command for `name` meets them: bytes of its files, and options beside the usual ones. */
async function faultsOf(name: Part, at: (file: string) => string) {
  const sections = await sectionsOf()
  const manifest = manifestOf(own, sections)
  const bytes = sections[name]
  const others = PARTS.filter((other) => other !== name).map((other) => sections[other])
  const whole = [...others, bytes, manifest]
  const edited = Buffer.from(bytes)
  edited[bytes.length - 100]! ^= 1
  const later = Buffer.from(bytes)
  later.write("2", bytes.indexOf("/1\n") + 1)
  writeFileSync(at("older"), own.headOf(9))
  writeFileSync(at("foreign-head"), deployment(2).headOf(9))
  writeFileSync(at("foreign-pins"), toJsonString(PinsSchema, deployment(2).pins))
  writeFileSync(at("other.key"), "5ca1ab1f".repeat(8))
  const again = await sectionsOf()
  const another = await sectionsOf("cd".repeat(16))
  const faults: [code: string, why: string, files: Buffer[], options?: Partial<RestorePart>][] = [
    ["BACKUP_TORN", "cut within the part", [...others, manifest, bytes.subarray(0, -50)]],
    ["BACKUP_TORN", "empty", [Buffer.alloc(0)]],
    ["BACKUP_EDITED", "a byte of the part", [...others, edited, manifest]],
    ["BACKUP_EDITED", "the part made again", [...others, again[name], manifest]],
    ["BACKUP_EDITED", "no backup at all", [Buffer.from("-----BEGIN PGP MESSAGE-----\n")]],
    ["BACKUP_FOREIGN", "pins of another deployment", whole, { pins: at("foreign-pins") }],
    ["BACKUP_FOREIGN", "head of another deployment", whole, { head: at("foreign-head") }],
    ["BACKUP_MIXED", "the part of another backup", [...others, another[name], manifest]],
    ["BACKUP_MIXED", "the part twice", [...whole, bytes]],
    ["BACKUP_INCOMPLETE", "without the part", [...others, manifest]],
    ["BACKUP_INCOMPLETE", "without manifest", [...others, bytes]],
    ["BACKUP_OLDER", "a later head is known", whole, { head: at("older") }],
    ["BACKUP_FORMAT_UNKNOWN", "of a later release", [...others, later, manifest]],
  ]
  const opened: typeof faults = [
    ["BACKUP_KEY_WRONG", "key of nobody", whole, { key: at("other.key") }],
    ["BACKUP_EDITED", "signed, without a file that it needs", whole],
  ]
  return { faults, opened }
}

/** Commands that open the part. Each runs on a host that is a folder without anything. */
async function commandsOf(t: Test, name: Part, host: string) {
  const environment = { COUNTERSIGN_DATA_DIR: host }
  const words = ({ files, key, pins, head }: RestorePart) => [
    ...files,
    ...Object.entries({ key, pins, head }).flatMap(([option, value]) =>
      value === undefined ? [] : [`--${option}`, value],
    ),
  ]
  switch (name) {
    case "signer": {
      const config = readConfig(environment)
      return {
        restore: (part: RestorePart) => restoreBackup({ verb: "restore", isLatest: false, ...part }, config),
        rehearse: (part: RestorePart) =>
          rehearseBackup({ verb: "rehearse", unlockBy: undefined, ...part }, config, environment),
      }
    }
    case "database": {
      const { sql } = await freshDatabase(t, { migrated: false })
      const judged = async (work: Promise<unknown>) => {
        try {
          await work
        } finally {
          t.ok(await isEmptySchema(sql), "the database stays empty")
        }
      }
      return {
        restore: (part: RestorePart) => judged(restorePart(sql, part, join(host, "exports"))),
        rehearse: (part: RestorePart) => judged(rehearsePart(sql, part)),
      }
    }
    case "fetcher":
      return {
        restore: (part: RestorePart) => runFetcher(["restore", ...words(part)], environment),
        rehearse: (part: RestorePart) => runFetcher(["rehearse", ...words(part)], environment),
      }
    default: {
      const config = readAuthProxyConfig(environment)
      const run = (verb: string) => (part: RestorePart) =>
        runFilePart({ program: "p", command: "backup", words: [verb, ...words(part)] }, () => partOf(config))
      return { restore: run("restore"), rehearse: run("rehearse") }
    }
  }
}

/** Files, and folders of commands that did not end; an empty folder is no state. */
const stateIn = (host: string) =>
  readdirSync(host, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory() || entry.name.includes("-in-progress"))
    .map(({ name }) => name)

for (const name of PARTS)
  t.test(
    `W133: each fault of a backup is named to those who use its ${name} part, and nothing is changed`,
    async (t) => {
      const folder = t.testdir()
      const at = (file: string) => join(folder, file)
      const key = at("holder.pem")
      writeFileSync(key, holder.export({ format: "pem", type: "pkcs8" }))
      const { faults, opened } = await faultsOf(name, at)
      const host = emptyHost(t)
      const commands = {
        ...(await commandsOf(t, name, host)),
        verify: ({ files, pins, head }: RestorePart) => verifyBackup({ verb: "verify", files, pins, head }),
      }
      for (const [verb, run] of Object.entries(commands))
        for (const [code, why, bytes, options] of verb === "verify" ? faults : [...faults, ...opened]) {
          writeFileSync(at("backup"), Buffer.concat(bytes))
          const part = { files: [at("backup")], key, pins: undefined, head: undefined, ...options }
          // The reason in one sentence, and what to do in another.
          const message = new RegExp(`^${code}: [^]+[.:] [A-Za-z]`)
          await t.rejects(Promise.resolve(run(part)), { code, message }, `${verb}: ${why}`)
          t.strictSame(stateIn(host), [], `${verb}: ${why}: nothing is left`)
        }
    },
  )

/** Commands that make a part, with their words after `create`. Signer and database have no process here. */
async function makersOf(t: Test, host: string) {
  const environment = { COUNTERSIGN_DATA_DIR: host }
  const { sql } = await freshDatabase(t)
  const config = readConfig(environment)
  const proxy = readAuthProxyConfig(environment)
  type Words = { out: string; holders: string; others?: readonly string[] }
  const words = ({ out, holders }: Words) => ["create", "--out", out, "--to", holders]
  const terms = { program: "p", command: "backup" }
  const create = (holders: string | undefined, { out, others = [] }: Words) =>
    createBackup({ verb: "create", out, holders, others, waitSeconds: 0 }, config, environment)
  return {
    signer: (given: Words) => create(given.holders, given),
    "signer for the holders of its seed": (given: Words) => create(undefined, given),
    database: ({ out, holders }: Words) =>
      createPart(sql, { out, holders, backupId: ID }, join(host, "exports")),
    fetcher: (given: Words) => runFetcher(words(given), environment),
    "auth proxy": (given: Words) => runFilePart({ ...terms, words: words(given) }, () => partOf(proxy)),
  }
}

t.test(
  "W133: each fault of what a part or backup is made of is named by create, and nothing is written",
  async (t) => {
    const folder = t.testdir()
    const at = (file: string) => join(folder, file)
    const make = await makersOf(t, emptyHost(t))
    writeFileSync(at("holders"), `${publicHexOf(holder)}\n`)
    const { fetcher, database } = await sectionsOf()
    const later = Buffer.from(fetcher)
    later.write("2", later.indexOf("/1\n") + 1)
    const parts: [code: string, why: string, ...files: Buffer[]][] = [
      ["BACKUP_TORN", "a part that was cut", fetcher.subarray(0, -50)],
      ["BACKUP_TORN", "an empty file", Buffer.alloc(0)],
      ["BACKUP_EDITED", "no part at all", Buffer.from("-----BEGIN PGP MESSAGE-----\n")],
      ["BACKUP_MIXED", "a part of another backup", fetcher, (await sectionsOf("cd".repeat(16))).database],
      ["BACKUP_MIXED", "a part twice", fetcher, (await sectionsOf()).fetcher],
      ["BACKUP_MIXED", "a signer's part, which this command makes itself", (await sectionsOf()).signer],
      ["BACKUP_FORMAT_UNKNOWN", "a part of a later release", later, database],
    ]
    const out = at("out")
    // The reason in one sentence, and what to do in another.
    const named = (code: string) => ({ message: new RegExp(`${code}[^]*[.:;,] [A-Za-z]`) })
    const fails = async (why: string, work: () => Promise<unknown>, code: string) => {
      const kept = existsSync(out) ? readFileSync(out, "utf8") : undefined
      await t.rejects(Promise.resolve().then(work), named(code), why)
      const left = readdirSync(folder).filter((name) => name.startsWith("out"))
      t.strictSame(left, kept === undefined ? [] : ["out"], `${why}: nothing is written`)
      if (kept !== undefined) t.equal(readFileSync(out, "utf8"), kept)
    }
    for (const [code, why, ...files] of parts) {
      const others = files.map((bytes, number) => {
        writeFileSync(at(`part-${number}`), bytes)
        return at(`part-${number}`)
      })
      await fails(`signer: ${why}`, () => make.signer({ out, holders: at("holders"), others }), `^${code}: `)
    }
    const missing = { out, holders: at("holders"), others: [at("none")] }
    await fails(
      "signer: a part that is not there",
      () => make.signer(missing),
      "none: the file cannot be read .ENOENT",
    )
    writeFileSync(at("garbage"), "no key\n")
    writeFileSync(at("nobody"), "# nobody\n")
    writeFileSync(at("secret"), holder.export({ format: "pem", type: "pkcs8" }))
    const { "signer for the holders of its seed": ofSeed, ...makers } = make
    await fails("signer: no seed", () => ofSeed({ out, holders: "" }), "root-seed: the file cannot be read")
    for (const [name, run] of Object.entries(makers)) {
      for (const file of ["none", "garbage", "nobody", "secret"])
        await fails(
          `${name}: holders of ${file}`,
          () => run({ out, holders: at(file) }),
          `^--to ${at(file)}: `,
        )
      const holders = at("holders")
      const fault = name === "signer" ? "operator.sock" : "the file cannot be read"
      if (name !== "database") await fails(`${name}: no state`, () => run({ out, holders }), fault)
      if (name === "signer") continue
      await fails(
        `${name}: no folder`,
        () => run({ out: at("out/of/place"), holders }),
        "the file cannot be made",
      )
    }
    writeFileSync(out, "kept")
    for (const [name, run] of Object.entries(makers))
      if (name !== "signer")
        await fails(
          `${name}: the file is there`,
          () => run({ out, holders: at("holders") }),
          "exists already",
        )
  },
)
