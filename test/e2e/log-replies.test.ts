// Receipts of the log, head statements and proofs through all processes, as a client gets them and verifies them.
import { execFile } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { fromJson } from "@bufbuild/protobuf"
import t from "tap"
import { type Pins, PinsSchema } from "../../proto/gen/countersign/state/v1/setup_pb.ts"
import type { WholeActivityJson } from "../../services/common/activity-json.ts"
import { activityBundle } from "../../services/common/log-bundle.ts"
import { auditBundle, logReader } from "../../services/terminal-client/log-bundle.ts"
import { LogBundle } from "../../signer/core/log/verify/bundle.ts"
import { ethereumAccount, signParams, userParams } from "../harness/api-client.ts"
import { freshDatabase } from "../harness/database.ts"
import { DocumentedApi } from "../harness/documented-api.ts"
import { judge } from "../harness/judges.ts"
import { fingerprintOf, newKey } from "../harness/stamper.ts"
import { type Json, System } from "../harness/system.ts"
import { commandLine } from "../services/cli/command-line.ts"
import { judgeLies } from "../services/dashboard/altered-log-replies.ts"
import { requireAnswered } from "./replies/asked-by.ts"

const run = promisify(execFile)
const { program, skip } = judge("log")

type Shown = { id: string; status: string; fingerprint: string }

t.test("an organization opens each of its decisions in the log", async (t) => {
  const { url, sql } = await freshDatabase(t)
  const system = await System.start(url)
  t.teardown(() => system.stop())
  const api = await DocumentedApi.of(system)
  const { query, refused, submit, send, organizationId, root, rootUserId } = api
  const key = { publicKey: root.publicKeyHex, privateKey: root.privateKey }
  const querying = { client: { url: system.url, key }, organizationId }
  const pinsJson = (await system.send("/public/v1/pins", {})).json as { [member: string]: string }
  const pins: Pins = fromJson(PinsSchema, pinsJson as never)
  const verify = (lines: readonly string[]) => {
    const bundle = new LogBundle({ pins: [pins], organizationId })
    for (const line of lines) bundle.add(line)
    return bundle.end()
  }
  const everything = { fromMs: undefined, toMs: undefined, kept: [] }
  const audited = async (kept: readonly string[] = []) =>
    verify(await auditBundle(logReader(querying), { ...everything, kept }))
  const { addresses } = await submit("CREATE_WALLET", { walletName: "First", accounts: [ethereumAccount(0)] })
  const [address = ""] = addresses as string[]
  const signing = system.body("SIGN_RAW_PAYLOAD_V2", organizationId, signParams(address))
  const { json } = await system.post("submit/sign_raw_payload", signing, root)
  const signed = json["activity"] as Shown
  let kept = ""

  await t.test(
    "C-1730: a signature, a change and a creation have receipts, whose statements are in the log",
    async (t) => {
      const report = await audited()
      t.match(report, {
        verified: true,
        faults: [],
        unopened: [],
        runs: [{ startIndex: 0, first: 1, last: 3, missing: [] }],
      })
      t.equal(report.head?.decisions, "3")
      const bundle = await activityBundle(logReader(querying), signed.id)
      const shown = verify(bundle)
      t.match(shown, { verified: true, decisions: [{ activityId: signed.id, status: 3 }] })
      t.equal(`sha256:${shown.decisions[0]?.fingerprint}`, signed.fingerprint)
      const otherActivity = bundle.map((line) =>
        line.replaceAll('"ACTIVITY_STATUS_COMPLETED"', '"ACTIVITY_STATUS_REJECTED"'),
      )
      t.match(verify(otherActivity).faults, [{ code: "STATEMENT_CONTRADICTED" }])
      kept = (JSON.parse(bundle[0]!) as { checkpoint: string }).checkpoint
    },
  )

  await t.test(
    "W154: the dashboard's verdict about an activity is true, whatever the API shows of the log",
    (t) =>
      judgeLies(t, {
        activity: signed as unknown as WholeActivityJson,
        pins: pinsJson,
        ask: logReader(querying).ask,
      }),
  )

  await t.test(
    "C-1730: denials, votes, rejections and bodies that were decided again are opened too",
    async (t) => {
      const [eve, bob] = [newKey(), newKey()]
      const { userIds } = await submit("CREATE_USERS_V3", {
        users: [userParams("eve", eve), userParams("bob", bob)],
      })
      const denied = system.body("CREATE_WALLET", organizationId, { walletName: "No", accounts: [] })
      for (let at = 0; at < 2; at++)
        t.equal((await system.post("submit/create_wallet", denied, eve)).status, 403)
      const again = await system.post("submit/sign_raw_payload", signing, root)
      t.equal((again.json["activity"] as Shown).id, signed.id, "the same activity, decided and signed again")
      t.match(await sql`select count(*)::int as rows from decision_receipts`, [{ rows: 2 }])
      const quorum = { threshold: 2, userIds: [rootUserId, (userIds as string[])[1]] }
      await submit("UPDATE_ROOT_QUORUM", quorum)
      for (const path of ["approve_activity", "reject_activity"]) {
        const waiting = system.body("CREATE_WALLET", organizationId, { walletName: path, accounts: [] })
        await system.post("submit/create_wallet", waiting, root)
        const vote = system.body(path.toUpperCase(), organizationId, {
          fingerprint: `sha256:${fingerprintOf(waiting)}`,
        })
        const voted = (await system.post(`submit/${path}`, vote, bob)).json["activity"] as Shown
        const { decisions, verified } = verify(await activityBundle(logReader(querying), voted.id))
        t.equal(verified, true)
        t.equal(decisions.length, 2, "the submission and the vote")
        const { decisions: receipts } = await query("list_decision_receipts", { activityId: voted.id })
        t.equal((receipts as Json[]).length, 2)
      }
      const report = await audited([kept])
      t.match(report, {
        verified: true,
        faults: [],
        unopened: [],
        runs: [{ first: 1, last: 12, missing: [] }],
      })
      t.match(report.consistentWith, [Number(kept.split("\n")[1])])
    },
  )

  await t.test("C-1732: the command line verifies a saved bundle without a network", async (t) => {
    const directory = t.testdir({
      "pins.json": JSON.stringify((await system.send("/public/v1/pins", {})).json),
    })
    const file = join(directory, "all.jsonl")
    const lines = await auditBundle(logReader(querying), everything)
    writeFileSync(file, `${lines.join("\n")}\n`)
    const cli = (...words: string[]) =>
      commandLine({ COUNTERSIGN_DATA_DIR: directory }, ...words, "--pins", join(directory, "pins.json"))
    const { status, out } = await cli("verify", "audit", file)
    t.equal(status, 0)
    t.match(out, /proven {6}decisions since the start at leaf 0: 12, numbers 1 to 12; none is missing/)
    t.match(out, /not proven {2}that no other log was shown to others/)
    writeFileSync(file, `${lines.toSpliced(5, 1).join("\n")}\n`)
    t.match(await cli("verify", "audit", file), { status: 6, out: /FAILED {6}BUNDLE_TRUNCATED/ })
    const one = join(directory, "one.jsonl")
    writeFileSync(one, (await activityBundle(logReader(querying), signed.id)).join("\n"))
    t.match(await cli("verify", "activity", one), {
      status: 0,
      out: /ACTIVITY_STATUS_COMPLETED at .* is leaf/,
    })
    t.match(await cli("verify", "activity", "nothing"), { status: 2 })
    t.match(await cli("verify", "audit", file, "--from", "2026-01-01"), { status: 2 })
  })

  await t.test("Go opens every decision of the bundle", { skip }, async (t) => {
    const file = join(t.testdir({}), "all.jsonl")
    writeFileSync(file, (await auditBundle(logReader(querying), everything)).join("\n"))
    const { stdout } = await run(program, ["bundle", file, pins.notarizerPublicKey.slice(130)])
    t.match(stdout, /^leaves 13, opened 12, of \d+\n$/)
  })

  await t.test("W110: a decision that the API withholds is noticed", async (t) => {
    const [row] = await sql<{ id: string }[]>`select id from activities where id = ${signed.id}`
    t.equal(row?.id, signed.id)
    await sql`create table withheld as select * from activities where id = ${signed.id}`
    await sql`delete from activities where id = ${signed.id}`
    t.match((await audited()).faults, [{ code: "COUNTER_MISSING" }])
    await sql`insert into activities select * from withheld`
    t.equal((await audited()).verified, true)
  })

  await t.test("after a restart of the API nothing is missing", async (t) => {
    const body = system.body("CREATE_WALLET", organizationId, { walletName: "After", accounts: [] })
    await system.post("submit/create_wallet", body, root)
    await system.killApi()
    await system.startApi()
    t.equal((await audited()).verified, true)
  })

  await t.test("queries of the log refuse what is not there", async (t) => {
    await refused("get_organization_head", { nonce: "00" }, [400, 3])
    await refused("get_log_proofs", { leafIndexes: [] }, [400, 3])
    await refused("get_log_proofs", { leafIndexes: ["0"], treeSize: "99999999" }, [400, 3])
    await refused("get_log_consistency", { oldSize: "99999999" }, [400, 3])
    t.match(await query("get_log_proofs", { leafIndexes: ["0", "99999999"] }), {
      leaves: [{ leafIndex: "0" }],
    })
    t.match(await query("get_log_consistency", { oldSize: "1" }), { consistencyProof: [String] })
    t.match(await query("get_organization_head", { nonce: "ab".repeat(16) }), {
      checkpoint: /^countersign\//,
    })
    const first = await query("list_decision_receipts", { limit: "1" })
    const second = await query("list_decision_receipts", { limit: "1", after: first["nextAfter"] })
    t.notSame(second["decisions"], first["decisions"])
    t.equal((await send("CREATE_WALLET", {})).status, 400)
  })

  requireAnswered(t, api, "log")
})
