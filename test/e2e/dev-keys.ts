// Starts on a data directory whose keys are missing or changed.
import { copyFileSync, existsSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Test } from "tap"
import { isLong } from "../harness/long.ts"
import { startDev } from "../services/cli/dev-process.ts"

/** No system runs on the data directory, where one has been. The keys are as before afterwards. */
export function testKeys(t: Test, directory: string): void {
  t.test("reports a missing root seed, and creates none", async (t) => {
    const seed = join(directory, "signer")
    renameSync(seed, `${seed}.kept`)
    const { status, log } = await startDev(t, directory).ended
    t.equal(status, 1)
    t.match(log.at(-1), /root seed is missing.*restore \S+root-seed and \S+ledger/)
    t.notOk(existsSync(seed))
    renameSync(`${seed}.kept`, seed)
  })

  // The short form has these faults in test/services/dev/seed.test.ts alone, without a start.
  if (!isLong) return

  t.test("reports a missing key of root, and creates none", async (t) => {
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

  t.test("reports a changed key of root, and one that is another user's", async (t) => {
    const at = (name: string) => join(directory, "keys", name)
    renameSync(at("root.private"), at("root.kept"))
    copyFileSync(at("alice.private"), at("root.private"))
    const { status, log } = await startDev(t, directory).ended
    t.equal(status, 1)
    t.match(
      log.at(-1),
      /key of user root has changed or was removed \(the key belongs to another user\).*restore/,
    )
    writeFileSync(at("root.private"), "11".repeat(32))
    t.match((await startDev(t, directory).ended).log.at(-1), /changed or was removed \(.*CREDENTIAL_UNKNOWN/)
    renameSync(at("root.kept"), at("root.private"))
  })
}
