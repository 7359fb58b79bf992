// One command for each host: every process makes its part as its own user, and the signer's host joins all of them.
import { execFileSync } from "node:child_process"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import t, { type Test } from "tap"
import { backUpApiHost, backUpSignerHost } from "../../signer/core/backup-host/host-backup.ts"
import { runAs } from "../../signer/core/backup-host/run-as.ts"
import { backUpAll, emptyHost, holderFiles, signerCommand, systemToBackUp } from "../harness/backups.ts"

const ROOT = join(import.meta.dirname, "..", "..")
const isRoot = process.getuid?.() === 0
/** Users of the installed processes: nobody's, where this test may become that. */
const OWN = [process.getuid?.() ?? 0, process.getgid?.() ?? 0] as const
const NOBODY = isRoot ? ([65_534, 65_534] as const) : OWN
const PROGRAMS = {
  signer: ["countersign-signer", "signer/operator/main.ts"],
  fetcher: ["countersign-fetcher", "signer/fetcher/main.ts"],
  api: ["countersign-node", "services/node/main.ts"],
  "auth-proxy": ["countersign-node", "services/node/main.ts"],
} as const
type Zone = keyof typeof PROGRAMS
const run = runAs(process.env["PATH"])

/** A folder of users who are not root. */
function open(...folders: string[]): void {
  for (const folder of folders) {
    mkdirSync(folder, { recursive: true })
    chmodSync(folder, 0o711)
  }
}

/** Files of a host on which these processes are installed, as `install` leaves them. `script`: what a program runs instead. */
function hostWith(
  t: Test,
  zones: readonly Zone[],
  variables: { [name: string]: string },
  { script, user = NOBODY }: { script?: string; user?: readonly [number, number] } = {},
): string {
  const root = emptyHost(t)
  open(root, join(root, "opt"))
  for (const folder of ["etc/systemd/system", "etc/countersign"])
    mkdirSync(join(root, folder), { recursive: true })
  const passwd: string[] = []
  for (const zone of zones) {
    const [program, file] = PROGRAMS[zone]
    const folder = join(root, "opt", zone)
    open(folder)
    const command = script ?? `exec ${process.execPath} ${join(ROOT, file)} "$@"`
    writeFileSync(join(folder, program), `#!/bin/sh\n${command}\n`)
    chmodSync(join(folder, program), 0o755)
    // The signer of the test runs as this user, and its command removes what it copied.
    const ids = zone === "signer" ? OWN : user
    passwd.push(`countersign-${zone}:x:${ids.join(":")}::/nonexistent:/usr/sbin/nologin`)
    writeFileSync(
      join(root, `etc/systemd/system/countersign-${zone}.service`),
      `[Service]\nUser=countersign-${zone}\nWorkingDirectory=${folder}\nEnvironment=COUNTERSIGN_DATA_DIR=/nowhere\n`,
    )
    const lines = Object.entries(variables).map(([name, value]) => `${name}="${value}"`)
    writeFileSync(join(root, `etc/countersign/${zone}.env`), `# settings\n${lines.join("\n")}\n`)
  }
  writeFileSync(join(root, "etc/passwd"), passwd.join("\n"))
  return root
}

async function start(t: Test) {
  const { system, directory, url } = await systemToBackUp(t)
  await system.createOrganization()
  const folder = emptyHost(t)
  const { key, holders } = holderFiles(folder)
  // Seed of the fetcher and key of the auth proxy.
  await backUpAll({ directory, url, holders, out: join(folder, "first") })
  const [out, parts] = [join(folder, "out"), join(folder, "parts")]
  open(folder, out, parts)
  chmodSync(holders, 0o644)
  execFileSync("chown", ["-R", NOBODY.join(":"), directory])
  return { directory, url, key, holders, out, parts }
}

t.test("C-1762: one command on each host makes its parts, and the signer's host joins all", async (t) => {
  const { directory, url, key, holders, out, parts } = await start(t)
  const variables = { COUNTERSIGN_DATA_DIR: directory, DATABASE_URL: url }
  const edge = (root: string, nowMs = Date.UTC(2026, 0, 2, 3, 4, 5)) => ({ root, nowMs })
  const apiHost = hostWith(t, ["api", "auth-proxy"], variables, { user: OWN }) // the database's socket is its user's
  const made = await backUpApiHost({ out, holders, backupId: undefined }, { ...edge(apiHost), run })
  t.strictSame(readdirSync(out), ["20260102T030405Z.parts"])
  t.match(made.lines, [/^\S+: parts of backup [0-9a-f]{32}, of api and auth-proxy$/, /--parts joins it/])
  renameSync(join(out, "20260102T030405Z.parts"), join(parts, "20260102T030405Z.parts"))
  writeFileSync(join(parts, "20260101T030405Z.parts"), "older, and not read")

  const signerHost = hostWith(t, ["signer", "fetcher"], { COUNTERSIGN_DATA_DIR: directory })
  const joined = await backUpSignerHost({ out, holders, parts }, { ...edge(signerHost), run })
  t.match(joined.json, { parts: ["signer", "database", "fetcher", "auth proxy"] })
  const file = join(out, "20260102T030405Z.backup")
  t.strictSame(
    [readdirSync(out), readdirSync(parts)],
    [["20260102T030405Z.backup"], []],
    "what was joined is gone",
  )
  t.equal(statSync(file).mode & 0o777, 0o600)
  t.equal(statSync(file).uid, process.getuid?.())
  t.match(await signerCommand(directory, "backup", "rehearse", file, "--key", key), { status: 0 })

  // Nothing came from the API's host since.
  const alone = await backUpSignerHost({ out, holders, parts }, { ...edge(signerHost, Date.UTC(2027)), run })
  t.match(alone.json, { parts: ["signer", "fetcher"] })
  t.match(alone.lines, [/./, /no part of the API's host/])
})

t.test("W134: a process of a host reaches nothing of root by the files of its part", async (t) => {
  const [folder, secret] = [emptyHost(t), join(emptyHost(t), "secret")]
  const { holders } = holderFiles(folder)
  writeFileSync(secret, "of root")
  const out = join(folder, "out")
  open(folder, out)
  chmodSync(holders, 0o644)
  const backUp = (root: string) =>
    backUpApiHost({ out, holders, backupId: "ab".repeat(16) }, { root, nowMs: 0, run })
  const printed = `echo '{"backupId":"${"ab".repeat(16)}"}'`
  const scripts: [why: string, script: string, fault: RegExp][] = [
    ["a link", `ln -s ${secret} "\${9}"; ${printed}`, /ELOOP/],
    ["a second name", `echo x > "\${9}"; ln "\${9}" "\${9}.other"; ${printed}`, /is no file of its own/],
    ["a pipe", `mkfifo "\${9}"; ${printed}`, /is no file of its own/],
    ["no file", printed, /ENOENT/],
    ["another id", `echo x > "\${9}"; echo '{"backupId":"x"}'`, /--id takes the id/],
    ["no JSON", "echo done", /JSON/],
    [
      "a fault",
      `echo '{"error":{"message":"the disk is full"}}' >&2; exit 4`,
      /^auth-proxy: the disk is full$/,
    ],
  ]
  for (const [why, script, fault] of scripts) {
    await t.rejects(backUp(hostWith(t, ["auth-proxy"], {}, { script })), { message: fault }, why)
    t.strictSame(readdirSync(out), [], `${why}: nothing is left`)
  }
  t.equal(readFileSync(secret, "utf8"), "of root")

  await t.rejects(
    backUp(hostWith(t, ["auth-proxy"], {}, { script: `mkdir "\${9}"; ${printed}` })),
    { message: /is a folder that no backup makes: look at it, and remove it/ },
    "a folder is not entered",
  )
  const left = join(out, "backup-in-progress", "auth-proxy")
  t.ok(existsSync(left))
  execFileSync("rm", ["-r", join(out, "backup-in-progress")])
  mkdirSync(left, { recursive: true })
  symlinkSync(secret, join(left, "part"))
  const good = `echo x > "\${9}"; ${printed}`
  await backUp(hostWith(t, ["auth-proxy"], {}, { script: good }))
  t.strictSame(
    readdirSync(out),
    ["19700101T000000Z.parts"],
    "what a killed command left is removed, and no link followed",
  )
  t.equal(readFileSync(secret, "utf8"), "of root")
  await t.rejects(backUp(hostWith(t, ["signer"], {})), {
    message: /neither the API nor the auth proxy is installed/,
  })
})
