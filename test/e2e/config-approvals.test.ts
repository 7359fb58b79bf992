// Organizations as files: changes that wait for approval.
import t from "tap"
import { configFiles } from "../harness/config-files.ts"
import { commandLine } from "../services/cli/command-line.ts"

t.test("config apply and approvals", async (t) => {
  const { system, keys, organizationOf } = await configFiles()

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
})
