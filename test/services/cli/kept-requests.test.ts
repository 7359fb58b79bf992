// A request without outcome is sent again by the same command: the same body, stamped once.
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import t, { type Test } from "tap"
import { generateApiKey } from "../../../services/terminal-client/api-key.ts"
import { bindKey, writeKey } from "../../../services/terminal-client/key-folder.ts"
import { commandLine } from "./command-line.ts"
import { type Answer, fakeApi } from "./fake-api.ts"

const SUBMIT = "/public/v1/submit/create_wallet"
const CREATE = ["wallet", "create", "Savings"]

function activity(status: string, more: object = {}): Answer {
  const result = { createWalletResult: { walletId: "019b76da-a800-7000-8000-000000000001", addresses: [] } }
  const shown = { id: "a-1", organizationId: "org-1", status, result, ...more }
  return { reply: { activity: shown } }
}

/** A key, and an API that answers in turn; the last answer stays. */
async function setup(t: Test, ...answers: Answer[]) {
  const COUNTERSIGN_DATA_DIR = t.testdir()
  const keys = join(COUNTERSIGN_DATA_DIR, "keys")
  for (const name of ["root", "alice"]) {
    await writeKey(keys, name, generateApiKey())
    await bindKey(keys, name, "org-1")
  }
  let at = 0
  const api = await fakeApi(t, { [SUBMIT]: () => answers[Math.min(at++, answers.length - 1)] as Answer })
  const folder = join(COUNTERSIGN_DATA_DIR, "requests")
  const call = (...words: string[]) =>
    commandLine({ COUNTERSIGN_DATA_DIR }, ...words, ...(words.includes("--api") ? [] : ["--api", api.url]))
  const bodies = () => api.seen.filter(({ path }) => path === SUBMIT).map(({ body }) => body)
  return { call, folder, bodies }
}

const DONE = activity("ACTIVITY_STATUS_COMPLETED")
const WAITS = activity("ACTIVITY_STATUS_CONSENSUS_NEEDED")
const UNREACHABLE: Answer = { status: 503, reply: { code: 14, message: "the signer does not answer" } }
const FAULT: Answer = { status: 500, reply: { code: 13, message: "internal" } }

t.test("after an unreachable signer the same command sends the same body", async (t) => {
  for (const answer of [UNREACHABLE, FAULT]) {
    const { call, folder, bodies } = await setup(t, answer, DONE)
    const first = await call(...CREATE)
    t.equal(first.status, answer === FAULT ? 1 : 5)
    t.match(first.log, /The request is kept: the same command sends it again/)
    const [file = ""] = readdirSync(folder)
    t.equal(statSync(join(folder, file)).mode & 0o777, 0o600)
    t.match(await call(...CREATE), { status: 0, log: /^sends the request of \d\d:\d\d:\d\d UTC again/ })
    t.equal(bodies()[0], bodies()[1])
    t.strictSame(readdirSync(folder), [], "with its outcome it is forgotten")
    await call(...CREATE)
    t.not(bodies()[1], bodies()[2])
  }
})

t.test("while it waits for approval the same command asks for its outcome", async (t) => {
  const { call, bodies } = await setup(t, WAITS, WAITS, DONE)
  t.match(await call(...CREATE), { status: 4, log: /waiting for approval: sha256:[0-9a-f]{64}/ })
  t.match(await call(...CREATE), { status: 4 })
  t.match(await call(...CREATE), { status: 0 })
  t.equal(new Set(bodies()).size, 1)
})

t.test("another name, key or member is another request, and --again makes a new one", async (t) => {
  const { call, bodies } = await setup(t, UNREACHABLE)
  for (const words of [
    CREATE,
    ["wallet", "create", "Other"],
    [...CREATE, "--as", "alice"],
    [...CREATE, "--mnemonic-length", "24"],
    [...CREATE, "--organization", "org-2"],
    [...CREATE, "--again"],
  ])
    await call(...words)
  t.equal(new Set(bodies()).size, 6)
  await call(...CREATE)
  t.equal(bodies()[6], bodies()[5], "the newest is kept")
})

t.test("request keeps its parameters as other commands do", async (t) => {
  const { call, bodies } = await setup(t, UNREACHABLE, DONE)
  const words = ["request", "create_wallet", '{"walletName":"A","accounts":[]}', "--submit", "create_wallet"]
  t.match(await call(...words), { status: 5 })
  t.match(await call(...words), { status: 0 })
  t.equal(bodies()[0], bodies()[1])
})

const REFUSED: Answer = { status: 403, reply: { code: 7, message: "no policy lets root do it" } }
const FAILED = activity("ACTIVITY_STATUS_FAILED", { failure: { message: "no" } })
const REJECTED = activity("ACTIVITY_STATUS_REJECTED")

t.test("W22: after a refusal, which may be a lie, the same command sends the same body", async (t) => {
  for (const answer of [REFUSED, FAILED, REJECTED]) {
    const { call, folder, bodies } = await setup(t, answer, answer, DONE)
    t.match(await call(...CREATE), {
      status: 3,
      log: /Correct the command, or what refused it\. The same command repeats this request; with --again it makes a new one$/m,
    })
    t.match(await call(...CREATE), { status: 3, log: /^sends the request of/ })
    t.equal(readdirSync(folder).length, 1)
    t.match(await call(...CREATE), { status: 0 })
    t.equal(new Set(bodies()).size, 1, "one request: the signer runs it once at most")
    t.strictSame(readdirSync(folder), [], "completed, it is forgotten")
  }
})

t.test("--again stamps a new request after a refusal", async (t) => {
  const { call, bodies } = await setup(t, REFUSED, DONE)
  t.match(await call(...CREATE), { status: 3 })
  t.match(await call(...CREATE, "--again"), { status: 0, log: "" })
  t.not(bodies()[0], bodies()[1])
})

t.test("another address of the API gets the same body", async (t) => {
  const { call, bodies } = await setup(t, UNREACHABLE)
  await call(...CREATE)
  const second = await fakeApi(t, { [SUBMIT]: () => DONE })
  t.match(await call(...CREATE, "--api", second.url), { status: 0 })
  t.strictSame(
    second.seen.map(({ body }) => body),
    bodies(),
  )
})

t.test("a request that is too old, or a file of something else, is not sent again", async (t) => {
  const { call, folder, bodies } = await setup(t, UNREACHABLE)
  await call(...CREATE)
  const [file = ""] = readdirSync(folder)
  const kept = JSON.parse(readFileSync(join(folder, file), "utf8"))
  for (const text of [JSON.stringify({ ...kept, sentAtMs: Date.now() - 56 * 60_000 }), "{}", "nonsense"]) {
    writeFileSync(join(folder, file), text)
    await call(...CREATE)
  }
  t.equal(new Set(bodies()).size, 4)
})

t.test("request --curl prints a command that sends the stamped request", async (t) => {
  const { call, bodies } = await setup(t, DONE)
  const words = [
    "request",
    "create_wallet",
    `{"walletName":"O'Hara","accounts":[]}`,
    "--submit",
    "create_wallet",
  ]
  const { status, out } = await call(...words, "--curl")
  t.equal(status, 0)
  t.strictSame(bodies(), [])
  const { execFile } = await import("node:child_process")
  const { promisify } = await import("node:util")
  const reply = await promisify(execFile)("sh", ["-c", `${out} --silent`])
  t.match(JSON.parse(reply.stdout), { activity: { status: "ACTIVITY_STATUS_COMPLETED" } })
  t.match(JSON.parse(bodies()[0] ?? ""), { parameters: { walletName: "O'Hara" } })
})
