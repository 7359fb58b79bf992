// Further starts on the data directory of a development system, and their ends.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { Test } from "tap"
import { packageRoot } from "../../services/terminal-client/settings.ts"
import { casesOf } from "../harness/long.ts"
import {
  ANY_PORTS,
  devEnvironment,
  isAlive,
  membersOf,
  readEnvFile,
  runProgram,
  startDev,
  untilGone,
} from "../services/cli/dev-process.ts"

/** `before`: the `.env.local` of the first start, whose organization the next ones keep. */
export function testRestarts(t: Test, directory: string, before: NodeJS.Dict<string>): void {
  for (const name of casesOf(1, ["database", "signer", "api", "auth-proxy", "worker", "fetcher"])) {
    t.test(`keeps its state, and stops all programs when ${name} is killed`, async (t) => {
      const dev = startDev(t, directory)
      await dev.ready()
      const { ORGANIZATION_ID, SIGN_WITH, API_PRIVATE_KEY } = readEnvFile(directory)
      t.match(before, { ORGANIZATION_ID, SIGN_WITH, API_PRIVATE_KEY })
      t.equal((await runProgram(directory, "examples/sign.ts")).status, 0)
      const pids = dev.members()
      process.kill(pids.get(name) ?? 0, "SIGKILL")
      const { status, log } = await dev.ended
      t.equal(status, 1)
      t.match(log.at(-1), name)
      if (name === "database") t.match(log.at(-1), /see \S+\/postgres\.log/)
      t.same([...pids.values()].filter(isAlive), [])
    })
  }

  t.test(
    "uses its organization under --no-seed, and leaves no program running when it is killed",
    async (t) => {
      const dev = startDev(t, directory, ["--no-seed"])
      t.match((await dev.ready()).join("\n"), before.ORGANIZATION_ID)
      const pids = dev.members()
      dev.process.kill("SIGKILL")
      const { log } = await dev.ended
      t.match(log.join("\n"), /--no-seed has no effect: an earlier start created organization Dev/)
      await untilGone(["auth-proxy", "worker", "api", "signer", "fetcher"].map((name) => pids.get(name) ?? 0))
    },
  )

  t.test("starts again after that by npm start, which passes a signal on and ends with 0", async (t) => {
    const child = spawn("npm", ["start"], {
      env: { ...devEnvironment(directory), ...ANY_PORTS },
      cwd: packageRoot,
      stdio: ["ignore", "pipe", "ignore"],
    })
    const ended = once(child, "exit")
    for await (const chunk of child.stdout) if (String(chunk).includes("Ready")) break
    t.equal(readEnvFile(directory).ORGANIZATION_ID, before.ORGANIZATION_ID)
    const pids = membersOf(directory)
    t.equal(pids.size, 6)
    child.kill("SIGTERM")
    t.same(await ended, [0, null])
    t.same([...pids.values()].filter(isAlive), [])
  })

  for (const [signal, ...words] of casesOf(1, [
    ["SIGHUP", "--reset", "--no-seed"],
    ["SIGTERM", "--no-seed"],
  ] as const)) {
    t.test(
      `under ${words.join(" ")} seeds nothing; stops all on ${signal} when nobody reads its output`,
      async (t) => {
        const dev = startDev(t, directory, [...words])
        t.match((await dev.ready()).join("\n"), /^Organization: none$/m)
        t.notOk(existsSync(join(directory, ".env.local")))
        const pids = dev.members()
        t.equal(pids.size, 6)
        dev.process.stdout?.destroy()
        dev.process.stderr?.destroy()
        const ended = once(dev.process, "exit")
        dev.process.kill(signal)
        t.same(await ended, [0, null])
        t.same([...pids.values()].filter(isAlive), [])
        t.notOk(existsSync(join(directory, "dev.lock")))
      },
    )
  }

  t.test(
    "seeds another organization after --reset, and while it stops slowly ends at once by another signal",
    async (t) => {
      const dev = startDev(t, directory)
      await dev.ready()
      t.not(readEnvFile(directory).ORGANIZATION_ID, before.ORGANIZATION_ID)
      const pids = dev.members()
      // It is stopped first, and takes no signal any more.
      process.kill(pids.get("auth-proxy")!, "SIGSTOP")
      dev.process.kill("SIGINT")
      const again = setInterval(() => dev.process.kill("SIGINT"), 100)
      const { status, log } = await dev.ended
      clearInterval(again)
      t.equal(status, 130)
      t.match(log.join("\n"), /stopping \(SIGINT\)/)
      await untilGone(pids.values())
    },
  )

  t.test("starts again after that, reports a user's missing key, and stops on SIGINT", async (t) => {
    const { ORGANIZATION_ID } = readEnvFile(directory)
    const key = join(directory, "keys", "alice.private")
    rmSync(key)
    const dev = startDev(t, directory)
    t.notMatch((await dev.ready()).at(-1), /keys \(mode/, "no key was written")
    t.equal(readEnvFile(directory).ORGANIZATION_ID, ORGANIZATION_ID)
    dev.process.kill("SIGINT")
    const { status, log } = await dev.ended
    t.equal(status, 0)
    t.match(log.join("\n"), /key of user alice is missing: restore \S+alice\.private/)
    t.notOk(existsSync(key))
  })
}
