// The command that rejects waiting activities in bulk, against the running system.
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { userParams } from "../harness/api-client.ts"
import { sharedSystem } from "../harness/shared-system.ts"
import { newKey } from "../harness/stamper.ts"
import { type Json, privateKeyHex } from "../harness/system.ts"
import { commandLine } from "../services/cli/command-line.ts"

type Report = { dryRun: boolean; rejected: { fingerprint: string; type: string }[]; failed: Json[] }

t.test("waiting activities are rejected in bulk:", async (t) => {
  const system = await sharedSystem()
  const { organizationId, root, rootUserId } = await system.createOrganization()
  const keys = { root, alice: newKey(), bob: newKey(), eve: newKey() }
  const users = [userParams("alice", keys.alice), userParams("bob", keys.bob), userParams("eve", keys.eve)]
  const made = await system.submit(
    "create_users",
    system.body("CREATE_USERS_V4", organizationId, { users }),
    root,
  )
  const { userIds } = Object.values(made["result"] as Json)[0] as { userIds: [string, string, string] }
  const quorum = { threshold: 2, userIds: [rootUserId, userIds[0], userIds[1]] }
  await system.submit("update_root_quorum", system.body("UPDATE_ROOT_QUORUM", organizationId, quorum), root)
  const COUNTERSIGN_DATA_DIR = t.testdir({ keys: {} })
  mkdirSync(join(COUNTERSIGN_DATA_DIR, "keys"), { recursive: true })
  for (const [name, key] of Object.entries(keys)) {
    writeFileSync(join(COUNTERSIGN_DATA_DIR, "keys", `${name}.public`), key.publicKeyHex)
    writeFileSync(join(COUNTERSIGN_DATA_DIR, "keys", `${name}.private`), privateKeyHex(key))
  }
  const reject = async (...words: string[]) => {
    const place = ["--organization", organizationId, "--api", system.url, "--json"]
    const { status, out, log } = await commandLine({ COUNTERSIGN_DATA_DIR }, "reject", ...words, ...place)
    return { status, log, report: JSON.parse(out || "{}") as Report }
  }
  const propose = async (type: string, parameters: object, key = root) => {
    const activity = await system.submit(
      type.toLowerCase(),
      system.body(type, organizationId, parameters),
      key,
    )
    return activity as { id: string; fingerprint: string }
  }
  const statusOf = async (activityId: string) => {
    const { json } = await system.query("get_activity", { organizationId, activityId }, root)
    return (json["activity"] as Json)["status"]
  }
  const wallets: { id: string; fingerprint: string }[] = []
  for (const walletName of ["one", "two", "three"])
    wallets.push(await propose("CREATE_WALLET", { walletName, accounts: [] }))
  const tag = await propose("CREATE_USER_TAG", { userTagName: "tag", userIds: [] })
  const alices = await propose("CREATE_WALLET", { walletName: "alice's", accounts: [] }, keys.alice)

  t.test("without an option that chooses, nothing is rejected", async (t) => {
    t.match(await reject("--as", "alice"), { status: 2, log: /--all/ })
  })

  t.test("a dry run names what fits and rejects nothing", async (t) => {
    const { report, log } = await reject("--as", "bob", "--type", "create_wallet", "--dry-run")
    t.equal(report.rejected?.length, 4, log)
    t.equal(await statusOf(alices.id), "ACTIVITY_STATUS_CONSENSUS_NEEDED")
  })

  t.test("activities of one type and one submitter end as rejected, and others go on waiting", async (t) => {
    const { status, report } = await reject("--as", "bob", "--type", "create_wallet", "--by", rootUserId)
    t.equal(status, 0)
    t.same(
      new Set(report.rejected.map(({ fingerprint }) => fingerprint)),
      new Set(wallets.map((one) => one.fingerprint)),
    )
    for (const { id } of wallets) t.equal(await statusOf(id), "ACTIVITY_STATUS_REJECTED")
    for (const { id } of [tag, alices]) t.equal(await statusOf(id), "ACTIVITY_STATUS_CONSENSUS_NEEDED")
  })

  t.test("an age chooses, too", async (t) => {
    t.match(await reject("--as", "bob", "--older-than", "1"), {
      status: 0,
      report: { rejected: { length: 0 } },
    })
    t.match(await reject("--as", "bob", "--older-than", "soon"), { status: 2 })
  })

  t.test("rejections that do not count are named, and end nothing", async (t) => {
    const { status, report } = await reject("--as", "eve", "--all")
    t.equal(status, 3)
    t.match(report, {
      rejected: { length: 0 },
      failed: [{ error: /does not count/ }, { error: /does not count/ }],
    })
    t.equal(await statusOf(tag.id), "ACTIVITY_STATUS_CONSENSUS_NEEDED")
  })

  t.test("all of them", async (t) => {
    t.match(await reject("--as", "bob", "--all"), { status: 0, report: { rejected: { length: 2 } } })
    t.match(await reject("--as", "bob", "--all"), { status: 0, report: { rejected: { length: 0 } } })
  })
})
