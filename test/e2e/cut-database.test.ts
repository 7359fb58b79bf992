// A ledger that was copied before the database, both restored: the database is cut to the ledger's moment.
import { cpSync, readFileSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import t, { type Test } from "tap"
import { closeDatabase, connectDatabase } from "../../services/database/database.ts"
import { apiKey, ethereumAccount } from "../harness/api-client.ts"
import { runCommandLine } from "../harness/commands.ts"
import { freshDatabase } from "../harness/database.ts"
import { isLong } from "../harness/long.ts"
import { newKey } from "../harness/stamper.ts"
import { subOrganization } from "../harness/sub-organization.ts"
import { type Json, System } from "../harness/system.ts"

type Program = "services/api/cut.ts" | "signer/operator/main.ts"

async function start(t: Test) {
  const { url } = await freshDatabase(t)
  const system = await System.start(url)
  t.teardown(() => system.stop())
  const acme = await system.createOrganization()
  const { organizationId, root } = acme
  const submit = (path: string, type: string, parameters: object, by = root, id = organizationId) =>
    system.submit(path, system.body(type, id, parameters), by)
  const resultOf = (activity: Json) => Object.values(activity["result"] as Json)[0] as Json
  const run = (program: Program, ...words: string[]) => {
    const environment = {
      PATH: process.env["PATH"],
      COUNTERSIGN_DATA_DIR: system.directory,
      DATABASE_URL: url,
    }
    return runCommandLine({ program, words, environment, input: "" })
  }
  return { system, url, acme, submit, resultOf, run }
}

/** Copies the database, drops it, and makes it again from the copy, as a restore does. */
async function restoreFromCopy(url: string): Promise<void> {
  const server = new URL(url)
  const name = server.pathname.slice(1)
  server.pathname = "/postgres"
  const admin = connectDatabase({ url: server.href }, { max: 1 })
  const copy = `${name}_copy`
  try {
    await admin`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`
    await admin`create database ${admin(copy)} template ${admin(name)}`
    await admin`drop database ${admin(name)} with (force)`
    await admin`create database ${admin(name)} template ${admin(copy)}`
    await admin`drop database ${admin(copy)}`
  } finally {
    await closeDatabase(admin)
  }
}

t.test(
  "C5: a database that is newer than a restored ledger is cut to its moment, and the report has all that it lost",
  async (t) => {
    const { system, url, acme, submit, resultOf, run } = await start(t)
    const { organizationId, root } = acme
    const users = (userName: string, key = newKey()) => ({
      users: [{ userName, apiKeys: [apiKey(key)], authenticators: [], oauthProviders: [], userTags: [] }],
    })
    const bob = newKey()
    await submit("create_users", "CREATE_USERS_V4", users("bob", bob))
    await submit("create_policy", "CREATE_POLICY_V3", {
      policyName: "bob proposes",
      effect: "EFFECT_ALLOW",
      consensus: "approvers.count() >= 2",
      condition: "activity.resource == 'WALLET'",
      notes: "",
    })
    const made = await submit("create_wallet", "CREATE_WALLET", {
      walletName: "Kept",
      accounts: [ethereumAccount(0)],
    })
    const wallet = resultOf(made)
    const proposal = await submit(
      "create_wallet",
      "CREATE_WALLET",
      { walletName: "Proposed", accounts: [] },
      bob,
    )
    const childKey = newKey()
    const child = resultOf(
      await submit(
        "create_sub_organization",
        "CREATE_SUB_ORGANIZATION_V7",
        subOrganization([{ name: "a", key: childKey }]),
      ),
    )

    // The ledger is copied first. A copy needs the signer stopped.
    const ledger = join(system.directory, "signer", "ledger")
    await system.killSigner()
    cpSync(ledger, `${ledger}.copy`, { recursive: true })
    await system.startSigner()

    const lost = {
      user: await submit("create_users", "CREATE_USERS_V4", users("mallory")),
      wallet: await submit("create_wallet", "CREATE_WALLET", { walletName: "Lost", accounts: [] }),
      renamed: await submit("update_wallet", "UPDATE_WALLET", {
        walletId: wallet["walletId"],
        walletName: "Renamed",
      }),
      login: await submit("stamp_login", "STAMP_LOGIN", { publicKey: newKey().publicKeyHex }),
      vote: await submit("approve_activity", "APPROVE_ACTIVITY", { fingerprint: proposal["fingerprint"] }),
      child: await submit(
        "create_sub_organization",
        "CREATE_SUB_ORGANIZATION_V7",
        subOrganization([{ name: "b", key: newKey() }]),
      ),
      inChild: await submit(
        "create_user_tag",
        "CREATE_USER_TAG",
        { userTagName: "Lost", userIds: [] },
        childKey,
        String(child["subOrganizationId"]),
      ),
    }
    const [address = ""] = wallet["addresses"] as string[]
    const signature = await submit("sign_raw_payload", "SIGN_RAW_PAYLOAD_V2", {
      signWith: address,
      payload: "00",
      encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
      hashFunction: "HASH_FUNCTION_KECCAK256",
    })
    const lostChild = String(resultOf(lost.child)["subOrganizationId"])

    t.match(await run("services/api/cut.ts"), {
      status: 3,
      log: /countersign-api.* use the database: stop API/,
    })
    await system.killApi()
    await restoreFromCopy(url)
    await system.killSigner()
    rmSync(ledger, { recursive: true })
    cpSync(`${ledger}.copy`, ledger, { recursive: true })
    await system.startSigner()

    if (isLong)
      t.match(await run("services/api/cut.ts", "--dry-run"), {
        status: 0,
        out: /^3 organizations would be cut\n/,
      })
    const report = join(system.directory, "cut.jsonl")
    const early = await run("services/api/cut.ts", "--report", report)
    t.match(early, { status: 3, log: /newer state than the ledger.*accept-ledger --restored/ })
    if (isLong)
      t.match(
        await run("signer/operator/main.ts", "accept-ledger"),
        { status: 3 },
        "nobody has shown newer state",
      )
    t.match(await run("signer/operator/main.ts", "accept-ledger", "--restored"), {
      status: 0,
      out: /nothing is decided until/,
    })
    const cut = await run("services/api/cut.ts", "--report", report, "--json")
    t.equal(cut.status, 0, cut.log)
    t.match(JSON.parse(cut.out.trim().split("\n").at(-1) ?? ""), {
      organizationsCut: 2,
      organizationsRemoved: 1,
      activitiesPendingAgain: 1,
      activitiesKept: 0,
      report,
    })
    if (isLong)
      t.match(
        await run("services/api/cut.ts", "--report", report),
        { status: 0, out: /nothing to cut/ },
        "a second run",
      )

    t.equal(statSync(report).mode & 0o777, 0o600)
    const lines = readFileSync(report, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Json)
    t.match(lines[0], { format: "countersign-database-cut-1", givenUpVersion: String(2n ** 32n) })
    const activities = lines.filter((line) => line["activity"] !== undefined)
    const becomes = Object.fromEntries(
      activities.map((line) => [String((line["activity"] as Json)["id"]), line["becomes"]]),
    )
    for (const name of ["user", "wallet", "renamed", "login", "child", "inChild"] as const)
      t.equal(becomes[String(lost[name]["id"])], "removed", name)
    t.equal(becomes[String(proposal["id"])], "pending again")
    t.match(
      activities.find(({ activity }) => (activity as Json)["id"] === lost.user["id"]),
      {
        activity: { organizationId, type: "ACTIVITY_TYPE_CREATE_USERS_V4", votes: [{ message: /mallory/ }] },
      },
    )
    const organizations = lines.flatMap(({ organization }) => (organization ? [organization as Json] : []))
    t.match(
      organizations.find((one) => one["organizationId"] === lostChild),
      { becomes: "removed", ledger: null },
    )
    t.ok(lines.some(({ record }) => (record as Json | undefined)?.["organizationId"] === lostChild))

    // The signer decides nothing for 65 minutes. Queries are answered meanwhile.
    await system.startApi({ until: "/livez" })
    const ask = async (path: string, more: object = {}) =>
      (await system.query(path, { organizationId, ...more }, root)).json
    const names = (json: Json, list: string, name: string) => (json[list] as Json[]).map((one) => one[name])
    t.same(new Set(names(await ask("list_users"), "users", "userName")), new Set(["bob", "root"]))
    t.same(names(await ask("list_wallets"), "wallets", "walletName"), ["Kept"])
    t.same((await ask("list_suborgs"))["organizationIds"], [child["subOrganizationId"]])
    const unknown = await system.query("whoami", { organizationId: lostChild }, root)
    t.match(unknown.json["message"], /no organization found/)
    const pending = (await ask("get_activity", { activityId: proposal["id"] }))["activity"] as Json
    t.equal(pending["status"], "ACTIVITY_STATUS_CONSENSUS_NEEDED")
    t.equal((pending["votes"] as Json[]).length, 1, "the lost vote does not count, and is not shown")
    const kept = (await ask("get_activity", { activityId: signature["id"] }))["activity"] as Json
    t.equal(kept["status"], "ACTIVITY_STATUS_COMPLETED", "a signature was made")
    const sql = connectDatabase({ url }, { max: 1 })
    t.teardown(() => closeDatabase(sql))
    for (const table of ["records", "identities", "activities", "sessions"] as const)
      t.same(await sql`select from ${sql(table)} where organization_id = ${lostChild}`, [], table)
    if (isLong)
      t.notMatch(
        (await run("signer/operator/main.ts", "status")).out,
        /LEDGER_OLDER/,
        "nothing showed the signer what was lost",
      )
  },
)
