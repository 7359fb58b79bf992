// The bench of logins in its short form: both ways open sessions; its figures mean nothing.
import { appendFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import type { LiveCodesAnswer } from "../../bench/login/live-codes.ts"
import { Outbox } from "../../bench/login/outbox.ts"
import { judge, whyDiscarded, writeReport } from "../../bench/login/report.ts"
import { type LoginRun, measureLogins, SHORT_PLAN } from "../../bench/login/run.ts"
import { readOptions } from "../../bench/options.ts"
import { isLong } from "../harness/long.ts"

/** A system of its own costs much: the bench of fairness shows in every run that benches start. */
const skip = isLong ? false : "long form: npm run test:long -- test/bench/login.test.ts"

t.test("the short form logs in by code and by token, and starts its codes", { skip }, async (t) => {
  const run = await measureLogins(SHORT_PLAN, () => undefined)
  const [round, ...others] = run.rounds
  t.strictSame(others, [])
  for (const window of [round?.otp, round?.oidc]) {
    t.ok((window?.perSecond ?? 0) > 0)
    t.ok((window?.p99Ms ?? 0) >= (window?.p50Ms ?? Number.NaN))
  }
  const { codes, empty, live, purged, dayLater } = run.codes
  t.equal(codes, SHORT_PLAN.liveCodes)
  t.ok(live.fileBytes > empty.fileBytes)
  t.ok(purged.fileBytes < live.fileBytes, "codes are purged")
  t.ok(dayLater.fileBytes < purged.fileBytes, "counts are purged")
  t.notMatch(writeReport("2026-01-01", SHORT_PLAN, run), "NaN")
})

t.test("the newest code of a contact is read, also from a line that is still being written", (t) => {
  const file = join(t.testdir(), "outbox.jsonl")
  const line = (to: string, text: string) => `${JSON.stringify({ to, text })}\n`
  writeFileSync(file, line("ann", "Your code is 123456.") + line("ben", "Your code is 222222."))
  const outbox = new Outbox(file)
  t.equal(outbox.codeOf("ann"), "123456")
  const next = line("ann", "Your code is 654321.")
  appendFileSync(file, next.slice(0, 20))
  t.equal(outbox.codeOf("ann"), "123456")
  appendFileSync(file, next.slice(20))
  t.equal(outbox.codeOf("ann"), "654321")
  t.equal(outbox.codeOf("ben"), "222222")
  t.throws(() => outbox.codeOf("cleo"), /no message to cleo/)
  t.end()
})

t.test("what a code leaves behind is compared with its bound", (t) => {
  const size = (fileBytes: number, heapBytes = 0) => ({ fileBytes, heapBytes })
  const codes = (purged: LiveCodesAnswer["purged"]): Pick<LoginRun, "codes"> => {
    const rest = { secondsToStart: 1, empty: size(100), live: size(9_000), dayLater: size(100) }
    return { codes: { codes: 10, purged, ...rest } }
  }
  const reached = (run: Pick<LoginRun, "codes">) => judge(run).map((verdict) => verdict.reached)
  t.strictSame(reached(codes(size(2_100, 2_000))), [true, true])
  t.strictSame(reached(codes(size(2_101, 2_001))), [false, false])
  t.equal(whyDiscarded({ drift: 0.15 }), undefined)
  t.match(whyDiscarded({ drift: 0.2 }), "moved by 20.0 %")
  t.end()
})

t.test("the login family must be named alone", (t) => {
  t.match(readOptions(["login", "short"]), { family: "login", short: true })
  t.throws(() => readOptions(["login", "keys"]), /means nothing here/)
  t.end()
})
