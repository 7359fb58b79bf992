// An API that answers a stamped request with another activity, so that its fingerprint is passed on to approvers.
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import t, { type Test } from "tap"
import { generateApiKey } from "../../../services/terminal-client/api-key.ts"
import { bindKey, writeKey } from "../../../services/terminal-client/key-folder.ts"
import { commandLine } from "./command-line.ts"
import { fakeApi } from "./fake-api.ts"

const OTHER = `sha256:${"cd".repeat(32)}`
const DIGITS = "ab".repeat(32)
const CREATE = ["wallet", "create", "Savings"]

const STATUSES = ["COMPLETED", "CONSENSUS_NEEDED", "AUTHENTICATORS_NEEDED", "FAILED", "REJECTED"]

/** A key, and an API that answers each of these submissions with one activity. */
async function against(t: Test, status: string, fingerprint?: string) {
  const COUNTERSIGN_DATA_DIR = t.testdir()
  await writeKey(join(COUNTERSIGN_DATA_DIR, "keys"), "root", generateApiKey())
  await bindKey(join(COUNTERSIGN_DATA_DIR, "keys"), "root", "6f0b7c1e-1111-4222-8333-444455556666")
  const result = { createWalletResult: { walletId: "019b76da-a800-7000-8000-000000000001", addresses: [] } }
  const activity = { id: "a-1", organizationId: "$(touch owned)", status, result }
  const answer = {
    reply: { activity: { ...activity, ...(fingerprint !== undefined && { fingerprint }) } },
  }
  const api = await fakeApi(t, {
    "/public/v1/submit/create_wallet": answer,
    "/public/v1/submit/reject_activity": answer,
    "/public/v1/query/list_activities": (body) => ({
      reply: {
        activities: body.includes("after")
          ? []
          : [{ id: "a-2", fingerprint: `sha256:${DIGITS}`, type: "T", createdAt: "2026-01-01", votes: [] }],
      },
    }),
  })
  const folder = join(COUNTERSIGN_DATA_DIR, "requests")
  const call = (...words: string[]) => commandLine({ COUNTERSIGN_DATA_DIR }, ...words, "--api", api.url)
  return { call, kept: () => (existsSync(folder) ? readdirSync(folder).length : 0) }
}

t.test(
  "W24: an answer with another activity is not used, and its fingerprint is no approver's",
  async (t) => {
    for (const status of STATUSES) {
      for (const words of [CREATE, [...CREATE, "--json"]]) {
        const { call, kept } = await against(t, `ACTIVITY_STATUS_${status}`, OTHER)
        const { status: exit, out, log } = await call(...words)
        t.equal(exit, 6, status)
        t.match(log, /the API answered with activity sha256:cdcd.*: the answer is not used/)
        t.notMatch(log, /approve cdcd|words/)
        t.equal(out, "")
        t.equal(kept(), 1, "the request may have run: the same command sends it again")
      }
    }
    const none = await against(t, "ACTIVITY_STATUS_COMPLETED", "")
    t.match(await none.call(...CREATE), { status: 6 })
    const honest = await against(t, "ACTIVITY_STATUS_CONSENSUS_NEEDED")
    t.match(await honest.call(...CREATE), { status: 4, log: /, words [a-z]+(-[a-z]+){7}$/m })
  },
)

t.test("W24: the answer to a vote is the activity that was voted on", async (t) => {
  const reject = ["reject", "--all"]
  const lied = await against(t, "ACTIVITY_STATUS_REJECTED", OTHER)
  t.match(await lied.call(...reject), { status: 6 })
  const bare = await against(t, "ACTIVITY_STATUS_REJECTED", DIGITS)
  t.match(await bare.call(...reject), { status: 6 })
  const honest = await against(t, "ACTIVITY_STATUS_REJECTED", `sha256:${DIGITS}`)
  t.match(await honest.call(...reject), { status: 0, out: /^rejected sha256:abab/ })
})
