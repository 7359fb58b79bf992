// Installing a release on a host: users, folders, settings and units, from archives alone.
import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { buildRelease } from "../../scripts/release/build.ts"
import { install } from "../../signer/core/install/install.ts"
import { hostAt as servicesHostAt } from "../../services/node/host.ts"
import { hostAt, readText } from "../../signer/process/host.ts"
import { ROOT } from "../architecture/sources.ts"
import { hasProgram, newCheckout, SMALL_NODE, temporaryFolder, unpack } from "../harness/release.ts"
import { runProgram } from "../services/cli/dev-process.ts"

const folder = temporaryFolder(t, "install")
const checkout = newCheckout(join(folder, "checkout"))

/** Unpacks the archive of a zone into a folder of a host. */
function unpacked(zone: string, host: string): string {
  const out = join(folder, `out-${zone}`)
  if (!existsSync(out)) buildRelease({ root: checkout, out, zones: [zone], images: false, node: SMALL_NODE })
  return unpack(out, join(host, "opt"))
}

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
    for (const [zone, program, ...words] of [
      ["signer", "countersign-signer", "install"],
      ["worker", "countersign-node", "install", "worker"],
    ] as const) {
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
  const data = join(folder, "data")
  for (const [file, ...words] of [
    ["signer/operator/main.ts", "install"],
    ["signer/fetcher/main.ts", "install"],
    ["signer/witness/main.ts", "install"],
    ["services/node/main.ts", "install", "api"],
  ] as const) {
    const { status, log } = await runProgram(data, file, ...words, "--root", join(folder, "nowhere"))
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

t.test("both tiers write a host alike", async (t) => {
  const written = [hostAt, servicesHostAt].map((at, index) => {
    const root = join(folder, `alike-${index}`)
    const host = at(root)
    host.makeFolder("/etc/countersign", 0o755)
    host.write("/etc/countersign/x.env", "A=1\n", 0o600)
    t.equal(host.read("/etc/none"), undefined)
    return [host.read("/etc/countersign/x.env"), statSync(join(root, "etc/countersign/x.env")).mode & 0o777]
  })
  t.strictSame(written[0], written[1])
  t.equal(readText(join(ROOT, "nowhere")), undefined)
})

t.test("every archive of a process has its unit", async (t) => {
  const words = ["ls-files", "examples/systemd"]
  const units = execFileSync("git", words, { cwd: checkout, encoding: "utf8" }).trim().split("\n")
  t.strictSame(
    units
      .filter((path) => path.endsWith(".service"))
      .map((path) => path.replace(/^.*countersign-(.*)\.service$/, "$1")),
    ["api", "auth-proxy", "dashboard", "fetcher", "signer", "witness", "worker"],
  )
})
