// Hosts for tests: each has its own systemd, users, files and network. They are namespaces of Linux, so root is needed.
import { execFileSync, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import type { Test } from "tap"
import { hasProgram } from "./release.ts"
import { patienceMs } from "./patience.ts"

const SYSTEMD = "/lib/systemd/systemd"
const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
const SCRIPT = "/run/typed.sh"
const PRINTED = "/run/printed"
const POLL_MS = 50
const UNTIL_MS = patienceMs(30_000)
const BOOT_MS = patienceMs(60_000)

/** Puts the process into a control group of its own, which the host sees as the top one, and goes on with `$2` as process 1. */
const ENTER = `
set -e
mount -t cgroup2 cgroup2 "$1"
mkdir "$1/$(basename "$1")"
echo $$ > "$1/$(basename "$1")/cgroup.procs"
umount "$1"
script=$2; shift 2
exec unshare --mount --pid --fork --uts --ipc --net --cgroup --kill-child bash -c "$script" boot "$@"
`

/** Removes that control group. */
const LEAVE = `
mount -t cgroup2 cgroup2 "$1"
for attempt in $(seq 100); do
  find "$1/$(basename "$1")" -depth -type d -exec rmdir {} + && exit
  sleep 0.05
done
`

/**
 * Makes the files of a host: those of this machine, below a layer in memory that takes every change. `$1`: folder of that layer; `$2`: a
 * folder that is seen as /srv; the rest: what becomes process 1.
 */
const BOOT = `
set -e
base=$1; shared=$2; shift 2
mount --make-rprivate /
mount -t tmpfs tmpfs "$base"
mkdir "$base/upper" "$base/work" "$base/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$base/upper,workdir=$base/work" "$base/root"
cd "$base/root"
mount -t proc proc proc
mount -t sysfs sysfs sys
mount --rbind /dev dev
# A unit that stops has its user's files below /dev/shm removed, and the layer itself may lie in this machine's.
mount -t tmpfs shm dev/shm
chmod 1777 dev/shm
mount --bind "$shared" srv
for folder in run tmp; do mount -t tmpfs tmpfs "$folder"; done
chmod 1777 tmp
mount -t cgroup2 cgroup2 sys/fs/cgroup
rm -rf etc/systemd/system etc/countersign var/lib/countersign-* opt/countersign*
mkdir -p etc/systemd/system etc/ssl opt
printf '[Unit]\\nDescription=A host of a test\\nWants=systemd-journald.service\\n' > etc/systemd/system/host.target
printf '127.0.0.1 localhost\\n::1 localhost\\n' > etc/hosts
pivot_root . .
umount -l .
exec env -i container=test PATH=${PATH} "$@"
`

export type Ended = { status: number | null; out: string; log: string }

/** The reason why this machine makes no hosts; false: it does. */
export function withoutMachines(): string | false {
  if (process.getuid?.() !== 0) return "not run: needs root, for hosts in namespaces"
  for (const program of ["setpriv", "unshare", "nsenter", "ip", "useradd"])
    if (!hasProgram("sh", "-c", `command -v ${program}`)) return `not run: no ${program}`
  if (!hasProgram(SYSTEMD, "--version")) return "not run: no systemd"
  const folder = mkdtempSync(join(tmpdir(), "cs-host-"))
  const { status, stderr } = spawnSync("unshare", bootWords(folder, folder, "true"), { encoding: "utf8" })
  removeFolder(folder)
  return status === 0 ? false : `not run: this machine makes no hosts: ${stderr.trim()}`
}

function removeFolder(folder: string): void {
  spawnSync("unshare", ["--mount", "bash", "-c", LEAVE, "leave", folder], { stdio: "ignore" })
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

function bootWords(folder: string, shared: string, ...words: readonly string[]): string[] {
  return ["--mount", "bash", "-c", ENTER, "enter", folder, BOOT, folder, shared, ...words]
}

/** A host that runs until the test ends. */
export class Machine {
  /** Process 1 of the host, as this machine numbers it. */
  readonly #pid: number
  #environment: { readonly [name: string]: string } = {}

  private constructor(pid: number) {
    this.#pid = pid
  }

  /** @param shared folder of this machine that the host sees as /srv */
  static async start(t: Test, shared: string): Promise<Machine> {
    const folder = mkdtempSync(join(tmpdir(), "cs-host-"))
    const words = bootWords(folder, shared, SYSTEMD, "--system", "--unit=host.target", "--log-target=journal")
    // The host ends with this process, also when it is killed.
    const child = spawn("setpriv", ["--pdeathsig", "KILL", "unshare", ...words], {
      stdio: ["ignore", "pipe", "pipe"],
    })
    const ended = once(child, "exit")
    t.teardown(async () => {
      child.kill("SIGKILL")
      await ended
      removeFolder(folder)
    })
    let log = ""
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (log += String(chunk)))
    for (const endMs = Date.now() + BOOT_MS; Date.now() < endMs; await pause(POLL_MS)) {
      const machine = new Machine(childOf(child.pid ?? 0))
      if (machine.#pid > 0 && machine.#isUp()) return machine
      if (child.exitCode !== null) break
    }
    throw new Error(`the host did not start: ${log}`)
  }

  #isUp(): boolean {
    const words = [...this.#enter(), "systemctl", "is-active", "host.target"]
    return spawnSync("nsenter", words, { stdio: "ignore" }).status === 0
  }

  #enter(): string[] {
    return ["--target", String(this.#pid), "--all", "--root", "--wdns=/srv", "env", "-i", `PATH=${PATH}`]
  }

  /** Variables of each later command, as an operator would set them in a shell. */
  set(variables: { readonly [name: string]: string }): void {
    this.#environment = { ...this.#environment, ...variables }
  }

  /** Runs a script as root of the host, in /srv. */
  async run(script: string): Promise<Ended> {
    const child = spawn("nsenter", this.#shell(["bash", "--norc", "-euc", script]), {
      stdio: ["ignore", "pipe", "pipe"],
    })
    let [out, log] = ["", ""]
    child.stdout.on("data", (chunk) => (out += String(chunk)))
    child.stderr.on("data", (chunk) => (log += String(chunk)))
    const [status] = (await once(child, "close")) as [number | null]
    return { status, out: out.trim(), log: log.trim() }
  }

  /** @returns standard output @throws when a command fails */
  async must(script: string): Promise<string> {
    const { status, out, log } = await this.run(script)
    if (status !== 0) throw new Error(`${script}\nstatus ${status}\n${out}\n${log}`)
    return out
  }

  /**
   * Runs a script at a terminal. `reply` is handed all that the terminal has shown, and returns what is typed next, if anything.
   * @returns standard output, what the terminal showed, and the status
   */
  async atTerminal(text: string, reply: (shown: string) => string | undefined): Promise<Ended> {
    await this.write(SCRIPT, text, 0o700)
    const words = ["script", "-qec", `bash --norc -eu ${SCRIPT} > ${PRINTED}`, "/dev/null"]
    const child = spawn("nsenter", this.#shell(words), { stdio: ["pipe", "pipe", "pipe"] })
    let log = ""
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk) => {
        log += String(chunk)
        const typed = reply(log)
        if (typed !== undefined) child.stdin.write(typed)
      })
    const [status] = (await once(child, "close")) as [number | null]
    return { status, out: (await this.must(`cat ${PRINTED}`)).trim(), log: log.trim() }
  }

  async write(path: string, text: string, mode: number): Promise<void> {
    const script = `umask 077; printf %s '${text.replaceAll("'", "'\\''")}' > ${path}; chmod ${mode.toString(8)} ${path}`
    await this.must(script)
  }

  #shell(words: readonly string[]): string[] {
    const variables = Object.entries(this.#environment).map(([name, value]) => `${name}=${value}`)
    return [...this.#enter(), "HOME=/root", "LANG=C.UTF-8", ...variables, ...words]
  }

  /** Waits until a script succeeds. @returns its output */
  async until(script: string): Promise<string> {
    const endMs = Date.now() + UNTIL_MS
    for (;;) {
      const { status, out, log } = await this.run(script)
      if (status === 0) return out
      if (Date.now() > endMs) throw new Error(`not in time: ${script}\n${out}\n${log}`)
      await pause(POLL_MS)
    }
  }

  /** Cuts the wire of a host. */
  static disconnect(one: Machine): void {
    const words = ["--target", String(one.#pid), "--net", "ip", "link", "delete", `cs${one.#pid}`]
    execFileSync("nsenter", words, { stdio: "pipe" })
  }

  /** Joins two hosts by one wire, and gives each an address and a route for everything else. */
  static connect(one: Machine, other: Machine, addresses: readonly [one: string, other: string]): void {
    const [near, far] = [`cs${one.#pid}`, `cs${other.#pid}`]
    const ip = (...words: readonly string[]) => execFileSync("ip", words, { stdio: "pipe" })
    ip(
      "link",
      "add",
      near,
      "netns",
      String(one.#pid),
      "type",
      "veth",
      "peer",
      "name",
      far,
      "netns",
      String(other.#pid),
    )
    for (const [machine, name, own, gateway] of [
      [one, near, addresses[0], addresses[1]],
      [other, far, addresses[1], addresses[0]],
    ] as const) {
      const within = (...words: readonly string[]) =>
        execFileSync("nsenter", ["--target", String(machine.#pid), "--net", "ip", ...words], {
          stdio: "pipe",
        })
      within("link", "set", "lo", "up")
      within("address", "add", `${own}/24`, "dev", name)
      within("link", "set", name, "up")
      within("route", "add", "default", "via", gateway)
    }
  }
}

function childOf(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ")[0])
  } catch {
    return 0
  }
}
