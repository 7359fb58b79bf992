// Organizations as files: deletions.
import t from "tap"
import { parse } from "yaml"
import { configFiles } from "../harness/config-files.ts"

t.test("config apply and deletions", async (t) => {
  const { keyOf, organizationOf } = await configFiles()

  t.test("only --prune deletes, and says what is lost", async (t) => {
    const { file, write, run } = await organizationOf(t)
    const alice = { userName: "alice", apiKeys: [keyOf("alice")] }
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
    t.match(plan, { status: 6, out: /delete {2}user bob\n.*- every credential: 1 API key and 0 passkeys/ })
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
})
