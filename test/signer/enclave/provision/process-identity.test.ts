import { execFileSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { codeDigest, digestOf, release } from "../../../../signer/enclave/provision/code.ts"
import { configurationDigest } from "../../../../signer/enclave/provision/process-identity.ts"

const ROOT = join(import.meta.dirname, "..", "..", "..", "..")
const COMMAND =
  "find package.json proto signer/{core,enclave,operator,process} -type f | LC_ALL=C sort | xargs sha256sum | sha256sum"

t.test("the code digest is the output of the documented command", async (t) => {
  const printed = execFileSync("bash", ["-c", COMMAND], { cwd: ROOT }).toString().split(" ")[0]
  t.equal(codeDigest(), printed)
})

t.test("the code digest covers names and contents of all files", async (t) => {
  const signer = { core: {}, enclave: { "b.ts": "2" }, operator: {}, process: {}, fetcher: {} }
  const root = t.testdir({ "package.json": "{}", proto: { "a.ts": "1" }, signer })
  const first = digestOf(root)
  t.equal(digestOf(root), first)
  writeFileSync(join(root, "signer", "enclave", "b.ts"), "3")
  const altered = digestOf(root)
  mkdirSync(join(root, "signer", "core", "other"))
  writeFileSync(join(root, "signer", "core", "other", "c.ts"), "2")
  t.equal(new Set([first, altered, digestOf(root)]).size, 3)
  const all = digestOf(root)
  writeFileSync(join(root, "elsewhere"), "")
  writeFileSync(join(root, "signer", "fetcher", "d.ts"), "")
  t.equal(digestOf(root), all, "another process's code is not the signer's")
})

t.test("the version is that of package.json, and a checkout says that it is no release", async (t) => {
  t.match(release(), /^countersign \d+\.\d+\.\d+\+checkout$/)
})

t.test("the configuration digest covers the settings that affect answers", async (t) => {
  const configuration = {
    listen: { kind: "unix" },
    keyCache: { maxEntries: 1, ttlMs: 2 },
    fetcherPublicKey: undefined,
    oidcIssuer: undefined,
    limits: { users: 3 },
  } as const
  const digests = [
    configuration,
    { ...configuration, listen: { kind: "tcp", callers: ["api"] } } as const,
    { ...configuration, listen: { kind: "tcp", callers: ["api", "other"] } } as const,
    { ...configuration, keyCache: { maxEntries: 2, ttlMs: 2 } },
    { ...configuration, fetcherPublicKey: "04" },
    { ...configuration, oidcIssuer: "https://wallet.example" },
    { ...configuration, limits: { users: 4 } },
  ].map(configurationDigest)
  t.equal(new Set(digests).size, digests.length)
  t.equal(
    configurationDigest(configuration),
    "0714eda20cb698ba548f128c782c0efd0a5bb491bfd8615470ef94d5711e8b85",
  )
})
