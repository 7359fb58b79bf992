// The programs of docs/quickstart.md for other languages sign on a running system, and viem says who signed.
import { execFile, spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import t from "tap"
import { type Hex, keccak256, recoverAddress, serializeSignature, stringToHex } from "viem"
import { wallet } from "../e2e/wallets.ts"
import { userParams } from "../harness/api-client.ts"
import { isLong } from "../harness/long.ts"
import { patienceMs } from "../harness/patience.ts"
import { sharedSystem } from "../harness/shared-system.ts"
import { newKey, type TestKey } from "../harness/stamper.ts"
import { privateKeyHex } from "../harness/system.ts"
import { sdkOf } from "./published.ts"

const FOLDER = join(import.meta.dirname, "..", "..", "examples", "quickstart")
const RUST = join(FOLDER, "rust", "target", "debug", "quickstart")
const HASH = keccak256(stringToHex("pay the supplier"))
const NOT_COMPILED = "Go's library is not compiled on this host: npm run test:long compiles it"
/** Compilers start slowly on a busy machine. */
const COMPILED_MS = patienceMs(300_000)

type Program = {
  language: string
  command: string[]
  /** Reads the program and runs nothing; empty: the host has not what would read it. */
  check: string[]
  denial: RegExp
  skip: string | false
}

const programs: Program[] = [
  {
    language: "Go",
    command: ["go", "run", join(FOLDER, "first.go")],
    check: ["gofmt", "-e", join(FOLDER, "first.go")],
    denial: /^403 Forbidden: .*No policies evaluated to outcome: Allow/,
    skip:
      unless(hasParseRawPrivateKey(), "needs Go 1.25 or newer") ||
      unless(isLong || isCompiled(), NOT_COMPILED),
  },
  {
    language: "Python",
    command: ["python3", join(FOLDER, "first.py")],
    check: ["python3", "-c", `import ast; ast.parse(open("${join(FOLDER, "first.py")}").read())`],
    denial: /TurnkeyNetworkError: You don't have sufficient permissions to take this action/,
    skip: unless(succeeds("python3", "-c", "import turnkey_http"), "needs: pip install turnkey-http"),
  },
  {
    language: "Rust",
    command: [RUST],
    check: succeeds("rustfmt", "--version")
      ? ["rustfmt", "--emit=stdout", "--edition", "2021", join(FOLDER, "rust", "src", "main.rs")]
      : [],
    denial: /403\b.*No policies evaluated to outcome: Allow/,
    skip: unless(
      existsSync(RUST),
      "not built: cargo build --locked --manifest-path examples/quickstart/rust/Cargo.toml",
    ),
  },
]

t.test("the programs are valid texts of their languages", async (t) => {
  for (const { language, check } of programs) {
    const [reader, ...words] = check
    if (reader === undefined) {
      t.comment(`${language}: nothing that reads it is installed`)
      continue
    }
    const { error, status, stderr } = spawnSync(reader, words, { encoding: "utf8" })
    if (error) t.comment(`${language}: ${reader} is not installed`)
    else t.equal(status, 0, `${language}: ${stderr}`)
  }
  t.ok(programs.length > 1)
})

for (const { language, command, denial, skip } of programs) {
  t.test(
    `the program in ${language} signs for root, and is denied for alice`,
    { skip, timeout: COMPILED_MS },
    async (t) => {
      const system = await sharedSystem()
      const acme = await system.createOrganization()
      const address = await wallet(system, acme, language)
      const alice = newKey()
      await sdkOf(system, acme.organizationId, acme.root).createUsers({
        users: [userParams("alice", alice) as never],
      })
      const run = (key: TestKey) => {
        const [program = "", ...args] = command
        const env = {
          ...process.env,
          BASE_URL: system.url,
          ORGANIZATION_ID: acme.organizationId,
          API_PUBLIC_KEY: key.publicKeyHex,
          API_PRIVATE_KEY: privateKeyHex(key),
          SIGN_WITH: address,
        }
        return promisify(execFile)(program, args, { env })
      }
      const [r = "", s = "", v = ""] = (await run(acme.root)).stdout.trim().split(" ")
      t.equal(await signerOf(r, s, v), address)
      const denied = (await run(alice).catch((error: unknown) => error)) as { code: number; stderr: string }
      t.not(denied.code ?? 0, 0)
      t.match(denied.stderr, denial)
    },
  )
}

function signerOf(r: string, s: string, v: string): Promise<Hex> {
  const signature = serializeSignature({ r: `0x${r}`, s: `0x${s}`, yParity: Number.parseInt(v, 16) })
  return recoverAddress({ hash: HASH, signature })
}

function unless(holds: boolean, reason: string): string | false {
  return holds ? false : reason
}

function succeeds(program: string, ...args: string[]): boolean {
  return spawnSync(program, args).status === 0
}

/** Whether Go has the compiled standard library of an earlier run: compiling it takes most of a minute of processor time. */
function isCompiled(): boolean {
  const { stdout, stderr } = spawnSync("go", ["build", "-n", join(FOLDER, "first.go")], { encoding: "utf8" })
  return `${stdout}${stderr}`.split("/compile ").length < 10
}

function hasParseRawPrivateKey(): boolean {
  return succeeds("go", "doc", "crypto/ecdsa.ParseRawPrivateKey")
}
