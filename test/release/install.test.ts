// Installing a release on a host: users, folders, settings and units, from archives alone.
import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { install } from "../../signer/core/install/install.ts"
import { hostAt, readText } from "../../signer/core/install/host.ts"
import { runCommandLine } from "../harness/commands.ts"
import { casesOf } from "../harness/long.ts"
import { hasProgram, sharedRelease, temporaryFolder, unpack } from "../harness/release.ts"

const folder = temporaryFolder(t, "install")
const { checkout, out } = sharedRelease()

/** Unpacks the archive of a zone into a folder of a host. */
const unpacked = (zone: string, host: string) => unpack(out, join(host, "opt"), zone)

const skip =
  process.getuid?.() !== 0
    ? "not run: needs root"
    : hasProgram("useradd", "--help")
      ? false
      : "not run: no useradd"

t.test(
  "install makes user, folder, settings and unit, and a second run changes nothing",
  { skip },
  async (t) => {
    const host = join(folder, "host")
    mkdirSync(join(host, "etc"), { recursive: true })
    for (const name of ["passwd", "group", "shadow"]) writeFileSync(join(host, "etc", name), "")
    // The signer is installed in the test of `audit install` too.
    for (const [zone, program, ...words] of casesOf(1, [
      ["worker", "countersign-node", "install", "worker"],
      ["signer", "countersign-signer", "install"],
    ] as const)) {
      const top = unpacked(zone, host)
      const run = () => {
        const env = { PATH: process.env["PATH"] }
        return spawnSync(join(top, program), [...words, "--root", host], { env, encoding: "utf8" })
      }
      const first = run()
      t.equal(first.status, 0, first.stderr)
      t.match(
        first.stdout,
        new RegExp(
          `made user countersign-${zone}\\n.*\\n.*\\nnext: settings in /etc/countersign/${zone}.env`,
        ),
      )
      const at = (path: string) => statSync(join(host, path))
      const [, , user] =
        readFileSync(join(host, "etc/passwd"), "utf8")
          .split("\n")
          .find((line) => line.startsWith(`countersign-${zone}:`))
          ?.split(":") ?? []
      t.equal(at(`var/lib/countersign-${zone}`).mode & 0o777, 0o700)
      t.equal(at(`var/lib/countersign-${zone}`).uid, Number(user))
      t.equal(at(`etc/countersign/${zone}.env`).mode & 0o777, 0o600)
      t.equal(at(`etc/countersign/${zone}.env`).uid, 0)
      const unit = readFileSync(join(host, `etc/systemd/system/countersign-${zone}.service`), "utf8")
      t.match(unit, `ExecStart=${top}/bin/node --disable-sigusr1 `)
      t.match(unit, `WorkingDirectory=${top}\n`)
      t.notMatch(unit, "/opt/countersign/")
      writeFileSync(join(host, `etc/countersign/${zone}.env`), "COUNTERSIGN_LOG_LEVEL=info\n")
      t.match(run().stdout, /^nothing changed: this release is installed\n/)
      t.equal(readFileSync(join(host, `etc/countersign/${zone}.env`), "utf8"), "COUNTERSIGN_LOG_LEVEL=info\n")
    }
  },
)

t.test("what is no release installs nothing, and says what to do", async (t) => {
  const environment = { PATH: process.env["PATH"], COUNTERSIGN_DATA_DIR: join(folder, "data") }
  for (const [program, ...words] of [
    ["signer/operator/main.ts", "install"],
    ["signer/fetcher/main.ts", "install"],
    ["signer/witness/main.ts", "install"],
    ["services/node/main.ts", "install", "api"],
  ] as const) {
    const line = { program, words: [...words, "--root", join(folder, "nowhere")], environment, input: "" }
    const { status, log } = await runCommandLine(line)
    t.equal(status, 2, log)
    t.match(log, /is no unpacked release: unpack an archive of a release, and run install there/)
  }
  t.notOk(existsSync(join(folder, "nowhere")))
  const top = unpacked("worker", join(folder, "other"))
  const { status, stderr } = spawnSync(
    join(top, "countersign-node"),
    ["install", "api", "--root", join(folder, "nowhere")],
    { encoding: "utf8" },
  )
  t.equal(status, 2)
  t.match(stderr, /this archive has no unit of api: run install from the archive of api/)
  const odd = "/opt/with space"
  t.throws(
    () => install({ zone: "api", folder: odd }, () => "", hostAt("/")),
    /unpack the release where the path has letters/,
  )
})

t.test(
  "C-1793: audit install makes a folder that the signer writes and the sender's group reads, and the sender's unit",
  { skip },
  async (t) => {
    const host = join(folder, "with-sender")
    mkdirSync(join(host, "etc"), { recursive: true })
    for (const name of ["passwd", "group", "shadow"]) writeFileSync(join(host, "etc", name), "")
    const top = unpacked("signer", host)
    const run = (...words: string[]) => {
      const env = { PATH: process.env["PATH"] }
      return spawnSync(join(top, "countersign-signer"), [...words, "--root", host], { env, encoding: "utf8" })
    }
    t.match(run("audit", "install"), { status: 2, stderr: /no user countersign-signer .*run install first/ })
    t.equal(run("install").status, 0)
    t.match(run("audit", "install"), {
      status: 0,
      stdout:
        /made user countersign-audit-sender\n.*\n.*\nnext: settings in .*audit-sender.env, then: .*--now countersign-audit-sender\.service/,
    })
    const records = statSync(join(host, "var/lib/countersign-audit"))
    const id = (file: string, name: string) =>
      Number(new RegExp(`^${name}:x?:?(?:[^:]*:)??(\\d+):`, "m").exec(readText(join(host, file)) ?? "")?.[1])
    t.equal(records.mode & 0o7777, 0o2750, "files there have its group")
    t.equal(records.uid, id("etc/passwd", "countersign-signer"))
    t.equal(records.gid, id("etc/group", "countersign-audit-sender"))
    t.not(records.uid, statSync(join(host, "var/lib/countersign-audit-sender")).uid)
    const unit = readText(join(host, "etc/systemd/system/countersign-audit-sender.service")) ?? ""
    t.match(unit, `ExecStart=${top}/bin/node --disable-sigusr1 signer/operator/main.ts audit send `)
    t.match(run("audit", "install").stdout, /^nothing changed: this release is installed\n/)
  },
)

t.test("every archive of a process has its unit", async (t) => {
  const words = ["ls-files", "examples/systemd"]
  const units = execFileSync("git", words, { cwd: checkout, encoding: "utf8" }).trim().split("\n")
  t.strictSame(
    units
      .filter((path) => path.endsWith(".service"))
      .map((path) => path.replace(/^.*countersign-(.*)\.service$/, "$1")),
    ["api", "audit-sender", "auth-proxy", "dashboard", "fetcher", "signer", "witness", "worker"],
  )
})
