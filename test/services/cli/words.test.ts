// Sentences of the command line, in the words of its commands.
import { join } from "node:path"
import t, { type Test } from "tap"
import { generateApiKey } from "../../../services/terminal-client/api-key.ts"
import { bindKey, writeKey } from "../../../services/terminal-client/key-folder.ts"
import { commandLine } from "./command-line.ts"
import { type Answer, fakeApi } from "./fake-api.ts"

const id = (digit: number) => `0198c0de-0000-7000-8000-00000000000${digit}`

async function against(t: Test, answers: { [path: string]: Answer }) {
  const COUNTERSIGN_DATA_DIR = t.testdir()
  const folder = join(COUNTERSIGN_DATA_DIR, "keys")
  await writeKey(folder, "root", generateApiKey())
  await bindKey(folder, "root", id(1))
  const api = await fakeApi(t, answers)
  return (...words: string[]) => commandLine({ COUNTERSIGN_DATA_DIR }, ...words, "--api", api.url)
}

const WALLETS = {
  "/public/v1/query/list_wallets": {
    reply: {
      wallets: [
        { walletId: id(2), walletName: "First" },
        { walletId: id(3), walletName: "Treasury" },
        { walletId: id(4), walletName: "Treasury" },
      ],
    },
  },
}

t.test("resources with equal names are listed with their ids", async (t) => {
  const call = await against(t, WALLETS)
  t.match(await call("wallet", "delete", "Nope"), {
    status: 2,
    log: `there is no wallet “Nope”: there is First (${id(2)}), Treasury (${id(3)}), Treasury (${id(4)})`,
  })
})

t.test("a refusal names the option of the command, and says how to go on", async (t) => {
  const message = `wallet has not been exported: ${id(2)}; set deleteWithoutExport to delete it anyway`
  const refusal = { status: 400, reply: { message, details: [{ reason: "WALLET_NOT_EXPORTED" }] } }
  const call = await against(t, { ...WALLETS, "/public/v1/submit/delete_wallets": refusal })
  const { status, log } = await call("wallet", "delete", "First")
  t.equal(status, 3)
  t.match(log, "set --delete-without-export to delete it anyway (WALLET_NOT_EXPORTED)")
  t.match(log, /Correct the command, or what refused it/)
  t.notMatch(log, "deleteWithoutExport")
})

t.test("where nothing waits, no activity is missing among none", async (t) => {
  const call = await against(t, { "/public/v1/query/list_activities": { reply: { activities: [] } } })
  t.match(await call("approve", "ffff"), {
    status: 2,
    log: "there is no waiting activity “ffff”: nothing waits",
  })
})

t.test("a suggestion ends as a question", async (t) => {
  const call = await against(t, WALLETS)
  t.match(await call("wallet", "create", "W", "--account", "bitcoins"), {
    status: 2,
    log: /; did you mean bitcoin\? For other paths: --file FILE/,
  })
})
