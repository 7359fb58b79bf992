import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { setTimeout as pause } from "node:timers/promises"
import type { Test } from "tap"
import { EMPTY_ROOT } from "../../signer/core/log/merkle.ts"
import { freePort } from "./free-port.ts"
import { patienceMs } from "./patience.ts"

/** litewitness of torchwood: a witness in Go that knows nothing of this project. Its key is in an ssh-agent of its own. */
export class Litewitness {
  readonly url: string
  readonly key: string

  private constructor(url: string, key: string) {
    this.url = url
    this.key = key
  }

  /** @param logKey key of the log that it may cosign */
  static async start(t: Test, program: string, logKey: string): Promise<Litewitness> {
    const directory = mkdtempSync(join(tmpdir(), "cs-lite-"))
    const socket = join(directory, "agent.sock")
    const agent = spawn("ssh-agent", ["-D", "-a", socket], { stdio: "ignore" })
    t.teardown(async () => {
      await end(agent)
      rmSync(directory, { recursive: true, force: true })
    })
    const seed = join(directory, "key")
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "", "-f", seed])
    await until(
      () =>
        void execFileSync("ssh-add", ["-q", seed], {
          env: { ...process.env, SSH_AUTH_SOCK: socket },
          stdio: "ignore",
        }),
    )
    const fingerprint =
      execFileSync("ssh-keygen", ["-lf", `${seed}.pub`])
        .toString()
        .split(" ")[1] ?? ""
    const port = await freePort()
    const file = join(directory, "witness.db")
    addLog(file, logKey)
    const words = ["-name", "litewitness.example/1", "-db", file, "-ssh-agent", socket, "-key", fingerprint]
    const child = spawn(program, [...words, "-listen", `127.0.0.1:${port}`], {
      stdio: ["ignore", "ignore", "pipe"],
    })
    t.teardown(() => end(child))
    let lines = ""
    child.stderr.on("data", (part: Buffer) => (lines += part.toString()))
    let key = ""
    await until(() => {
      key = /vkey="?(\S+?)"?(?:\s|$)/.exec(lines)?.[1] ?? ""
      if (key === "") throw new Error(`litewitness has no key yet: ${lines}`)
    })
    await until(async () => void (await fetch(`http://127.0.0.1:${port}/`)))
    return new Litewitness(`http://127.0.0.1:${port}/`, key)
  }
}

/** As witnessctl of torchwood adds a log to the database. */
function addLog(file: string, logKey: string): void {
  const database = new DatabaseSync(file)
  const [origin = ""] = logKey.split("+")
  database.exec(`
    CREATE TABLE log (origin TEXT PRIMARY KEY, tree_size INTEGER NOT NULL, tree_hash TEXT NOT NULL);
    CREATE TABLE key (origin TEXT NOT NULL, key TEXT NOT NULL, FOREIGN KEY(origin) REFERENCES log(origin));`)
  const hash = Buffer.from(EMPTY_ROOT).toString("base64")
  database.prepare("INSERT INTO log VALUES (?, 0, ?)").run(origin, hash)
  database.prepare("INSERT INTO key VALUES (?, ?)").run(origin, logKey)
  database.close()
}

async function until(isDone: () => void | Promise<void>): Promise<void> {
  const giveUp = performance.now() + patienceMs(30_000)
  for (;;) {
    try {
      return await isDone()
    } catch (error) {
      if (performance.now() > giveUp) throw error
      await pause(50)
    }
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, "exit")
  child.kill("SIGKILL")
  await gone
}
