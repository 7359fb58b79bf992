// `policy replay` that is interrupted says how to go on, and the printed command does.
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import t, { type Test } from "tap"
import { generateApiKey } from "../../../services/terminal-client/api-key.ts"
import { bindKey, writeKey } from "../../../services/terminal-client/key-folder.ts"
import { packageRoot } from "../../../services/terminal-client/settings.ts"
import { fakeApi } from "./fake-api.ts"

const IDS = Array.from(
  { length: 90 },
  (_, index) => `019b76da-a800-7000-8000-${String(index).padStart(12, "0")}`,
)
const ACTIVITIES = IDS.map((id, index) => ({
  id,
  type: "ACTIVITY_TYPE_CREATE_WALLET",
  fingerprint: `sha256:${String(index).padStart(64, "0")}`,
  status: "ACTIVITY_STATUS_COMPLETED",
}))
const INTERRUPTED = 128 + 2

/** An API that calls `onSimulation` at each simulation, and finds no difference. */
async function setup(t: Test, onSimulation: (count: number) => void) {
  const COUNTERSIGN_DATA_DIR = t.testdir()
  const keys = join(COUNTERSIGN_DATA_DIR, "keys")
  await writeKey(keys, "root", generateApiKey())
  await bindKey(keys, "root", "org-1")
  const policies = join(COUNTERSIGN_DATA_DIR, "policies.json")
  writeFileSync(policies, JSON.stringify({ policies: [{ policyName: "none", effect: "EFFECT_DENY" }] }))
  let count = 0
  const lists = ["users", "wallets", "policies", "private_keys", "user_tags", "wallet_accounts"]
  const api = await fakeApi(t, {
    ...Object.fromEntries(lists.map((name) => [`/public/v1/query/list_${name}`, { reply: {} }])),
    "/public/v1/query/list_activities": (body) => {
      const { limit, after } = JSON.parse(body).paginationOptions as { limit: string; after?: string }
      const from = after === undefined ? 0 : IDS.indexOf(after) + 1
      return { reply: { activities: ACTIVITIES.slice(from, from + Number(limit)) } }
    },
    "/public/v1/query/get_activity": (body) => ({
      reply: { activity: ACTIVITIES.find(({ id }) => id === JSON.parse(body).activityId) },
    }),
    "/public/v1/query/simulate_policies": () => {
      onSimulation(++count)
      return { reply: { outcome: "OUTCOME_ALLOW" } }
    },
  })
  const start = (...words: string[]) => {
    const all = ["policy", "replay", policies, "--api", api.url, ...words]
    const env = { PATH: process.env["PATH"], COUNTERSIGN_DATA_DIR }
    const child = spawn(process.execPath, [join(packageRoot, "services/cli/main.ts"), ...all], { env })
    const ended = async () => {
      const [out, log, [status]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, "close"),
      ])
      return { status: status as number, out, log }
    }
    return { child, ended: ended() }
  }
  return { start }
}

t.test("Ctrl-C prints what was found, and the command that goes on behind it", async (t) => {
  let child: ChildProcess | undefined
  const { start } = await setup(t, (count) => {
    if (count === 11) child?.kill("SIGINT")
  })
  const first = start("--limit", "90", "--json")
  child = first.child
  const stopped = await first.ended
  child = undefined
  t.equal(stopped.status, INTERRUPTED)
  const [, limit = "", after = ""] = /policy replay \S+ --limit (\d+) --after (\S+)/.exec(stopped.log) ?? []
  const partial = JSON.parse(stopped.out) as { replayed: number; changed: object[]; resumeAfter: string }
  const looked = IDS.indexOf(after) + 1
  t.ok(looked >= 5 && looked < IDS.length, stopped.log)
  t.strictSame(partial, { replayed: looked, changed: [], resumeAfter: after })
  t.equal(Number(limit), IDS.length - looked)
  const rest = await start("--limit", limit, "--after", after, "--json").ended
  t.match(rest, { status: 0 })
  t.equal((JSON.parse(rest.out) as { replayed: number }).replayed, IDS.length - looked, "all the others")
})

t.test("without a terminal the last line of progress is JSON with the whole count", async (t) => {
  const { start } = await setup(t, () => undefined)
  const { status, out, log } = await start("--limit", "3").ended
  t.equal(status, 0, log)
  t.match(out, /^0 of 3 recent activities would be decided otherwise$/m)
  t.match(JSON.parse(log.trim().split("\n").at(-1) ?? ""), { progress: "activities", done: 3, total: 3 })
})
