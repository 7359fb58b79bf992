// An API whose ids and names are shell commands: commands that the command line prints are pasted into a terminal.
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import t, { type Test } from "tap"
import { generateApiKey } from "../../../services/terminal-client/api-key.ts"
import { bindKey, writeKey } from "../../../services/terminal-client/key-folder.ts"
import { commandFor } from "../../../services/dashboard/words/command.ts"
import { commandText, shownId } from "../../../signer/core/command-text.ts"
import { listen } from "../../../services/cli/commands/webhook-listen.ts"
import type { CliError } from "../../../services/terminal-client/exit.ts"
import { WEBHOOK_KEYS_PATH } from "../../../signer/core/webhook/statement.ts"
import { patienceMs } from "../../harness/patience.ts"
import { commandLine } from "./command-line.ts"
import { type Answer, fakeApi } from "./fake-api.ts"

const ID = "0198c0de-0000-7000-8000-000000000001"

/** Texts that a shell or the command line would obey. */
const HOSTILE = [
  "$(touch owned)",
  "`touch owned`",
  "'; touch owned; '",
  '"; touch owned; "',
  "x\ntouch owned\n",
  "x && touch owned",
  "| touch owned",
  "--api=https://evil.example",
  "-h",
]

/** Runs printed commands in a shell whose programs only note their arguments. Returns the arguments, and whether more ran. */
function paste(t: Test, printed: string) {
  const folder = t.testdir()
  const bin = join(folder, "bin")
  mkdirSync(bin)
  for (const name of ["npx", "countersign"]) {
    writeFileSync(join(bin, name), `#!/bin/sh\nprintf '%s\\n' "$@" >> "${join(folder, "arguments")}"\n`)
    chmodSync(join(bin, name), 0o755)
  }
  const commands = printed
    .split("\n")
    .flatMap((line) => /(?:npx )?countersign [a-z].*$/.exec(line)?.[0] ?? [])
  for (const command of commands)
    try {
      execFileSync("/bin/sh", ["-c", command], {
        cwd: folder,
        env: { PATH: `${bin}:/usr/bin:/bin` },
        stdio: "ignore",
      })
    } catch {
      // Words around a command can be no program.
    }
  const noted = existsSync(join(folder, "arguments")) ? readFileSync(join(folder, "arguments"), "utf8") : ""
  return { commands, noted, hasRunMore: existsSync(join(folder, "owned")) }
}

function requireHarmless(t: Test, printed: string, about: string): void {
  const { commands, noted, hasRunMore } = paste(t, printed)
  t.not(commands.length, 0, `${about}: a command is printed`)
  t.notOk(hasRunMore, `${about}: nothing but the command runs`)
  t.notMatch(noted.split("\n"), ["--api=https://evil.example"], `${about}: no id is an option`)
}

async function against(t: Test, answers: { [path: string]: Answer }) {
  const COUNTERSIGN_DATA_DIR = t.testdir()
  const folder = join(COUNTERSIGN_DATA_DIR, "keys")
  await writeKey(folder, "root", generateApiKey())
  await bindKey(folder, "root", ID)
  const api = await fakeApi(t, answers)
  const call = async (...words: string[]) => {
    const { out, log } = await commandLine({ COUNTERSIGN_DATA_DIR }, ...words, "--api", api.url)
    return `${out}\n${log}`
  }
  return { call, url: api.url, directory: COUNTERSIGN_DATA_DIR }
}

t.test("W31: commands that name what the API states run nothing else", async (t) => {
  for (const evil of HOSTILE) {
    const denial = {
      status: 403,
      reply: {
        message: "denied",
        details: [
          { reason: "PERMISSION_DENIED", metadata: { activityId: evil, requestId: evil } },
          { policyEvaluations: [{ policyId: evil, outcome: "OUTCOME_DENY" }], message: "denied" },
        ],
      },
    }
    const activity = { id: ID, organizationId: evil, status: "ACTIVITY_STATUS_CONSENSUS_NEEDED", result: {} }
    const { call } = await against(t, {
      "/public/v1/query/whoami": denial,
      "/public/v1/submit/create_wallet": { reply: { activity } },
      "/public/v1/query/simulate_policies": { reply: { voterIds: [evil] } },
      "/public/v1/query/get_organization_configs": { reply: { configs: { quorum: { userIds: [ID] } } } },
      "/public/v1/query/list_users": { reply: { users: [{ userId: ID, userName: evil }] } },
    })
    const denied = await call("request", "whoami")
    t.notMatch(denied, /activity explain/, "an id that is none has no command")
    t.notMatch(denied, `policy ${evil}`, "an id that is none is not printed as one")
    requireHarmless(t, await call("wallet", "create", "Savings"), `approval by ${evil}`)
  }
})

t.test("W31: the command that a send prints when it is interrupted", async (t) => {
  const { url, directory } = await against(t, {
    "/public/v1/submit/eth_send_transaction": {
      reply: {
        activity: {
          id: ID,
          status: "ACTIVITY_STATUS_COMPLETED",
          result: { ethSendTransactionResult: { sendTransactionStatusId: "'; touch owned; '" } },
        },
      },
    },
    "/public/v1/query/get_send_estimate": {
      reply: { gasLimit: "21000", maxFeePerGas: "1", maxPriorityFeePerGas: "1" },
    },
    "/public/v1/query/get_send_transaction_status": { reply: { txStatus: "BROADCASTING" } },
  })
  const account = `0x${"ab".repeat(20)}`
  const words = ["send", "--chain", "eip155:1", "--from", account, "--to", account, "--value", "1", "--yes"]
  const child = spawn(process.execPath, ["services/cli/main.ts", ...words, "--api", url], {
    env: { ...process.env, COUNTERSIGN_DATA_DIR: directory },
    stdio: ["ignore", "ignore", "pipe"],
  })
  const printed = text(child.stderr)
  const asked = new Promise((resolve) => child.stderr.once("data", resolve))
  await asked
  // Another signal ends the command at once: it comes late enough for the command to be printed on a busy machine.
  const interrupt = () => child.kill("SIGINT")
  const timers = [setTimeout(interrupt, 200), setInterval(interrupt, patienceMs(5_000))]
  await once(child, "exit")
  timers.forEach(clearTimeout)
  requireHarmless(t, await printed, "interrupted send")
})

t.test("W31: commands of the dashboard", (t) => {
  for (const evil of HOSTILE) {
    for (const type of ["", `ACTIVITY_TYPE_${evil}`]) {
      const printed = commandFor({ path: `get_wallet${evil}`, type }, { walletId: evil })
      t.notOk(paste(t, printed).hasRunMore, printed)
    }
    t.equal(shownId(evil, "ID"), "ID")
    t.notOk(paste(t, commandText`countersign webhook deliveries ${evil}`).hasRunMore)
  }
  t.equal(shownId(ID.toUpperCase(), "ID"), ID)
  t.end()
})

t.test("W31: webhook listen deletes no endpoint but its own", async (t) => {
  const OTHER = "0198c0de-0000-7000-8000-000000000002"
  const NEW = "0198c0de-0000-7000-8000-000000000003"
  const run = async ({ stated, listed }: { stated: string; listed: readonly string[] }) => {
    let made = ""
    const stop = new AbortController()
    const api = await fakeApi(t, {
      [WEBHOOK_KEYS_PATH]: { reply: { keys: [] } },
      "/public/v1/query/list_webhook_endpoints": () => ({
        reply: {
          webhookEndpoints: [
            { endpointId: OTHER, name: "events", url: "https://hooks.example/", subscriptions: [] },
            ...(made === ""
              ? []
              : listed.map((endpointId) => ({ endpointId, name: made, subscriptions: [] }))),
          ],
        },
      }),
      "/public/v1/submit/create_webhook_endpoint": (body) => {
        made = (JSON.parse(body) as { parameters: { name: string } }).parameters.name
        setImmediate(() => stop.abort())
        const result = { createWebhookEndpointResult: { endpointId: stated } }
        return { reply: { activity: { id: ID, status: "ACTIVITY_STATUS_COMPLETED", result } } }
      },
      "/public/v1/submit/delete_webhook_endpoint": {
        reply: { activity: { id: ID, status: "ACTIVITY_STATUS_COMPLETED", result: {} } },
      },
    })
    const folder = t.testdir()
    const context = {
      client: { url: api.url, key: { ...generateApiKey(), name: "root" } },
      organizationId: ID,
      terminal: { print: () => undefined, log: () => undefined },
      requestsFolder: join(folder, "requests"),
      keysFolder: join(folder, "keys"),
      pinsFile: join(folder, "pins.json"),
    }
    const fault = await listen({}, context, stop.signal).then(
      () => undefined,
      (error: unknown) => error as CliError,
    )
    const deleted = api.seen.filter(({ path }) => path.endsWith("/delete_webhook_endpoint"))
    return {
      fault,
      deleted: deleted.map(({ body }) => (JSON.parse(body) as { parameters: object }).parameters),
    }
  }
  t.match(await run({ stated: NEW, listed: [NEW] }), { fault: undefined, deleted: [{ endpointId: NEW }] })
  for (const lie of [
    { stated: OTHER, listed: [NEW] },
    { stated: OTHER, listed: [OTHER] },
    { stated: "--api=https://evil.example", listed: [NEW] },
    { stated: NEW, listed: [OTHER] },
  ]) {
    const { fault, deleted } = await run(lie)
    t.match(
      fault,
      { code: 6, message: /is not the one that was made: nothing is deleted/ },
      JSON.stringify(lie),
    )
    t.strictSame(deleted, [])
  }
})
