// Several processes of the API at one address: they serve together, one that ends is replaced, and all stop as one.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { type AddressInfo, createServer } from "node:net"
import { text } from "node:stream/consumers"
import { setTimeout as pause } from "node:timers/promises"
import t from "tap"
import { freshDatabase } from "../harness/database.ts"
import { freePort } from "../harness/free-port.ts"
import { patienceMs } from "../harness/patience.ts"
import { ROOT } from "../../scripts/run.ts"
import { System } from "../harness/system.ts"

const PROCESSES = 2

/** Ids of processes whose parent is this one. */
function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
    .trim()
    .split(" ")
    .filter(Boolean)
    .map(Number)
}

t.test("C-1930: processes of the API share an address, and are replaced and stopped together", async (t) => {
  const { url } = await freshDatabase(t)
  const metricsPort = await freePort()
  const system = await System.start(url, {
    COUNTERSIGN_API_PROCESSES: String(PROCESSES),
    COUNTERSIGN_API_METRICS_LISTEN: `127.0.0.1:${metricsPort}`,
  })
  t.teardown(() => system.stop())
  const until = async (what: string, isTrue: () => boolean | Promise<boolean>) => {
    const endMs = Date.now() + patienceMs(30_000)
    while (!(await isTrue())) {
      if (Date.now() > endMs) throw new Error(what)
      await pause(50)
    }
  }
  const supervisor = system.apiPid
  await until("both listen", () => system.logOf("api").split('"listening"').length > PROCESSES)
  const workers = childrenOf(supervisor)
  t.equal(workers.length, PROCESSES)

  const { organizationId, root } = await system.createOrganization()
  const wallets = Array.from({ length: 24 }, (_, index) =>
    system.submit(
      "create_wallet",
      system.body("CREATE_WALLET", organizationId, { walletName: `w${index}`, accounts: [] }),
      root,
    ),
  )
  t.equal(new Set((await Promise.all(wallets)).map(({ id }) => id)).size, 24, "each request is one activity")
  const requestsAt = async (port: number) => {
    const figures = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    return [...figures.matchAll(/^countersign_http_request_seconds_count\{.*\} (\d+)$/gm)].reduce(
      (sum, [, count]) => sum + Number(count),
      0,
    )
  }
  const served = [await requestsAt(metricsPort), await requestsAt(metricsPort + 1)]
  t.ok(
    served.every((count) => count > 0),
    `${served.join(" and ")} requests: each process serves, and has figures of its own`,
  )

  process.kill(workers[0]!, "SIGKILL")
  // The worker in its place cannot start: its port for metrics is taken.
  await until("its port is free", () => !isRunning(workers[0]!))
  const taken = createServer().listen(metricsPort, "127.0.0.1")
  await once(taken, "listening")
  await until("it fails", () => /is in use: another process/.test(system.logOf("api")))
  t.equal((await system.query("whoami", { organizationId }, root)).status, 200, "the other serves on")
  await new Promise((resolve) => taken.close(resolve))
  await until("another takes its place", () => {
    const now = childrenOf(supervisor)
    return (
      now.length === PROCESSES &&
      !now.includes(workers[0]!) &&
      system.logOf("api").split('"listening"').length > PROCESSES + 1
    )
  })
  t.match(system.logOf("api"), "a process of the API ended: another one takes its place")
  const { status } = await system.query("whoami", { organizationId }, root)
  t.equal(status, 200)

  const all = childrenOf(supervisor)
  t.equal(await system.terminate("api"), 0)
  t.strictSame(
    all.filter((pid) => isRunning(pid)),
    [],
    "none is left",
  )
})

t.test(
  "C-1930: countersign-node starts the processes, and one that hangs is killed at the end of a stop",
  async (t) => {
    const { url } = await freshDatabase(t)
    const directory = t.testdir()
    const child = spawn(process.execPath, ["services/node/main.ts", "serve", "api"], {
      cwd: ROOT,
      env: {
        PATH: process.env["PATH"],
        COUNTERSIGN_DATA_DIR: directory,
        COUNTERSIGN_API_PROCESSES: String(PROCESSES),
        COUNTERSIGN_API_LISTEN: `127.0.0.1:${await freePort()}`,
        COUNTERSIGN_API_STOP_GRACE_SECONDS: "0",
        DATABASE_URL: url,
      },
      stdio: ["ignore", "ignore", "pipe"],
    })
    let log = ""
    child.stderr.setEncoding("utf8").on("data", (part: string) => (log += part))
    while (log.split('"listening"').length <= PROCESSES) {
      if (child.exitCode !== null) throw new Error(log)
      await pause(50)
    }
    const [hanging = 0] = childrenOf(child.pid!)
    process.kill(hanging, "SIGSTOP")
    child.kill("SIGTERM")
    t.strictSame(await once(child, "exit"), [1, null])
    t.match(log, "stopping took too long")
    t.notOk(isRunning(hanging))
  },
)

t.test("a fault that each process would meet ends all of them, with its exit code", async (t) => {
  const { url } = await freshDatabase(t)
  const taken = createServer().listen(0, "127.0.0.1")
  await once(taken, "listening")
  t.teardown(() => taken.close())
  const { port } = taken.address() as AddressInfo
  const child = spawn(process.execPath, ["services/api/main.ts"], {
    cwd: ROOT,
    env: {
      PATH: process.env["PATH"],
      COUNTERSIGN_DATA_DIR: t.testdir(),
      COUNTERSIGN_API_PROCESSES: String(PROCESSES),
      COUNTERSIGN_API_LISTEN: `127.0.0.1:${port}`,
      DATABASE_URL: url,
    },
    stdio: ["ignore", "ignore", "pipe"],
  })
  const log = text(child.stderr)
  t.strictSame(await once(child, "exit"), [1, null])
  t.match(await log, /EADDRINUSE|address already in use/)
})

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
