// Endpoints that follow balances in the file of an organization: what `config export` writes, `config apply` makes.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import t, { type Test } from "tap"
import { parse } from "yaml"
import { generateApiKey } from "../../../services/terminal-client/api-key.ts"
import { bindKey, writeKey } from "../../../services/terminal-client/key-folder.ts"
import { commandLine } from "./command-line.ts"
import { fakeApi } from "./fake-api.ts"
import { ORGANIZATION, organizationAnswers } from "./organization-answers.ts"

const ENDPOINT = "0198c0de-0000-7000-8000-000000000007"
const FOLLOWED = `eip155:1:0x${"ab".repeat(20)}`
const OTHER = `solana:mainnet:${"1".repeat(32)}`

const subscriptions = (...addresses: string[]) => [
  { eventType: "ACTIVITY_UPDATES", isActive: true },
  { eventType: "BALANCE_FINALIZED_UPDATES", isActive: true, filtersJson: JSON.stringify({ addresses }) },
]
const row = (...addresses: string[]) => ({
  endpointId: ENDPOINT,
  name: "deposits",
  url: "https://hooks.example.com/deposits",
  isActive: true,
  subscriptions: subscriptions(...addresses),
})
/** Runs commands against an API that has these endpoints and completes each change. */
async function deployment(t: Test, rows: readonly object[]) {
  const COUNTERSIGN_DATA_DIR = t.testdir()
  const folder = join(COUNTERSIGN_DATA_DIR, "keys")
  await writeKey(folder, "root", generateApiKey())
  await bindKey(folder, "root", ORGANIZATION)
  let now = rows
  const completed = (type: string, after: readonly object[]) => () => {
    now = after
    const activity = { id: ENDPOINT, organizationId: ORGANIZATION, result: {}, type: `ACTIVITY_TYPE_${type}` }
    return { reply: { activity: { ...activity, status: "ACTIVITY_STATUS_COMPLETED" } } }
  }
  const api = await fakeApi(t, {
    ...organizationAnswers(() => ({})),
    "/public/v1/query/list_webhook_endpoints": () => ({ reply: { webhookEndpoints: now } }),
    "/public/v1/submit/create_webhook_endpoint": completed("CREATE_WEBHOOK_ENDPOINT", [row(FOLLOWED)]),
    "/public/v1/submit/delete_webhook_endpoint": completed("DELETE_WEBHOOK_ENDPOINT", []),
  })
  const file = join(COUNTERSIGN_DATA_DIR, "o.yaml")
  const config = (...words: string[]) =>
    commandLine({ COUNTERSIGN_DATA_DIR }, "config", ...words, "--api", api.url)
  /** Names and parameters of the activities that were submitted. */
  const submitted = () =>
    api.seen
      .filter(({ path }) => path.includes("/submit/"))
      .map(({ path, body }) => [path.split("/").at(-1), JSON.parse(body).parameters])
  return {
    submitted,
    export: () => config("export"),
    apply: (text: string, ...words: string[]) => {
      writeFileSync(file, text)
      return config("apply", file, "--yes", ...words)
    },
  }
}

t.test("an exported endpoint has its filters, and another organization gets them by applying", async (t) => {
  const from = await deployment(t, [row(FOLLOWED, OTHER)])
  const { status, out: text, log } = await from.export()
  t.equal(status, 0, log)
  const [exported] = (parse(text) as { webhookEndpoints: object[] }).webhookEndpoints
  t.strictSame(exported, {
    name: "deposits",
    url: "https://hooks.example.com/deposits",
    isActive: true,
    subscriptions: subscriptions(FOLLOWED, OTHER),
  })
  const to = await deployment(t, [])
  const applied = await to.apply(fileOf(text))
  t.equal(applied.status, 0, applied.log)
  t.match(
    applied.out + applied.log,
    `receives ACTIVITY_UPDATES, BALANCE_FINALIZED_UPDATES of {"addresses":["${FOLLOWED}"`,
  )
  t.match(to.submitted(), [
    ["create_webhook_endpoint", { name: "deposits", subscriptions: subscriptions(FOLLOWED, OTHER) }],
  ])
  t.strictSame((await from.apply(fileOf(text))).status, 0)
  t.strictSame(from.submitted(), [], "what is there is not made again")
})

t.test("other addresses need a new endpoint: with --prune, and said without", async (t) => {
  const { out: text } = await (await deployment(t, [row(FOLLOWED)])).export()
  const there = await deployment(t, [row(FOLLOWED, OTHER)])
  const kept = await there.apply(fileOf(text))
  t.match(
    kept.out + kept.log,
    "subscriptions of webhook endpoint deposits: they cannot be changed; --prune deletes it",
  )
  t.strictSame(there.submitted(), [])
  const pruned = await there.apply(fileOf(text), "--prune")
  t.equal(pruned.status, 0, pruned.log)
  t.match(there.submitted(), [
    ["delete_webhook_endpoint", { endpointId: ENDPOINT }],
    ["create_webhook_endpoint", { subscriptions: subscriptions(FOLLOWED) }],
  ])
})

/** The file with its endpoints alone. */
function fileOf(text: string): string {
  const { webhookEndpoints } = parse(text) as { webhookEndpoints: object[] }
  return JSON.stringify({ version: 1, webhookEndpoints })
}
