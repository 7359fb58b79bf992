// Organizations as files: a file goes to an empty organization and comes back the same.
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { parse } from "yaml"
import { bindKey } from "../../services/terminal-client/key-folder.ts"
import { configFiles } from "../harness/config-files.ts"
import { velocityControl } from "../harness/velocity.ts"

const ABI = JSON.stringify([
  { type: "function", name: "pause", inputs: [], outputs: [], stateMutability: "nonpayable" },
])

t.test("an organization as a file:", async (t) => {
  const { system, keys, keyOf, folderFor, runIn, organizationOf } = await configFiles()
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
