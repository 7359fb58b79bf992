// The second way to start of README: an archive on a machine without Node, npm and network, in the long form of the tests.
import { execFileSync, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { appendFileSync, chmodSync, cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import t from "tap"
import { buildRelease } from "../../scripts/release/build.ts"
import { buildDashboard } from "../../services/dev/build-dashboard.ts"
import { blocksOf } from "../docs/markdown.ts"
import { isLong } from "../harness/long.ts"
import { hasProgram, newCheckout, temporaryFolder } from "../harness/release.ts"

const skip = isLong
  ? hasProgram("bwrap")
    ? false
    : "not run: no bwrap"
  : "long form: npm run test:long -- test/release"

/** Programs and libraries of a small machine: a shell, tar, and what README's command and the launcher call. */
const MACHINE = ["sh", "tar", "gzip", "dirname", "readlink", "ls", "cat"]
const USER = 1000
const POLL_MS = 20
/** Root starts the sandbox as another user: PostgreSQL refuses root. */
const AS_USER = process.getuid?.() === 0 ? { uid: USER, gid: USER } : {}

t.test("an unpacked archive is Ready without Node, npm and network, and signs", { skip }, async (t) => {
  const folder = temporaryFolder(t, "start")
  chmodSync(folder, 0o755)
  const checkout = newCheckout(join(folder, "checkout"))
  cpSync(await buildDashboard(), join(checkout, "services", "dashboard", "dist"), { recursive: true })
  const out = join(folder, "out")
  buildRelease({ root: checkout, out, zones: ["everything"] })
  const home = join(folder, "home")
  mkdirSync(home)
  const [archive = ""] = readdirSync(out).filter((name) => name.endsWith(".tar.gz"))
  cpSync(join(out, archive), join(home, archive))
  if ("uid" in AS_USER) execFileSync("chown", ["-R", `${USER}:${USER}`, home])
  const machine = machineOf(folder, home)

  for (const name of ["node", "npm", "npx", "git", "cc", "make"])
    t.not(spawnSync("bwrap", [...machine, "sh", "-c", `command -v ${name}`]).status, 0, `there is no ${name}`)
  const command =
    blocksOf("README.md")
      .find(({ text }) => text.startsWith("tar xf "))
      ?.text.trim() ?? ""
  const shell = openShell(machine)
  t.teardown(shell.end)
  shell.run(`(${command}) &`)
  await shell.until(/Ready in [\d.]+ s/)
  t.match(shell.output, /Next: \.\/countersign sign message/)
  t.notMatch(shell.output, /npx|npm |building/)
  const top = archive.slice(0, -".tar.gz".length)
  shell.run(`cd ${top} && ./countersign sign message "pay the supplier" --with First --json`)
  await shell.until(/"signature":"0x[0-9a-f]{130}"/)
  await shell.end()
  const own = join(home, top)

  await t.test("W85: each process of a damaged release refuses to start, and names the file", async (t) => {
    const file = "proto/gen/countersign/api/v1/activities_pb.ts"
    appendFileSync(join(own, file), "\n")
    const fresh = join(own, "fresh")
    for (const words of [
      ["countersign", "dev"],
      ["countersign-signer", "serve"],
      ["countersign-signer", "init"],
      ["countersign-fetcher", "serve"],
      ...["api", "worker", "proxy", "dashboard"].map((name) => ["countersign-node", "serve", name]),
    ]) {
      const [program = "", ...rest] = words
      const { status, stdout, stderr } = spawnSync(join(own, program), rest, {
        env: { PATH: process.env["PATH"], COUNTERSIGN_DATA_DIR: fresh },
        encoding: "utf8",
      })
      t.not(status, 0, words.join(" "))
      t.ok((stdout + stderr).includes(`${file} has SHA-256`), `${words.join(" ")}: ${stdout}${stderr}`)
      t.notOk(existsSync(fresh), `${words.join(" ")} made nothing`)
    }
  })
})

/** Arguments of bwrap: a machine with one user, whose home has the archive, and no network but the loopback. */
function machineOf(folder: string, home: string): string[] {
  const passwd = join(folder, "passwd")
  writeFileSync(passwd, `root:x:0:0::/:/bin/sh\nuser:x:${USER}:${USER}::/home:/bin/sh\n`)
  const hosts = join(folder, "hosts")
  writeFileSync(hosts, "127.0.0.1 localhost\n::1 localhost\n")
  writeFileSync(join(home, "run"), '#!/bin/sh\ncd "/home/$1" && shift && exec ./countersign "$@"\n', {
    mode: 0o755,
  })
  const bind = (path: string, to = path) => (existsSync(path) ? `--ro-bind ${path} ${to}` : "")
  return [
    `--unshare-user --uid ${USER} --gid ${USER} --unshare-pid --unshare-net --unshare-ipc --die-with-parent`,
    // Nothing is compiled from TypeScript: this Node would refuse it.
    "--clearenv --setenv PATH /usr/bin:/bin --setenv HOME /home --setenv NODE_OPTIONS --no-strip-types",
    ...["/lib", "/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"].map((path) =>
      bind(path),
    ),
    ...MACHINE.map((name) => bind(programPath(name), `/usr/bin/${name}`)),
    `--symlink /usr/bin /bin --ro-bind ${passwd} /etc/passwd --ro-bind ${hosts} /etc/hosts`,
    `--proc /proc --dev /dev --tmpfs /tmp --bind ${home} /home --chdir /home`,
  ].flatMap((words) => words.split(" ").filter((word) => word !== ""))
}

function programPath(name: string): string {
  return execFileSync("sh", ["-c", `readlink -f "$(command -v ${name})"`], { encoding: "utf8" }).trim()
}

/** A shell on the machine. */
function openShell(machine: readonly string[]) {
  const child = spawn("bwrap", [...machine, "sh"], { stdio: ["pipe", "pipe", "pipe"], ...AS_USER })
  const ended = once(child, "exit")
  let output = ""
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => (output += chunk.toString()))
  return {
    get output() {
      return output
    },
    run: (command: string) => child.stdin.write(`${command}\n`),
    async until(form: RegExp) {
      while (!form.test(output)) {
        if (child.exitCode !== null) throw new Error(`it ended before ${form}:\n${output}`)
        await pause(POLL_MS)
      }
    },
    async end() {
      child.kill("SIGKILL")
      await ended
    },
  }
}
