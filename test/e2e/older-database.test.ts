// A database that was restored or failed over to an older state is brought up to the ledger before it is read again.
import { spawnSync } from "node:child_process"
import { setTimeout as pause } from "node:timers/promises"
import t, { type Test } from "tap"
import { closeDatabase, connectDatabase } from "../../services/database/database.ts"
import { apiKey, ethereumAccount } from "../harness/api-client.ts"
import { freshDatabase } from "../harness/database.ts"
import { isLong } from "../harness/long.ts"
import { newKey, type TestKey } from "../harness/stamper.ts"
import { subOrganization } from "../harness/sub-organization.ts"
import { type Json, System } from "../harness/system.ts"

const POLL_MS = 50

/** A system, an organization with everything that the lost time changes, and the means to lose that time. */
async function started(t: Test) {
  const { url: databaseUrl, sql } = await freshDatabase(t)
  const [row] = await sql<{ name: string }[]>`select current_database() as name`
  const name = row?.name ?? ""
  await closeDatabase(sql)
  const system = await System.start(databaseUrl)
  const acme = await system.createOrganization()
  const { organizationId, root } = acme
  const submit = async (
    path: string,
    type: string,
    parameters: object,
    by = acme.root,
    id = organizationId,
  ) => await system.submit(path, system.body(type, id, parameters), by)
  const resultOf = (activity: Json) => Object.values(activity["result"] as Json)[0] as Json
  const stampers = { bob: newKey(), sessionKey: newKey(), goneRoot: newKey(), newRoot: newKey() }
  const { bob, sessionKey, goneRoot, newRoot } = stampers
  const users = [
    { userName: "bob", apiKeys: [apiKey(bob)], authenticators: [], oauthProviders: [], userTags: [] },
  ]
  const { userIds } = resultOf(await submit("create_users", "CREATE_USERS_V4", { users }))
  const [bobId = ""] = userIds as string[]
  await submit("stamp_login", "STAMP_LOGIN", { publicKey: sessionKey.publicKeyHex })
  const found = async (rootName: string, key: TestKey) => {
    const parameters = subOrganization([{ name: rootName, key }])
    const made = await submit("create_sub_organization", "CREATE_SUB_ORGANIZATION_V7", parameters)
    return String(resultOf(made)["subOrganizationId"])
  }
  const goneId = await found("gone", goneRoot)
  const policy = {
    policyName: "bob proposes",
    effect: "EFFECT_ALLOW",
    consensus: "approvers.count() >= 2",
    condition: "activity.resource == 'WALLET'",
    notes: "",
  }
  await submit("create_policy", "CREATE_POLICY_V3", policy)
  const proposal = await submit("create_wallet", "CREATE_WALLET", { walletName: "Bob's", accounts: [] }, bob)

  /** Changes that the database will not know. */
  async function changeAll(): Promise<string> {
    await submit("reject_activity", "REJECT_ACTIVITY", { fingerprint: proposal["fingerprint"] })
    await submit("delete_users", "DELETE_USERS", { userIds: [bobId] })
    const { json } = await system.query("get_api_keys", { organizationId }, root)
    const keys = json["apiKeys"] as { apiKeyId: string; credential: { publicKey: string } }[]
    const session = keys.find(({ credential }) => credential.publicKey === sessionKey.publicKeyHex)
    const mine = { userId: acme.rootUserId, apiKeyIds: [session?.apiKeyId] }
    await submit("delete_api_keys", "DELETE_API_KEYS", mine)
    const all = { deleteWithoutExport: true }
    await submit("delete_sub_organization", "DELETE_SUB_ORGANIZATION", all, goneRoot, goneId)
    await submit("create_wallet", "CREATE_WALLET", { walletName: "Lost", accounts: [ethereumAccount(0)] })
    return await found("new", newRoot)
  }

  /** Everything that is read of those changes. */
  async function read(newId: string) {
    const ask = async (path: string, key: TestKey, more: object = {}) =>
      await system.query(path, { organizationId, ...more }, key)
    const wallets = (await ask("list_wallets", root)).json["wallets"] as { walletName: string }[]
    const activity = (await ask("get_activity", root, { activityId: proposal["id"] })).json[
      "activity"
    ] as Json
    return {
      bob: (await ask("whoami", bob)).status,
      session: (await ask("whoami", sessionKey)).status,
      subOrganizations: (await ask("list_suborgs", root)).json["organizationIds"],
      gone: (await system.query("whoami", { organizationId: goneId }, goneRoot)).status,
      created: (await system.query("whoami", { organizationId: newId }, newRoot)).status,
      wallets: wallets.map(({ walletName }) => walletName),
      proposal: [activity["status"], activity["canApprove"], activity["canReject"]],
    }
  }
  const copies = copiesOf(databaseUrl, name)
  t.teardown(async () => {
    await system.stop()
    await copies.drop()
  })
  return { system, databaseUrl, changeAll, read, copies }
}

/** Copies of a database, and its replacement by one while processes are connected to it. */
function copiesOf(url: string, name: string) {
  const server = new URL(url)
  server.pathname = "/postgres"
  const copy = `${name}_older`
  const onServer = async (work: (admin: ReturnType<typeof connectDatabase>) => Promise<unknown>) => {
    const admin = connectDatabase({ url: server.href }, { max: 1 })
    try {
      await work(admin)
    } finally {
      await closeDatabase(admin)
    }
  }
  /** No process is connected while this runs, and none can connect. */
  const alone = (work: (admin: ReturnType<typeof connectDatabase>) => Promise<unknown>) =>
    onServer(async (admin) => {
      await admin`alter database ${admin(name)} allow_connections false`
      await admin`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`
      while ((await admin`select 1 from pg_stat_activity where datname = ${name}`).length > 0)
        await pause(POLL_MS)
      await work(admin)
      await admin`alter database ${admin(name)} allow_connections true`
    })
  return {
    make: () => alone((admin) => admin`create database ${admin(copy)} template ${admin(name)}`),
    replace: () =>
      alone(async (admin) => {
        await admin`alter database ${admin(name)} rename to ${admin(`${name}_newer`)}`
        await admin`alter database ${admin(copy)} rename to ${admin(name)}`
      }),
    drop: () =>
      onServer(async (admin) => {
        for (const each of [copy, `${name}_newer`])
          await admin`drop database if exists ${admin(each)} with (force)`
      }),
  }
}

async function untilReady(system: System): Promise<void> {
  for (;;) {
    const { status } = await system.send("/readyz", {}).catch(() => ({ status: 0 }))
    if (status === 200) return
    await pause(POLL_MS)
  }
}

t.test("C1: after a failover to an older database, everything reads as before", async (t) => {
  const { system, changeAll, read, copies } = await started(t)
  await copies.make()
  await untilReady(system)
  const newId = await changeAll()
  const before = await read(newId)
  t.match(before, {
    bob: 401,
    session: 401,
    subOrganizations: [newId],
    created: 200,
    wallets: ["Lost"],
    proposal: ["ACTIVITY_STATUS_REJECTED", false, false],
  })
  t.not(before.gone, 200)
  await copies.replace()
  while (!system.logOf("api").includes("the database was older than the ledger")) await pause(POLL_MS)
  await untilReady(system)
  t.same(await read(newId), before)
})

// In the short form, test/e2e/recovery.test.ts alone starts the API over a database that lost rows, and heals it.
if (isLong)
  t.test(
    "C1: an API that starts over an older database is ready once it is restored; heal --all does so by itself",
    async (t) => {
      const { system, changeAll, read, copies, databaseUrl } = await started(t)
      await copies.make()
      await untilReady(system)
      const newId = await changeAll()
      const before = await read(newId)
      await system.killApi()
      await copies.replace()
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        ["services/api/main.ts", "heal", "--all"],
        {
          env: {
            PATH: process.env["PATH"],
            COUNTERSIGN_DATA_DIR: system.directory,
            DATABASE_URL: databaseUrl,
          },
          encoding: "utf8",
        },
      )
      t.equal(status, 0, stderr)
      t.match(stdout, /compared 3 organizations, restored 3, failed 0/)
      // Earlier starts may have restored what was changed just then.
      const earlier = system.logOf("api").length
      await system.startApi()
      t.notMatch(system.logOf("api").slice(earlier), /the database was older than the ledger/)
      t.same(await read(newId), before)
    },
  )
