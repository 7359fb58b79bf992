import { execFile } from "node:child_process"
import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import postgres from "postgres"
import t from "tap"
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../../services/dev/embedded-postgres.ts"
import { killHard, startInProcess } from "./embedded-process.ts"

// Each test has servers of its own, and mostly waits for them.
t.jobs = 3

type T = { teardown(clean: () => Promise<unknown>): unknown }

/** In the temporary directory itself: as root, the server's user can enter that. */
async function temporaryDirectory(t: T): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "countersign-embedded-"))
  t.teardown(() => rm(directory, { recursive: true, force: true }))
  return directory
}

/** A server that ends does not keep this process waiting; a test that wants to see it end does. */
async function gone({ exited }: EmbeddedPostgres): Promise<void> {
  const waiting = setInterval(() => undefined, 1_000)
  await exited.finally(() => clearInterval(waiting))
}

async function start(t: T, directory: string): Promise<EmbeddedPostgres & { told: string[] }> {
  const told: string[] = []
  const settings = { work_mem: "3MB" }
  const server = await startEmbeddedPostgres({ directory, log: (line) => told.push(line), settings })
  t.teardown(() => server.stop())
  return { ...server, told }
}

async function query<T>(
  connection: EmbeddedPostgres["connection"],
  work: (sql: postgres.Sql) => Promise<T>,
): Promise<T> {
  const sql = postgres({ ...connection, max: 1 })
  try {
    return await work(sql)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** A stopped server whose cluster its first start made. */
const made = makeCluster()

async function makeCluster(): Promise<{ directory: string; told: string[] }> {
  const directory = await temporaryDirectory(t)
  const told: string[] = []
  const server = await startEmbeddedPostgres({ directory, log: (line) => told.push(line) })
  await server.stop()
  return { directory, told }
}

/** A directory with a copy of that cluster. */
async function copiedCluster(t: T, directory?: string): Promise<string> {
  const own = directory ?? (await temporaryDirectory(t))
  await promisify(execFile)("cp", ["-a", `${(await made).directory}/.`, own])
  return own
}

t.test("the embedded server keeps its data across a restart", async (t) => {
  t.match((await made).told, [/^database made in /])
  const directory = await copiedCluster(t)
  const first = await start(t, directory)
  await query(first.connection, (sql) => sql`create table kept as select 'yes' as answer`)
  await first.stop()
  await gone(first)
  await t.rejects(query(first.connection, (sql) => sql`select 1`))
  const second = await start(t, directory)
  t.same(second.told, [])
  t.not(second.pid, first.pid)
  const [row] = await query(second.connection, (sql) => sql`select answer from kept`)
  t.equal(row?.answer, "yes")
})

t.test(
  "the embedded server has the settings that it is given, opens a socket in a private directory, and no port",
  async (t) => {
    const { connection } = await start(t, await copiedCluster(t))
    const [row] = await query(
      connection,
      (sql) => sql`select current_setting('listen_addresses') as listen, current_setting('fsync') as fsync,
      current_setting('data_checksums') as checksums, current_setting('work_mem') as memory, current_setting('server_version_num')::int / 10000 as major`,
    )
    t.same(row, { listen: "", fsync: "on", checksums: "on", memory: "3MB", major: 18 })
    t.equal((await stat(dirname(connection.path))).mode & 0o777, 0o700)
    t.equal((await stat(connection.path)).mode & 0o777, 0o700)
  },
)

t.test("the embedded server reports its death, and kill -9 loses no committed row", async (t) => {
  const directory = await copiedCluster(t)
  const first = await start(t, directory)
  const sql = postgres({ ...first.connection, max: 1 })
  await sql`create table counted (n int)`
  let acknowledged = 0
  const writing = (async () => {
    for (;;) {
      await sql`insert into counted values (${acknowledged + 1})`
      acknowledged++
      if (acknowledged === 20) process.kill(first.pid, "SIGKILL")
    }
  })()
  await t.rejects(writing)
  await gone(first)
  // At once: the killed server's children are still leaving, and its lock and memory are still there.
  const second = await start(t, directory)
  t.equal(second.owned, true)
  const [row] = await query(
    second.connection,
    (again) => again`select max(n) as last, count(*)::int as n from counted`,
  )
  t.ok(acknowledged >= 20 && row?.n >= acknowledged && row?.last === row?.n, `${acknowledged} acknowledged`)
  await sql.end({ timeout: 1 })
})

t.test("a running embedded server is shared; only the process that started it stops it", async (t) => {
  const directory = await copiedCluster(t)
  const { child, told } = await startInProcess(directory)
  t.teardown(() => killHard(child))
  const borrowed = await start(t, directory)
  t.same([borrowed.pid, borrowed.owned, told.owned], [told.pid, false, true])
  await borrowed.stop()
  t.equal((await query(borrowed.connection, (sql) => sql`select 1`)).length, 1)

  await killHard(child)
  const adopted = await start(t, directory)
  t.same([adopted.pid, adopted.owned], [told.pid, true])
  await adopted.stop()
  await Promise.all([gone(adopted), gone(borrowed)])
})

t.test("three processes that start together make one cluster", async (t) => {
  const directory = await temporaryDirectory(t)
  const started = await Promise.all([1, 2, 3].map(() => startInProcess(directory)))
  for (const { child } of started) t.teardown(() => killHard(child))
  t.equal(new Set(started.map(({ told }) => told.pid)).size, 1)
  t.equal(started.filter(({ told }) => told.owned).length, 1)
  await Promise.all(started.map(({ child }) => killHard(child)))
  await start(t, directory)
})

t.test("the socket lies elsewhere if the directory's path is too long", async (t) => {
  const parent = await temporaryDirectory(t)
  await chmod(parent, 0o755)
  const directory = join(parent, "long".repeat(30))
  await mkdir(directory)
  await copiedCluster(t, directory)
  const { connection } = await start(t, directory)
  t.ok(connection.path.length < 104)
  t.teardown(() => rm(dirname(connection.path), { recursive: true, force: true }))
  t.equal((await query(connection, (sql) => sql`select 1`)).length, 1)
})

t.test("a failed start shows the server's output", async (t) => {
  const directory = await copiedCluster(t)
  await writeFile(join(directory, "data", "postgresql.conf"), "no_such_setting = 1\n")
  await t.rejects(startEmbeddedPostgres({ directory, log: () => undefined }), { message: /no_such_setting/ })
})
