// Faults of a first command line: the sentence says what to change.
import { join } from "node:path"
import t from "tap"
import { generateApiKey } from "../../../services/terminal-client/api-key.ts"
import { writeKey } from "../../../services/terminal-client/key-folder.ts"
import { commandLine } from "./command-line.ts"
import { fakeApi } from "./fake-api.ts"

const WHOAMI = "/public/v1/query/whoami"

t.test("an API that speaks plain http is named as such", async (t) => {
  const COUNTERSIGN_DATA_DIR = t.testdir()
  await writeKey(join(COUNTERSIGN_DATA_DIR, "keys"), "root", generateApiKey())
  const { url } = await fakeApi(t, { [WHOAMI]: { reply: {} } })
  const call = (api: string) => commandLine({ COUNTERSIGN_DATA_DIR }, "request", "whoami", "--api", api)
  t.match(await call(url), { status: 0 })
  const ended = await call(url.replace("http:", "https:"))
  t.match(ended, {
    status: 5,
    log: /no answer from https:.* \(\w+\)\. The API speaks plain http: write http:/,
  })
})

t.test("request says how to send parameters alone", async (t) => {
  const COUNTERSIGN_DATA_DIR = t.testdir()
  await writeKey(join(COUNTERSIGN_DATA_DIR, "keys"), "root", generateApiKey())
  const reply = { code: 3, message: "invalid request body: missing field `type`" }
  const api = await fakeApi(t, { "/public/v1/submit/create_wallet": { status: 400, reply } })
  const call = (body: object) => {
    const words = ["request", "submit/create_wallet", JSON.stringify(body), "--api", api.url]
    return commandLine({ COUNTERSIGN_DATA_DIR }, ...words)
  }
  const hint = "missing field `type`. To send the parameters alone: --submit create_wallet"
  t.match(await call({ walletName: "A" }), { status: 3, log: hint })
  const { log } = await call({ type: "ACTIVITY_TYPE_CREATE_WALLET", parameters: {} })
  t.notMatch(log, /--submit/)
})

t.test("--json may come before the command", async (t) => {
  const { status, log } = await commandLine({}, "--json", "hlep")
  t.equal(status, 2)
  t.match(JSON.parse(log), { error: { exitStatus: 2, message: /unknown command 'hlep'/ } })
  const COUNTERSIGN_DATA_DIR = t.testdir()
  const made = await commandLine({ COUNTERSIGN_DATA_DIR }, "--json", "key", "generate", "carol")
  t.match(JSON.parse(made.out), { name: "carol" })
})

t.test("before the development system is ready, a missing key is no fault", async (t) => {
  const files = { "dev.lock": "1\n", keys: {} }
  const starting = await commandLine({ COUNTERSIGN_DATA_DIR: t.testdir(files) }, "whoami")
  t.match(starting, { status: 2, log: /no key "root".*wait until `npm start` says Ready/ })
  const COUNTERSIGN_DATA_DIR = t.testdir({ ...files, "seeded.json": "{}" })
  const ready = await commandLine({ COUNTERSIGN_DATA_DIR }, "whoami")
  t.match(ready, { status: 2, log: /no key "root"/ })
  t.notMatch(ready.log, /Ready/)
})

t.test("--api takes host and port only", async (t) => {
  const COUNTERSIGN_DATA_DIR = t.testdir()
  await writeKey(join(COUNTERSIGN_DATA_DIR, "keys"), "root", generateApiKey())
  const call = (api: string) => commandLine({ COUNTERSIGN_DATA_DIR }, "whoami", "--api", api)
  for (const [api, origin] of [
    ["http://localhost:9/public/v1", "http://localhost:9"],
    ["https://api.example/?a=1", "https://api.example"],
    ["https://api.example/#a", "https://api.example"],
  ] as const) {
    const log = `countersign: --api ${api}: there is more behind the host; the API's address ends with host and port: --api ${origin}`
    t.match(await call(api), { status: 2, log })
  }
  t.notMatch((await call("http://localhost:9/")).log, /more behind the host/)
})

t.test("help explains a command as JSON too", async (t) => {
  for (const words of [
    ["help", "policy", "--json"],
    ["--json", "help", "policy"],
  ]) {
    const { status, out } = await commandLine({}, ...words)
    t.equal(status, 0)
    t.match(JSON.parse(out), { help: /^Usage: countersign policy/ })
  }
})
