// Requests that wait: approved, rejected, explained and watched through the program, against a development system.
import t from "tap"
import { verifyMessage } from "viem"
import { generateApiKey } from "../../../../services/terminal-client/api-key.ts"
import { bindKey, writeKey } from "../../../../services/terminal-client/key-folder.ts"
import { runAtTerminal, runProgram, startProgram } from "../dev-process.ts"
import { fakeApi } from "../fake-api.ts"
import { devOrganization } from "./shared-dev.ts"

const PROGRAM = "services/cli/main.ts"

t.test("approvals", async (t) => {
  const { call, json, directory, address } = await devOrganization(t)
  const idOf = async (name: string) => (await json("user", "show", name)).userId as string
  const [alice, bob] = [await idOf("alice"), await idOf("bob")]
  const consensus = `approvers.any(user, user.id == '${alice}') && approvers.any(user, user.id == '${bob}')`
  const policy = ["--condition", "activity.action == 'SIGN'", "--consensus", consensus]
  t.match(await call("policy", "create", "both", "--effect", "allow", ...policy), { status: 0 })
  const sign = (text: string, ...more: string[]) =>
    call("sign", "message", text, "--with", "First", "--as", "alice", ...more)
  const shortOf = (log: string) => /sha256:([0-9a-f]{8})/.exec(log)?.[1] ?? ""

  await t.test("a request that waits says who may approve it, how, and until when", async (t) => {
    const { status, out, log } = await sign("pay the supplier")
    t.equal(status, 4)
    t.equal(out, "")
    t.match(log, /waiting for approval: sha256:[0-9a-f]{64}, words \w+(-\w+){7}\n/)
    t.match(log, /one vote so far; votes count until 20\d\d-/)
    t.match(log, /may approve: bob, root\napprove: npx countersign approve [0-9a-f]{8} --as bob/)
    t.match(JSON.parse((await sign("pay the supplier", "--json")).log), {
      error: {
        exitStatus: 4,
        reply: { approvers: [{ userName: "bob" }, { userName: "root" }], lapsesAt: /^20/ },
      },
    })
  })

  await t.test(
    "approve shows the signed message, asks at the terminal, and prints the signature",
    async (t) => {
      const short = shortOf((await sign("pay the supplier")).log)
      t.match(await call("approve", short, "--as", "bob", "--dry-run"), {
        status: 0,
        out: /APPROVE_ACTIVITY/,
      })
      t.match(await runProgram(directory, PROGRAM, "approve", short, "--as", "bob"), {
        status: 2,
        log: /there is no terminal to ask at; add --yes/,
      })
      const no = await runAtTerminal(
        directory,
        { question: "[y/N]", answer: "n" },
        "approve",
        short,
        "--as",
        "bob",
      )
      t.match(no, {
        status: 3,
        text: /\[alice\] \S+ asks: Sign message "pay the supplier" with \[First\] 0x[^]*approve\? \[y\/N\][^]*not approved/,
      })
      const yes = await runAtTerminal(
        directory,
        { question: "[y/N]", answer: "y" },
        "approve",
        short,
        "--as",
        "bob",
      )
      t.equal(yes.status, 0)
      const [, signature = ""] = /completed {3}signature (0x[0-9a-f]{130})/.exec(yes.text) ?? []
      t.ok(
        await verifyMessage({ address, message: "pay the supplier", signature: signature as `0x${string}` }),
      )
      const again = await sign("pay the supplier")
      t.match(again, { status: 0, out: signature }, "the same command prints what became of its request")
      t.match(await call("approve", short, "--as", "bob", "--yes"), { status: 2, log: /no waiting activity/ })
    },
  )

  await t.test("activity lists, shows and explains", async (t) => {
    const short = shortOf((await sign("hello")).log)
    t.match(
      (await call("activity", "list", "--status", "waiting")).out,
      new RegExp(`^${short} .* waiting +\\[alice\\] +Sign message "hello" with \\[First\\] 0x`, "m"),
    )
    t.match(
      (await call("activity", "show", short)).out,
      /\[alice\] \S+ asks: Sign message "hello"[^]*\[alice\] approved at 20/,
    )
    const { out } = await call("activity", "explain", short)
    t.match(out, /at the vote of \[alice\]\n[^]*policy \[both\] {2}needs more votes/)
    t.match(
      out,
      /policy \[both\] {2}needs more votes\n {4}condition true: activity\.action == 'SIGN'\n {4}consensus false: .*/,
    )
    t.match(await json("activity", "explain", short), { now: { outcome: "OUTCOME_REQUIRES_CONSENSUS" } })
    t.match(await call("activity", "list", "--status", "nonsense"), {
      status: 2,
      log: /use waiting, completed/,
    })
    t.match(await call("reject", short, "--as", "bob", "--dry-run"), { status: 0, out: /REJECT_ACTIVITY/ })
    t.match(await call("reject", short), { status: 0, out: /^rejected sha256:/ })
    t.match(
      (await call("activity", "list", "--status", "rejected", "--limit", "1")).out,
      /rejected +\[alice\]/,
    )
  })

  await t.test("activity watch prints what comes", async (t) => {
    const watch = startProgram(t, directory, PROGRAM, "activity", "watch", "--json")
    await watch.until(({ log }) => log.includes("waits for activities"))
    await call("wallet", "create", "Watched")
    const { out } = await watch.until((said) => said.out.includes("\n"))
    t.match(JSON.parse(out.split("\n")[0] ?? ""), { type: "ACTIVITY_TYPE_CREATE_WALLET", votes: [{}] })
    t.equal(await watch.interrupt(), 0)
  })

  await t.test("W20: a request that the API shows altered is not approved", async (t) => {
    const short = shortOf((await sign("one cent")).log)
    const [activity] = await json("activity", "list", "--status", "waiting")
    const keys = t.testdir()
    await writeKey(keys, "bob", generateApiKey())
    await bindKey(keys, "bob", activity.organizationId)
    const altered = JSON.parse(JSON.stringify(activity).replaceAll("one cent", "all of it"))
    const lists = Object.fromEntries(
      [
        "list_users",
        "list_wallets",
        "list_policies",
        "list_private_keys",
        "list_user_tags",
        "list_wallet_accounts",
      ].map((path) => [`/public/v1/query/${path}`, { reply: {} }]),
    )
    const api = await fakeApi(t, {
      ...lists,
      "/public/v1/query/list_activities": { reply: { activities: [altered] } },
    })
    const words = ["approve", short, "--as", "bob", "--keys-folder", keys, "--api", api.url, "--yes"]
    t.match(await call(...words), { status: 6, log: /is not what its users stamped[^]*Do not approve it/ })
    t.notOk(api.seen.some(({ path }) => path.includes("/submit/")))
  })
})
