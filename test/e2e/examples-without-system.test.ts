import { once } from "node:events"
import { globSync, readFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import t from "tap"
import { generateApiKey } from "../../services/terminal-client/api-key.ts"
import { type EnvValues, writeEnvFile } from "../../services/dev/env-file.ts"
import { writeKey } from "../../services/terminal-client/key-folder.ts"
import { packageRoot } from "../../services/terminal-client/settings.ts"
import { casesOf } from "../harness/long.ts"
import { runProgram } from "../services/cli/dev-process.ts"

const EXAMPLES = globSync("examples/*.ts", { cwd: packageRoot }).filter(
  (file) => !/(development-values|steps|terminal|users)\.ts$/.test(file),
)

const values: Omit<EnvValues, "publicKey" | "privateKey"> = {
  url: await silentUrl(),
  authProxyUrl: "http://localhost:8081",
  authProxyConfigId: "44444444-4444-4444-8444-444444444444",
  dashboardUrl: "http://localhost:8082",
  organizationId: "11111111-1111-4111-8111-111111111111",
  userId: "22222222-2222-4222-8222-222222222222",
  walletId: "33333333-3333-4333-8333-333333333333",
  address: "0x0000000000000000000000000000000000000001",
}

t.test("examples report in one sentence what is missing, and the command that starts it", async (t) => {
  t.ok(EXAMPLES.length >= 4)
  // They read the values by the same code.
  for (const file of EXAMPLES)
    t.match(
      readFileSync(join(packageRoot, file), "utf8"),
      /^import .*"\.\/(?:development-values|users)\.ts"$/m,
      file,
    )
  for (const file of casesOf(2, EXAMPLES)) {
    const says = async (place: string, sentence: RegExp) => {
      const { status, out, log } = await runProgram(place, file)
      t.equal(status, 1, file)
      t.equal(out, "", file)
      t.match(log, sentence, file)
      t.notMatch(log, /\n/, "one sentence, no stack")
    }
    const directory = t.testdir({ never: {}, unseeded: { "dev.lock": "1\n" }, stopped: {} })
    const never = join(directory, "never")
    const start = (place: string) => `\\. In another terminal: COUNTERSIGN_DATA_DIR='${place}' npm start$`
    await says(never, new RegExp(`\\.env\\.local is not there${start(never)}`))

    // All examples read the same file by the same code.
    if (casesOf(1, EXAMPLES).includes(file))
      await says(
        join(directory, "unseeded"),
        /^not ready yet: wait until `npm start` says Ready\. .*without seed \(--no-seed\)/,
      )

    const stopped = join(directory, "stopped")
    const keys = join(stopped, "keys")
    for (const name of ["root", "backend", "alice", "bob"]) await writeKey(keys, name, generateApiKey())
    const half = (which: string) => readFileSync(join(keys, `root.${which}`), "utf8")
    const key = { publicKey: half("public"), privateKey: half("private") }
    await writeEnvFile(join(stopped, ".env.local"), { ...values, ...key })
    await says(stopped, new RegExp(`nothing answers at ${values.url}${start(stopped)}`))
  }
})

/** Address of a listener that was closed. */
async function silentUrl(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const port = typeof address === "object" && address ? address.port : 0
  server.close()
  await once(server, "close")
  return `http://localhost:${port}`
}
