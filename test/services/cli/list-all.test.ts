// Lists are whole: the API answers ten objects where no page is asked for.
import { join } from "node:path"
import t from "tap"
import { queryPaths } from "../../../proto/operations.ts"
import { RESOURCES } from "../../../services/cli/resources/table.ts"
import { isShow } from "../../../services/cli/resources/resource.ts"
import { generateApiKey } from "../../../services/terminal-client/api-key.ts"
import { bindKey, writeKey } from "../../../services/terminal-client/key-folder.ts"
import { PAGED } from "../../../services/terminal-client/list-all.ts"
import { KINDS } from "../../../services/terminal-client/names/kinds.ts"
import { commandLine } from "./command-line.ts"
import { fakeApi } from "./fake-api.ts"

const ORGANIZATION_ID = "0198c0de-0000-7000-8000-000000000001"
const ids = Array.from(
  { length: 250 },
  (_, index) => `0198c0de-0000-7000-8000-${String(1000 + index).padStart(12, "0")}`,
)

type Page = { paginationOptions?: { limit?: string; after?: string } }

/** The part of the list that a request asks for, as the API gives it. */
function pageOf(body: string): string[] {
  const { limit = "10", after } = (JSON.parse(body) as Page).paginationOptions ?? {}
  const start = after === undefined ? 0 : ids.indexOf(after) + 1
  return ids.slice(start, start + Number(limit))
}

t.test("commands list and find what is behind the first page", async (t) => {
  const COUNTERSIGN_DATA_DIR = t.testdir()
  const folder = join(COUNTERSIGN_DATA_DIR, "keys")
  await writeKey(folder, "root", generateApiKey())
  await bindKey(folder, "root", ORGANIZATION_ID)
  const account = (walletAccountId: string) => ({
    walletAccountId,
    name: `account ${ids.indexOf(walletAccountId)}`,
    address: walletAccountId,
  })
  const api = await fakeApi(t, {
    "/public/v1/query/list_suborgs": (body) => ({ reply: { organizationIds: pageOf(body) } }),
    "/public/v1/query/list_wallet_accounts": (body) => ({ reply: { accounts: pageOf(body).map(account) } }),
    "/public/v1/query/list_velocity_controls": (body) => ({
      reply: {
        velocityControls: pageOf(body).map((velocityControlId) => ({ velocityControlId, name: "control" })),
      },
    }),
  })
  const run = (...words: string[]) => commandLine({ COUNTERSIGN_DATA_DIR }, ...words, "--api", api.url)
  for (const words of [["suborg"], ["account"], ["velocity-control"]]) {
    const { status, out } = await run(...words, "list", "--json")
    t.equal(status, 0)
    t.equal((JSON.parse(out) as unknown[]).length, ids.length, words.join(" "))
  }
  t.match(await run("account", "show", "account 249"), {
    status: 0,
    out: new RegExp(`walletAccountId +${ids[249]}`),
  })
})

t.test("C-1909: a wallet is shown with a page of its accounts, and the page says how to go on", async (t) => {
  const COUNTERSIGN_DATA_DIR = t.testdir()
  const folder = join(COUNTERSIGN_DATA_DIR, "keys")
  await writeKey(folder, "root", generateApiKey())
  await bindKey(folder, "root", ORGANIZATION_ID)
  const wallet = { walletId: ids[0], walletName: "Many" }
  const asked: unknown[] = []
  const api = await fakeApi(t, {
    "/public/v1/query/list_wallets": { reply: { wallets: [wallet] } },
    "/public/v1/query/get_wallet": { reply: { wallet } },
    "/public/v1/query/list_wallet_accounts": (body) => {
      asked.push((JSON.parse(body) as { walletId: string }).walletId)
      return { reply: { accounts: pageOf(body).map((walletAccountId) => ({ walletAccountId })) } }
    },
  })
  const show = (...words: string[]) =>
    commandLine({ COUNTERSIGN_DATA_DIR }, "wallet", "show", "Many", ...words, "--api", api.url)
  const first = await show()
  t.match(first, { status: 0, out: /walletName +Many[^]*NAME/, log: `--after ${ids[19]}` })
  t.match(first.out, ids[19])
  t.notMatch(first.out, ids[20])
  const next = await show("--limit", "100", "--after", String(ids[199]), "--json")
  const { accounts, walletName } = JSON.parse(next.out) as { accounts: unknown[]; walletName: string }
  t.strictSame([walletName, accounts.length], ["Many", ids.length - 200])
  t.match(await show("--after", String(ids.at(-1))), { status: 0, log: "it has no more accounts" })
  t.strictSame(new Set(asked), new Set([ids[0]]), "accounts of this wallet alone")
  for (const limit of ["0", "101", "all"])
    t.match(await show("--limit", limit), {
      status: 2,
      log: `--limit ${limit}: write a number from 1 to 100`,
    })
})

t.test("every list with pages that commands read is read whole", async (t) => {
  const listed = new Set([
    ...RESOURCES.flatMap(({ commands }) => commands.filter(isShow).map(({ query }) => query)),
    ...Object.values(KINDS).map(({ query }) => query),
  ])
  const paged = [...queryPaths.values()].filter(
    ({ path, input }) => listed.has(path) && input.fields.some(({ name }) => name === "pagination_options"),
  )
  t.strictSame(
    paged.map(({ path }) => path).toSorted(),
    // Users are all listed where no page is asked for.
    [...Object.keys(PAGED), "list_users"].toSorted(),
  )
})
