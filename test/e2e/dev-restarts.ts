// Further starts on the data directory of a development system, and their ends.
import { once } from "node:events"
import { existsSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { Test } from "tap"
import { isLong } from "../harness/long.ts"
import { type DevProcess, isAlive, readEnvFile, startDev, untilGone } from "../services/cli/dev-process.ts"
import { runNext } from "./dev-running.ts"

/** `before`: the `.env.local` of the first start, whose organization the next ones keep. */
export function testRestarts(t: Test, directory: string, before: NodeJS.Dict<string>): void {
  t.test(
    "keeps its state, uses its organization under --no-seed, and stops all programs when its database is killed",
    async (t) => {
      const dev = startDev(t, directory, ["--no-seed"])
      t.match((await dev.ready()).join("\n"), before.ORGANIZATION_ID)
      const { ORGANIZATION_ID, SIGN_WITH, API_PRIVATE_KEY } = readEnvFile(directory)
      t.match(before, { ORGANIZATION_ID, SIGN_WITH, API_PRIVATE_KEY })
      t.equal((await runNext(directory, "examples/sign.ts")).status, 0)
      const { log } = await stopsWithout(t, "database", { dev, directory })
      t.match(log.join("\n"), /--no-seed has no effect: an earlier start created organization Dev/)
    },
  )

  // test/services/dev/system-process.test.ts kills a parent, test/services/dev/directory.test.ts resets a directory.
  if (!isLong) return

  t.test("leaves no program running when it is killed", async (t) => {
    const dev = startDev(t, directory, ["--no-seed"])
    await dev.ready()
    const pids = dev.members()
    dev.process.kill("SIGKILL")
    await dev.ended
    await untilGone(["auth-proxy", "worker", "api", "signer", "fetcher"].map((name) => pids.get(name) ?? 0))
  })

  testSeededStarts(t, directory, before)

  for (const name of ["database", "signer", "api", "auth-proxy", "worker", "fetcher"]) {
    t.test(
      `under --reset --no-seed seeds nothing, and stops all programs when ${name} is killed`,
      async (t) => {
        const dev = startDev(t, directory, ["--reset", "--no-seed"])
        t.match((await dev.ready()).join("\n"), /^Organization: none$/m)
        t.notOk(existsSync(join(directory, ".env.local")))
        await stopsWithout(t, name, { dev, directory })
      },
    )
  }

  for (const signal of ["SIGHUP", "SIGTERM"] as const) {
    t.test(`stops all on ${signal} when nobody reads its output`, async (t) => {
      const dev = startDev(t, directory, ["--no-seed"])
      await dev.ready()
      const pids = dev.members()
      dev.process.stdout?.destroy()
      dev.process.stderr?.destroy()
      const ended = once(dev.process, "exit")
      dev.process.kill(signal)
      t.same(await ended, [0, null])
      t.same([...pids.values()].filter(isAlive), [])
      t.notOk(existsSync(join(directory, "dev.lock")))
    })
  }
}

/** Kills a member: the others stop, and the system ends with its name. */
async function stopsWithout(
  t: Test,
  name: string,
  { dev, directory }: { dev: DevProcess; directory: string },
) {
  const pids = dev.members()
  t.equal(pids.size, 6)
  process.kill(pids.get(name) ?? 0, "SIGKILL")
  const { status, log } = await dev.ended
  t.equal(status, 1)
  t.match(log.at(-1), name)
  if (name === "database") t.match(log.at(-1), /see \S+\/postgres\.log/)
  t.same([...pids.values()].filter(isAlive), [])
  t.notOk(existsSync(join(directory, "dev.lock")))
  return { log }
}

/** Starts that seed the organization, or find it seeded. */
function testSeededStarts(t: Test, directory: string, before: NodeJS.Dict<string>): void {
  t.test("starts again after that, reports a user's missing key, and stops on SIGINT", async (t) => {
    const key = join(directory, "keys", "alice.private")
    rmSync(key)
    const dev = startDev(t, directory)
    t.notMatch((await dev.ready()).at(-1), /keys \(mode/, "no key was written")
    t.equal(readEnvFile(directory).ORGANIZATION_ID, before.ORGANIZATION_ID)
    dev.process.kill("SIGINT")
    const { status, log } = await dev.ended
    t.equal(status, 0)
    t.match(log.join("\n"), /key of user alice is missing: restore \S+alice\.private/)
    t.notOk(existsSync(key))
  })

  t.test(
    "seeds another organization after --reset, and while it stops slowly ends at once by another signal",
    async (t) => {
      const dev = startDev(t, directory, ["--reset"])
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
}
