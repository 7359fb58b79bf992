import { readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { dangerouslyRevealPrivateKey, generateApiKey } from "../../../services/terminal-client/api-key.ts"
import { ExitCode } from "../../../services/terminal-client/exit.ts"
import { bindKey, findKey, readKey, writeKey } from "../../../services/terminal-client/key-folder.ts"

t.test(
  "the key folder has the files of the published command line, readable by their owner only",
  async (t) => {
    const folder = join(t.testdir(), "keys")
    const key = generateApiKey()
    const files = await writeKey(folder, "alice", key)
    t.equal(readFileSync(files.privateKeyFile, "utf8"), dangerouslyRevealPrivateKey(key), "no newline")
    t.equal(readFileSync(join(folder, "alice.public"), "utf8"), key.publicKey)
    const meta = JSON.parse(readFileSync(join(folder, "alice.meta"), "utf8"))
    t.match(meta, { name: "alice", organizations: [], public_key: key.publicKey })
    t.equal(statSync(folder).mode & 0o777, 0o700)
    for (const name of ["alice.private", "alice.public", "alice.meta"]) {
      t.equal(statSync(join(folder, name)).mode & 0o777, 0o600, name)
    }
  },
)

t.test("a key of another curve, as the published command line makes them, is named", async (t) => {
  const folder = t.testdir()
  for (const [text, message] of [
    [
      `${"11".repeat(32)}:secp256k1`,
      /holds no P-256 private key .*, but one of secp256k1: this command line/,
    ],
    [`${"11".repeat(32)}:ed25519`, /but one of ed25519/],
    ["nonsense", /alice\.private holds no P-256 private key \(64 hexadecimal digits\)$/],
  ] as const) {
    writeFileSync(join(folder, "alice.private"), text)
    await t.rejects(readKey(folder, "alice"), { code: ExitCode.fault, message })
  }
  writeFileSync(join(folder, "alice.private"), `${"11".repeat(32)}:p256`)
  t.match(await readKey(folder, "alice"), { name: "alice" })
})

t.test("a key file is never overwritten", async (t) => {
  const folder = t.testdir()
  const { publicKey } = await writeKey(folder, "alice", generateApiKey())
  await t.rejects(writeKey(folder, "alice", generateApiKey()), {
    code: ExitCode.usage,
    message: /was not changed/,
  })
  t.equal((await readKey(folder, "alice")).publicKey, publicKey)
})

t.test("a key name that leaves the folder is refused", async (t) => {
  for (const name of ["../alice", "a/b", "", ".hidden", "a b", "x".repeat(65)]) {
    await t.rejects(writeKey(t.testdirName, name, generateApiKey()), { code: ExitCode.usage })
  }
})

t.test("a key is found by a unique prefix of its name; else the names are listed", async (t) => {
  const folder = t.testdir()
  for (const name of ["alice", "alan", "bob"]) await writeKey(folder, name, generateApiKey())
  t.equal((await readKey(folder, "b")).name, "bob")
  await t.rejects(readKey(folder, "al"), {
    code: ExitCode.usage,
    message: /several keys begin with.*alan.*alice/,
  })
  await t.rejects(readKey(folder, "carol"), { message: /no key "carol".*key generate/ })
})

t.test("an exact key name takes precedence over a prefix", async (t) => {
  const folder = t.testdir()
  for (const name of ["bob", "bobby"]) await writeKey(folder, name, generateApiKey())
  t.equal((await readKey(folder, "bob")).name, "bob")
})

t.test("a key is found by its public key", async (t) => {
  const folder = t.testdir()
  const { publicKey } = await writeKey(folder, "alice", generateApiKey())
  t.equal((await findKey(folder, publicKey.toUpperCase()))?.name, "alice")
  t.equal(await findKey(folder, "02".repeat(33)), undefined)
  t.equal(await findKey(join(folder, "missing"), publicKey), undefined)
})

t.test("the key folder keeps the organization bound last", async (t) => {
  const folder = t.testdir()
  await writeKey(folder, "alice", generateApiKey())
  t.equal((await readKey(folder, "alice")).organizationId, undefined)
  for (const organizationId of ["one", "two", "two"]) await bindKey(folder, "alice", organizationId)
  t.equal((await readKey(folder, "alice")).organizationId, "two")
  const meta = JSON.parse(readFileSync(join(folder, "alice.meta"), "utf8"))
  t.same(meta.organizations, ["two", "one"])
})

t.test("a file without a key is reported by its path", async (t) => {
  const folder = t.testdir()
  writeFileSync(join(folder, "bad.private"), "hello")
  await t.rejects(readKey(folder, "bad"), { code: ExitCode.fault, message: /bad\.private/ })
})
