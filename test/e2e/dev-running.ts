// Services of a development system while it runs.
import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import type { Test } from "tap"
import { proxyPaths } from "../../proto/proxy-operations.ts"
import { PROXY_PREFIX } from "../contract/tables/wire.ts"
import { runCommandLine } from "../harness/commands.ts"
import { casesOf } from "../harness/long.ts"
import { commandLine } from "../services/cli/command-line.ts"
import { devEnvironment, readEnvFile, runProgram } from "../services/cli/dev-process.ts"

/** Examples that leave something behind run again in the long form, on what they left. */
const RUNS = casesOf(1, ["the first run", "the second run"])

/** As `runProgram`, in one process with the others. */
export function runNext(directory: string, program: string, ...words: string[]) {
  return runCommandLine({ program, words, environment: devEnvironment(directory), input: "" })
}

/** `lines`: what the first start on this data directory printed. */
export function testRunning(t: Test, directory: string, lines: readonly string[]): void {
  t.test("prints each address and ends with Ready", async (t) => {
    t.match(lines[0], /^DEVELOPMENT .*Not for real funds/)
    for (const name of ["Database", "Signer", "Fetcher", "API", "Auth proxy", "Worker"]) {
      t.equal(lines.filter((line) => line.startsWith(name)).length, 1, name)
    }
    t.ok(
      lines.some((line) =>
        /^Organization Dev .*root backend alice bob .*First 0x[0-9a-fA-F]{40}$/.test(line),
      ),
    )
    t.match(lines.at(-1), /^Ready in \d+\.\d s\. Wrote \S+\.env\.local, \S+keys \(mode 0600\)$/)
  })

  t.test("the auth proxy asks for a configuration, and answers 501 to what it does not serve", async (t) => {
    const url = lines.find((line) => line.startsWith("Auth proxy "))?.split(/ +/)[2]
    for (const { path, served } of proxyPaths.values()) {
      const reply = await fetch(`${url}${PROXY_PREFIX}${path}`, { method: "POST", body: "{}" })
      const [status, json] = served
        ? [400, { code: 3, message: /X-Auth-Proxy-Config-ID/i }]
        : [501, { code: 12, message: new RegExp(`^${path} is not implemented`) }]
      t.equal(reply.status, status, path)
      t.match(await reply.json(), json, path)
    }
  })

  t.test("writes keys and values for their owner only", async (t) => {
    for (const name of [
      ".env.local",
      "keys/root.private",
      "keys/bob.private",
      "signer/root-seed",
      "fetcher/seed",
    ]) {
      t.equal(statSync(join(directory, name)).mode & 0o777, 0o600, name)
    }
    t.match(readEnvFile(directory), { API_PUBLIC_KEY: /^0[23]/, SIGN_WITH: /^0x/, TURNKEY_BASE_URL: /^http/ })
  })

  t.test("signs with the published client", async (t) => {
    const { status, out, log } = await runProgram(directory, "examples/sign.ts")
    t.equal(status, 0, log)
    t.match(out, /viem verifies it +yes/)
    t.match(out, /the proof of it is genuine +yes/)
    const { signerPublicKey } = JSON.parse(readFileSync(join(directory, "pins.json"), "utf8")) as {
      signerPublicKey: string
    }
    const [, shown = ""] = /root key of the proof +([0-9a-f ]+)$/m.exec(out) ?? []
    t.equal(shown, signerPublicKey.slice(2, 18).replace(/(....)(?=.)/g, "$1 "))
    t.ok(
      lines.some((line) => line.endsWith(`root key ${shown}`)),
      "as the start showed it",
    )
    t.match(out, `Next: COUNTERSIGN_DATA_DIR='${directory}' npm run example:quickstart`)
  })

  t.test("proves a signature with the pinned keys", async (t) => {
    const { status, out, log } = await runNext(directory, "examples/verify.ts")
    t.equal(status, 0, log)
    t.match(out, /proven +the signer decided OUTCOME_ALLOW on activity/)
    t.match(out, /not-proven +that this code really ran/)
    t.match(out, /the proof holds +yes/)
  })

  t.test("runs the onboarding example: the company cannot use its customer's key", async (t) => {
    const { status, out, log } = await runNext(directory, "examples/onboard.ts")
    t.equal(status, 0, log)
    t.match(out, /signed by the customer +0x[0-9a-f]{130}\n/)
    t.match(out, /the company itself +refused: .*voters are in organization/)
  })

  t.test("runs the policy example: backend signs by policy, and with two approvals", async (t) => {
    for (const which of RUNS) {
      const { status, out, log } = await runNext(directory, "examples/policies.ts")
      t.equal(status, 0, `${which}: ${log}`)
      t.match(out, /a small permit +signed by 0x/)
      t.match(out, /too large a permit +refused: .*permissions/)
      t.match(out, /an amount sent as text +signed by 0x/)
      t.match(out, /too large as text +refused: .*permissions/)
      t.match(out, /a permit of another token +refused: .*permissions/)
      t.match(out, /backend proposes +ACTIVITY_STATUS_CONSENSUS_NEEDED\n/)
      t.match(out, /bob approves +ACTIVITY_STATUS_COMPLETED\n/)
      t.match(out, /what they approved +signed by 0x/)
    }
  })

  t.test("runs the quickstart: a wallet, a signature, a policy and an approval", async (t) => {
    for (const which of RUNS) {
      const { status, out, log } = await runNext(directory, "examples/quickstart.ts")
      t.equal(status, 0, `${which}: ${log}`)
      t.match(out, /who am I +root of Dev\n/)
      t.match(out, /viem verifies it +signed by 0x/)
      t.match(out, /backend without a policy +refused: .*permissions/)
      t.match(out, /backend proposes +ACTIVITY_STATUS_CONSENSUS_NEEDED\n/)
      t.match(out, /alice approves +ACTIVITY_STATUS_COMPLETED\n/)
      t.match(out, /what alice approved +signed by 0x/)
      t.match(out, /the wallet is deleted +yes\n/)
    }
  })

  t.test("runs the treasury example: two approvals sign, one rejection ends", async (t) => {
    for (const which of RUNS) {
      const { status, out, log } = await runNext(directory, "examples/treasury.ts")
      t.equal(status, 0, `${which}: ${log}`)
      t.match(out, /backend proposes +0\.25 ETH to 0x0+aa: ACTIVITY_STATUS_CONSENSUS_NEEDED\n/)
      t.match(out, /alice reads +pays 0\.25 ETH to 0x0+aa on chain 1\n/)
      t.match(out, /alice approves +ACTIVITY_STATUS_CONSENSUS_NEEDED\n/)
      t.match(out, /bob approves +ACTIVITY_STATUS_COMPLETED\n/)
      t.match(out, /the treasury signed what was approved +yes\n/)
      t.match(out, /alice reads +pays 40 ETH to 0x0+bb on chain 1\n/)
      t.match(out, /alice rejects +ACTIVITY_STATUS_REJECTED\n/)
      t.match(out, /bob comes too late +refused: /)
      t.match(out, /\nShown: /)
    }
  })

  t.test(
    "runs the delegation example: a service pays within limits until the customer withdraws",
    async (t) => {
      const { status, out, log } = await runNext(directory, "examples/delegated.ts")
      t.equal(status, 0, log)
      t.match(out, /the first payment +signed: 0\.1 ETH to 0x0+aa\n/i)
      t.match(out, /the second payment +signed: /)
      t.match(out, /a third one on that day +refused: .*ether_of_a_day/)
      for (const attempt of ["0.15 ETH at once", "another contract", "another function", "the policy itself"])
        t.match(out, new RegExp(`${attempt} +refused: `))
      t.match(out, /the customer, without limit +signed: 3 ETH/)
      t.match(out, /the service afterwards +refused: /)
      t.match(out, /the customer alone is left +yes\n/)
    },
  )

  t.test("accepts every seeded user's key", async (t) => {
    const { BASE_URL = "" } = readEnvFile(directory)
    const settings = { COUNTERSIGN_DATA_DIR: directory }
    for (const name of ["root", "backend", "alice", "bob"]) {
      const { status, out, log } = await commandLine(settings, "whoami", "--as", name, "--api", BASE_URL)
      t.equal(status, 0, log)
      t.match(JSON.parse(out), { username: name, organizationName: "Dev" })
    }
  })

  t.test("enables the auth proxy for Dev, which is ready and answers login pages", async (t) => {
    const { AUTH_PROXY_URL = "", AUTH_PROXY_CONFIG_ID = "", ORGANIZATION_ID } = readEnvFile(directory)
    t.match(await (await fetch(`${AUTH_PROXY_URL}/readyz`)).json(), { ready: true, core: "ok", pins: "ok" })
    const headers = { "x-auth-proxy-config-id": AUTH_PROXY_CONFIG_ID }
    const reply = await fetch(`${AUTH_PROXY_URL}/v1/wallet_kit_config`, { method: "POST", headers })
    t.match(await reply.json(), { organizationId: ORGANIZATION_ID })
  })

  t.test("creates another organization with a setup code, once", async (t) => {
    const { BASE_URL = "" } = readEnvFile(directory)
    const countersign = (...words: string[]) => commandLine({ COUNTERSIGN_DATA_DIR: directory }, ...words)
    const generated = await countersign("key", "generate", "carol", "--json")
    const { publicKey } = JSON.parse(generated.out)
    const setupCode = ["setup-code", "--for", publicKey, "--expires", "600"]
    const { out: code } = await runNext(directory, "signer/operator/main.ts", ...setupCode)
    const user = ["--setup-code", code.trim(), "--user-name", "root"]
    const words = ["org", "create", "Acme", ...user, "--json", "--api", BASE_URL]
    const { status, out, log } = await countersign(...words)
    t.equal(status, 0, log)
    t.match(JSON.parse(out), {
      organizationId: /^[0-9a-f-]{36}$/,
      userId: /./,
      apiPrivateKey: /^[0-9a-f]{64}$/,
    })
    t.match(await countersign(...words), { status: 3, out: "" })
  })

  t.test("answers the operator's commands", async (t) => {
    for (const [words, expected, out] of casesOf(1, [
      [["pins", "--json"], 0, { signerPublicKey: /^04/, fetcherPublicKey: /^04/ }],
      [["status", "--json"], 0, { phase: "READY" }],
      // Its clock is not in doubt.
      [["accept-clock"], 3, undefined],
      [["setup-code", "--for", "02aa"], 3, undefined],
    ] as const)) {
      const ended = await runNext(directory, "signer/operator/main.ts", ...words)
      t.equal(ended.status, expected, words.join(" "))
      if (out !== undefined) t.match(JSON.parse(ended.out), out)
    }
  })
}
