import { existsSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { dataDirectory, readEnvFile, startDev } from "../services/cli/dev-process.ts"

t.setTimeout(240_000)

t.test("a development system whose keys are not what they were", async (t) => {
  const directory = dataDirectory(t)
  const first = startDev(t, directory)
  await first.ready()
  first.process.kill("SIGTERM")
  await first.ended
  const before = readEnvFile(directory)

  t.test("asks for a missing root seed, and makes none", async (t) => {
    const seed = join(directory, "signer")
    renameSync(seed, `${seed}.kept`)
    const { status, log } = await startDev(t, directory).ended
    t.equal(status, 1)
    t.match(log.at(-1), /root seed is missing.*restore \S+root-seed and \S+ledger/)
    t.notOk(existsSync(seed))
    renameSync(`${seed}.kept`, seed)
  })

  t.test("asks for a missing key of root, makes none, and goes on when it is put back", async (t) => {
    const key = join(directory, "keys", "root.private")
    renameSync(key, `${key}.kept`)
    for (const words of [[], ["--no-seed"]]) {
      const { status, log } = await startDev(t, directory, words).ended
      t.equal(status, 1)
      t.match(log.at(-1), /key of user root is missing.*restore \S+root\.private/)
    }
    t.notOk(existsSync(key))
    renameSync(`${key}.kept`, key)
  })

  t.test("names a changed key of root, and a missing one of another user", async (t) => {
    const at = (name: string) => join(directory, "keys", name)
    renameSync(at("root.private"), at("root.kept"))
    renameSync(at("alice.private"), at("root.private"))
    const { status, log } = await startDev(t, directory).ended
    t.equal(status, 1)
    t.match(
      log.at(-1),
      /key of user root has changed or was removed \(the key belongs to another user\).*restore/,
    )
    renameSync(at("root.private"), at("alice.kept"))
    writeFileSync(at("root.private"), "11".repeat(32))
    t.match((await startDev(t, directory).ended).log.at(-1), /changed or was removed \(.*CREDENTIAL_UNKNOWN/)
    renameSync(at("root.kept"), at("root.private"))
    const dev = startDev(t, directory)
    t.notMatch((await dev.ready()).at(-1), /keys \(mode/, "no key was written")
    dev.process.kill("SIGTERM")
    const ended = await dev.ended
    t.match(ended, { status: 0 })
    t.match(ended.log.join("\n"), /key of user alice is missing: restore \S+alice\.private/)
    renameSync(at("alice.kept"), at("alice.private"))
  })

  t.test("says of --no-seed that an earlier start has seeded already", async (t) => {
    const dev = startDev(t, directory, ["--no-seed"])
    t.match((await dev.ready()).join("\n"), before.ORGANIZATION_ID)
    dev.process.kill("SIGTERM")
    const { status, log } = await dev.ended
    t.equal(status, 0)
    t.match(log.join("\n"), /--no-seed has no effect: an earlier start created organization Dev/)
  })
})
