// Organizations as files, by the command line against a running system.
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import t, { type Test } from "tap"
import { text } from "node:stream/consumers"
import { parse } from "yaml"
import { keyOf as keyOfSent, SentBodies } from "../../services/cli/config/sent.ts"
import { readApiKey } from "../../services/cli/api-key.ts"
import { bindKey, writeKey } from "../../services/cli/key-folder.ts"
import { freshDatabase } from "../harness/database.ts"
import { newKey, type TestKey } from "../harness/stamper.ts"
import { type Json, privateKeyHex, System } from "../harness/system.ts"
import { Program } from "../harness/program.ts"
import { webServer } from "../harness/web-server.ts"
import { velocityControl } from "../harness/velocity.ts"
import { commandLine } from "../services/cli/command-line.ts"

const ABI = JSON.stringify([
  { type: "function", name: "pause", inputs: [], outputs: [], stateMutability: "nonpayable" },
])

t.test("an organization as a file:", async (t) => {
  const { url } = await freshDatabase(t)
  const system = await System.start(url)
  t.teardown(() => system.stop())
  const keys = { root: newKey(), alice: newKey(), bob: newKey() }

  /** A data directory with all keys, which stamp for this organization. */
  const folderFor = async (t: { testdir(): string }, organizationId: string): Promise<string> => {
    const directory = t.testdir()
    for (const [name, key] of Object.entries(keys))
      await saveKey(join(directory, "keys"), name, key, organizationId)
    return directory
  }
  const runIn =
    (directory: string) =>
    (...words: string[]) =>
      commandLine({ COUNTERSIGN_DATA_DIR: directory }, "config", ...words, "--api", system.url)

  const keyOf = (name: keyof typeof keys) => ({ apiKeyName: name, publicKey: keys[name].publicKeyHex })
  const rich = () => ({
    version: 1,
    organizationName: "Acme",
    userTags: ["treasury", "signers"],
    users: [
      { userName: "root", apiKeys: [{ ...keyOf("root"), apiKeyName: "key" }] },
      {
        userName: "alice",
        userEmail: "alice@example.com",
        userPhoneNumber: "+15551234567",
        userTags: ["treasury", "signers"],
        apiKeys: [keyOf("alice")],
        mfaPolicies: [
          {
            mfaPolicyName: "exports",
            condition: "activity.action == 'EXPORT'",
            requiredAuthenticationMethods: [
              { any: [{ type: "AUTHENTICATION_TYPE_API_KEY", id: "@api-key:alice" }] },
            ],
            order: 1,
          },
        ],
      },
      { userName: "bob", userTags: ["treasury"], apiKeys: [keyOf("bob")] },
    ],
    sessionProfiles: [
      { sessionProfileName: "signing", scope: "activity.action == 'SIGN'", expirationSeconds: "3600" },
    ],
    velocityControls: [velocityControl()],
    smartContractInterfaces: [
      {
        label: "Token",
        smartContractAddress: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
        type: "SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM",
        smartContractInterface: ABI,
      },
    ],
    policies: [
      {
        policyName: "two of treasury",
        effect: "EFFECT_ALLOW",
        consensus: "approvers.filter(u, u.tags.contains('@tag:treasury')).count() >= 2",
        condition: "activity.action == 'SIGN'",
        notes: "Signs what two people approved.",
      },
      { policyName: "no export", effect: "EFFECT_DENY", condition: "activity.action == 'EXPORT'" },
      {
        policyName: "alice proposes",
        effect: "EFFECT_ALLOW",
        consensus: "approvers.any(u, u.id == '@user:alice')",
        condition: "activity.resource == 'USER'",
      },
    ],
    webhookEndpoints: [{ name: "ledger", url: "https://hooks.example.com/ledger", isActive: false }],
    features: { FEATURE_NAME_STRICT_DENY: true, FEATURE_NAME_WEBAUTHN_ORIGINS: "https://app.example.com" },
    rootQuorum: { threshold: 1, users: ["root", "alice"] },
  })

  t.test("export, apply to an empty organization, export: the same file", async (t) => {
    const first = await system.createOrganization("First", keys.root)
    const directory = await folderFor(t, first.organizationId)
    const run = runIn(directory)
    const file = join(directory, "organization.yaml")
    writeFileSync(file, JSON.stringify(rich()))
    const differs = await run("diff", file)
    t.equal(differs.status, 6, differs.log)
    t.match(differs.out, /create {2}user alice/)
    t.match(differs.out, /WARNING afterwards 1 of root and alice may do everything/)
    const applied = await run("apply", file, "--yes")
    t.equal(applied.status, 0, applied.log + applied.out)
    const again = await run("apply", file, "--yes")
    t.match(again, { status: 0, out: /nothing to do/ }, "twice is once")
    t.match(await run("diff", file, "--prune"), { status: 0 })
    const exported = (await run("export")).out
    const second = await system.createOrganization("Second", keys.root)
    await bindKey(join(directory, "keys"), "root", second.organizationId)
    const copy = join(directory, "copy.yaml")
    writeFileSync(copy, exported)
    const copied = await run("apply", copy, "--yes")
    t.equal(copied.status, 0, copied.log)
    t.equal((await run("export")).out, exported)
    t.notMatch(exported, /[0-9a-f]{8}-[0-9a-f]{4}-/, "resources are named, not numbered")
    t.match(parse(exported), { rootQuorum: { users: ["root", "alice"] } })
  })

  /** An organization of root, alice and bob, and its data directory. */
  const organizationOf = async (t: Test) => {
    const made = await system.createOrganization("Acme", keys.root)
    const directory = await folderFor(t, made.organizationId)
    const file = join(directory, "organization.yaml")
    const write = (value: object) => writeFileSync(file, JSON.stringify({ version: 1, ...value }))
    const run = runIn(directory)
    const users = [
      { userName: "root" },
      { userName: "alice", apiKeys: [keyOf("alice")] },
      { userName: "bob", apiKeys: [keyOf("bob")] },
    ]
    write({ users })
    t.equal((await run("apply", file, "--yes")).status, 0)
    const submitted = async (type: string): Promise<Json[]> => {
      const parameters = {
        organizationId: made.organizationId,
        filterByType: [`ACTIVITY_TYPE_${type}`],
        paginationOptions: { limit: "100" },
      }
      return (await system.query("list_activities", parameters, keys.root)).json["activities"] as Json[]
    }
    return { ...made, directory, file, write, run, users, submitted }
  }

  t.test("a killed command continues, and makes no activity twice", async (t) => {
    const { directory, file, write, run, submitted } = await organizationOf(t)
    const userTags = Array.from({ length: 12 }, (_, index) => `tag ${index}`)
    write({ userTags })
    const kills = [1, 2, 5]
    for (const count of kills) {
      const words = ["config", "apply", file, "--yes", "--api", system.url]
      const program = new Program({
        file: "services/cli/main.ts",
        words,
        environment: { COUNTERSIGN_DATA_DIR: directory },
      })
      await program.until(new RegExp(`(?:done[^\\n]*\\n[^]*){${count}}`))
      await program.stop()
    }
    t.equal((await run("apply", file, "--yes")).status, 0)
    t.match(await run("apply", file, "--yes"), { status: 0, out: /nothing to do/ })
    const made = (await submitted("CREATE_USER_TAG")).map(({ intent, status }) => {
      t.equal(status, "ACTIVITY_STATUS_COMPLETED")
      return (intent as { createUserTagIntent: { userTagName: string } }).createUserTagIntent.userTagName
    })
    t.strictSame(made.toSorted(), userTags.toSorted())
  })

  t.test("a reply that was lost is asked for again with the same bytes", async (t) => {
    const { organizationId, directory, file, write, submitted } = await organizationOf(t)
    write({ userTags: ["treasury"] })
    let isLost = true
    const bodies: string[] = []
    const front = await webServer(async (request, response) => {
      const path = request.url ?? ""
      const body = await text(request)
      const headers = { "x-stamp": String(request.headers["x-stamp"]), "content-type": "application/json" }
      const reply = await fetch(`${system.url}${path}`, { method: "POST", body, headers })
      if (path.includes("/submit/")) bodies.push(body)
      if (path.includes("/submit/") && isLost) {
        isLost = false
        request.socket.destroy()
        return
      }
      response.writeHead(reply.status, { "content-type": "application/json" }).end(await reply.text())
    })
    t.teardown(() => front.close())
    const apply = (api: string) =>
      commandLine({ COUNTERSIGN_DATA_DIR: directory }, "config", "apply", file, "--yes", "--api", api)
    const url = `http://127.0.0.1:${front.port}`
    t.match(await apply(url), { status: 5, log: /create user tag treasury.*\n.*The same command continues/ })
    // As if the API had not done it: the organization shows nothing, and the kept body is sent again.
    t.match(await apply(url), { status: 0 })
    t.equal((await submitted("CREATE_USER_TAG")).length, 1)
    t.equal(bodies.length, 1, "what was done is seen from the organization")

    write({ userTags: ["treasury", "signers"] })
    const kept = await SentBodies.open(directory, organizationId)
    const parameters = { userTagName: "signers", userIds: [] }
    const body = system.body("CREATE_USER_TAG", organizationId, parameters)
    await kept.add(keyOfSent("ACTIVITY_TYPE_CREATE_USER_TAG", parameters, keys.root.publicKeyHex), body)
    t.match(await apply(url), { status: 0 })
    t.equal(bodies[1], body, "a body that may have been sent is sent again, not another one")
    t.match(await apply(url), { status: 0, out: /nothing to do/ })
  })

  t.test("changes that wait are not sent again, and the command continues after the approval", async (t) => {
    const { directory, file, write, run, users, submitted, organizationId } = await organizationOf(t)
    const both = "approvers.any(u, u.id == '@user:alice') && approvers.any(u, u.id == '@user:bob')"
    write({
      policies: [
        {
          policyName: "both",
          effect: "EFFECT_ALLOW",
          consensus: both,
          condition: "activity.resource == 'USER'",
        },
      ],
    })
    t.equal((await run("apply", file, "--yes")).status, 0)
    write({ userTags: ["treasury"], users: users.map((user) => ({ ...user, userTags: ["treasury"] })) })
    const propose = () => run("apply", file, "--yes", "--as", "alice")
    const first = await propose()
    t.match(first, { status: 4, log: /one change waits for approval[^]*request approve_activity/ })
    const again = await propose()
    t.match(again, { status: 4, out: /waiting create user tag treasury/ })
    t.equal((await submitted("CREATE_USER_TAG")).length, 1)
    const approve = async () => {
      const waiting = await propose()
      const [, command = ""] = /npx countersign (request approve_activity .*)/.exec(waiting.log) ?? []
      const [, parameters = ""] = /'(.*)'/.exec(command) ?? []
      const words = ["request", "approve_activity", parameters, "--submit", "approve_activity", "--as", "bob"]
      return commandLine({ COUNTERSIGN_DATA_DIR: directory }, ...words, "--api", system.url)
    }
    t.match(await approve(), { status: 0 })
    const second = await propose()
    t.match(second, { status: 4, out: /waiting update user root, update user alice, update user bob/ })
    t.match(await approve(), { status: 0 })
    t.match(await propose(), { status: 0, out: /nothing to do/ })
    t.equal((await submitted("UPDATE_USER_TAG")).length, 1)

    write({ userTags: ["treasury", "signers"] })
    t.match(await propose(), { status: 4 })
    const [{ fingerprint } = {}] = await submitted("CREATE_USER_TAG")
    const rejection = system.body("REJECT_ACTIVITY", organizationId, { fingerprint })
    await system.submit("reject_activity", rejection, keys.bob)
    t.match(
      await propose(),
      { status: 3, log: /create user tag signers.*[^]*--again/ },
      "a rejection is not passed over",
    )
    t.equal((await submitted("CREATE_USER_TAG")).length, 2)
    t.match(await run("apply", file, "--yes", "--as", "alice", "--again"), { status: 4 })
    t.equal((await submitted("CREATE_USER_TAG")).length, 3)
  })

  t.test("only --prune deletes, and says what is lost", async (t) => {
    const { file, write, run } = await organizationOf(t)
    const [, alice] = keysAndUsers()
    write({
      userTags: ["old"],
      webhookEndpoints: [{ name: "old", url: "https://hooks.example.com/old" }],
      sessionProfiles: [{ sessionProfileName: "old", scope: "activity.action == 'SIGN'" }],
      policies: [{ policyName: "old", effect: "EFFECT_DENY", condition: "activity.action == 'EXPORT'" }],
      features: { FEATURE_NAME_STRICT_DENY: true },
    })
    t.match(await run("apply", file, "--yes"), { status: 0 })
    write({
      users: [{ userName: "root" }, alice],
      userTags: [],
      webhookEndpoints: [],
      sessionProfiles: [{ sessionProfileName: "old", scope: "activity.action == 'CREATE'" }],
      policies: [],
      features: {},
      rootQuorum: { threshold: 1, users: ["root"] },
    })
    const kept = await run("apply", file, "--yes")
    t.match(kept, { status: 0, out: /nothing to do/ })
    for (const name of [
      "user bob",
      "policy old",
      "user tag old",
      "webhook endpoint old",
      "feature FEATURE_NAME_STRICT",
    ])
      t.match(kept.out, `kept    ${name}`)
    const plan = await run("diff", file, "--prune")
    t.match(plan, { status: 6, out: /delete {2}user bob\n.*- every credential: 1 API keys/ })
    t.match(plan.out, /replace session profile old/)
    t.match(await run("apply", file, "--yes", "--prune"), { status: 0 })
    t.match(await run("diff", file, "--prune"), { status: 0 })
    t.match(parse((await run("export")).out), {
      users: [{ userName: "root" }, { userName: "alice" }],
      userTags: [],
      policies: [],
      sessionProfiles: [{ scope: "activity.action == 'CREATE'" }],
      features: {},
    })
    write({ users: [{ userName: "root" }, { userName: "alice", apiKeys: [] }] })
    const last = await run("apply", file, "--yes", "--prune")
    t.match(last, { status: 3, out: /WARNING these are the last credentials/, log: /LAST_CREDENTIAL/ })
  })
  const keysAndUsers = () => [keys, { userName: "alice", apiKeys: [keyOf("alice")] }] as const

  t.test("an export into a file keeps its comments, and its order", async (t) => {
    const { file, run } = await organizationOf(t)
    writeFileSync(
      file,
      `# ours
rootQuorum: # few
  threshold: 2
  users: [root]
version: 1
users:
  # the bookkeeper
  - userName: bob
  - userName: gone
`,
    )
    t.match(await run("export", file), { status: 0, out: /^wrote / })
    const text = readFileSync(file, "utf8")
    t.ok(
      text.startsWith("# ours\nrootQuorum:\n  # few\n  threshold: 1\n  users: [root]\nversion: 1\nusers:\n"),
    )
    t.match(text, /^users:\n {2}# the bookkeeper\n {2}- userName: bob\n/m)
    t.notMatch(text, /gone/)
    t.match(await run("export", file), { status: 0, out: /is up to date/ })
    t.match(await run("diff", file, "--prune"), { status: 0 })
  })
})

async function saveKey(folder: string, name: string, key: TestKey, organizationId: string): Promise<void> {
  const apiKey = readApiKey(privateKeyHex(key))
  if (apiKey === undefined) throw new Error("a key of the test cannot be read")
  await writeKey(folder, name, apiKey)
  await bindKey(folder, name, organizationId)
}
