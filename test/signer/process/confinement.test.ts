// Processes of the signer's host in a sandbox as their units describe it: what an intruder in them would try is refused.
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { ROOT } from "../../architecture/sources.ts"
import { hasProgram, temporaryFolder } from "../../harness/release.ts"

const skip = hasProgram("bwrap") ? false : "not run: no bwrap"
const ATTEMPTS = ["connect", "write", "spawn", "ptrace", "environ", "inspector"]

type Reply = { checks: { name: string; state: string; sentence: string }[] }

/** The program's folder read-only, one folder to write, no network, no capability, no other program and process. */
function sandbox(data: string, ...added: string[]): string[] {
  const readOnly = ["/lib", "/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"]
  return [
    "--unshare-all --cap-drop ALL --clearenv --die-with-parent --as-pid-1 --proc /proc --dev /dev --tmpfs /tmp",
    ...readOnly.filter((path) => existsSync(path)).map((path) => `--ro-bind ${path} ${path}`),
    ...["package.json", "proto", "signer"].map((name) => `--ro-bind ${join(ROOT, name)} /app/${name}`),
    `--ro-bind ${join(ROOT, "node_modules")} /app/node_modules --ro-bind ${process.execPath} /app/node`,
    `--bind ${data} /data --setenv COUNTERSIGN_DATA_DIR /data --chdir /app`,
    ...added,
    "--remount-ro /",
  ].flatMap((words) => words.split(" "))
}

const DOCTOR = ["--disable-sigusr1", "signer/operator/main.ts", "doctor", "--confinement", "--json"]

function doctor(
  program: string,
  words: readonly string[],
): { status: number | null; checks: Reply["checks"] } {
  const { status, stdout, stderr } = spawnSync(program, words, { cwd: ROOT, encoding: "utf8" })
  if (stdout === "") throw new Error(stderr)
  return { status, checks: (JSON.parse(stdout) as Reply).checks }
}

t.test("W87: in the signer's sandbox every attempt of an intruder is refused", { skip }, async (t) => {
  const data = temporaryFolder(t, "confined")
  const { status, checks } = doctor("bwrap", [...sandbox(data), "/app/node", ...DOCTOR])
  t.strictSame(
    checks.map(({ name, state, sentence }) => [name, state, sentence]),
    ATTEMPTS.map((name) => [`confinement: ${name}`, "ok", "refused"]),
  )
  t.equal(status, 0)
})

t.test(
  "W87: without the sandbox, or with a hole in it, the same attempts succeed and are named",
  { skip },
  async (t) => {
    const faultsOf = ({ checks }: { checks: Reply["checks"] }) =>
      checks.filter(({ state }) => state === "FAULT").map(({ name }) => name.replace("confinement: ", ""))
    const outside = doctor(process.execPath, DOCTOR)
    t.equal(outside.status, 1)
    for (const name of ["write", "spawn", "environ"]) t.ok(faultsOf(outside).includes(name), name)
    t.match(
      outside.checks.find(({ name }) => name.endsWith("spawn")),
      { sentence: /^possible: \/bin\/sh; let it start no other program/ },
    )
    const data = temporaryFolder(t, "confined")
    mkdirSync(join(data, "etc"))
    for (const [hole, name] of [
      [`--bind ${join(data, "etc")} /etc`, "write"],
      ["--ro-bind /bin/sh /bin/sh", "spawn"],
    ] as const)
      t.strictSame(faultsOf(doctor("bwrap", [...sandbox(data, hole), "/app/node", ...DOCTOR])), [name], hole)
  },
)

t.test("W87: signer and fetcher work in that sandbox", { skip }, async (t) => {
  for (const [up, ...words] of [
    ["signer is up", "signer/enclave/main.ts", "--init"],
    ["fetcher is up", "signer/fetcher/main.ts", "serve", "--init"],
  ] as const) {
    const data = temporaryFolder(t, "confined")
    const trusted = ["--disable-sigusr1", "--disallow-code-generation-from-strings", "--disable-proto=throw"]
    const child = spawn("bwrap", [...sandbox(data), "/app/node", ...trusted, ...words], {
      stdio: ["ignore", "pipe", "pipe"],
    })
    const ended = once(child, "exit")
    let output = ""
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => {
        output += chunk.toString()
        if (output.includes(up)) child.kill("SIGKILL")
      })
    await ended
    t.ok(output.includes(up), output)
  }
})

t.test("the signer's unit tries it at every start, in its own confinement", async (t) => {
  const unit = readFileSync(join(ROOT, "examples/systemd/countersign-signer.service"), "utf8")
  t.match(unit, `\nExecStartPre=-/opt/countersign/bin/node ${DOCTOR.slice(0, -1).join(" ")}\n`)
})
