// Commands that create, list, show, change and delete, against one running development system.
import { readdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { RESOURCES } from "../../../../services/cli/resources/table.ts"
import { Passkey } from "../../../harness/authenticator.ts"
import { commandLine } from "../command-line.ts"
import { devOrganization, idIn } from "./shared-dev.ts"

t.test("resources", async (t) => {
  const { call, json, directory, organizationId } = await devOrganization(t)

  await t.test("a user is created, listed, shown, changed and deleted by name", async (t) => {
    const made = await call("user", "create", "--name", "carol", "--email", "carol@example.com")
    t.match(made, { status: 0, out: /^created user [0-9a-f-]{36}$/, log: "" })
    t.match(
      (await call("user", "list")).out,
      /^NAME +ID +EMAIL[^]*\ncarol +[0-9a-f-]{36} +carol@example\.com/,
    )
    t.match((await call("user", "show", "car")).out, /^userId +[0-9a-f-]{36}\nuserName +carol\n/)
    t.match(await call("user", "update", "carol", "--name", "caroline"), { status: 0 })
    t.match(await json("user", "show", "caroline"), { userName: "caroline", userEmail: "carol@example.com" })
    const deleted = await json("user", "delete", "caroline")
    t.match(deleted, {
      status: "ACTIVITY_STATUS_COMPLETED",
      fingerprint: /^sha256:/,
      result: { userIds: [idIn(made.out)] },
    })
    t.match(await call("user", "show", "caroline"), { status: 2, log: /there is no user “caroline”/ })
  })

  await t.test("names are whole names, unique beginnings or ids", async (t) => {
    const { out } = await call("user", "show", "alice")
    t.equal((await call("user", "show", idIn(out))).out, out)
    t.equal((await call("user", "show", "ALI")).out, out)
    t.match(await call("user", "show", "b"), {
      status: 2,
      log: /“b” fits several: backend \([0-9a-f-]{36}\), bob \([0-9a-f-]{36}\)\. Give the whole name/,
    })
    t.match(await call("user", "show", "alcie"), {
      status: 2,
      log: /there is no user “alcie”: did you mean alice\?/,
    })
    t.match(JSON.parse((await call("user", "show", "b", "--json")).log), {
      error: { exitStatus: 2, message: /fits several/ },
    })
  })

  await t.test("a dry run prints what would be stamped, and changes nothing", async (t) => {
    const dry = await call("tag", "create", "treasury", "--user", "alice", "--user", "bob", "--dry-run")
    t.match(dry, { status: 0, log: /would stamp and send this to http:.*create_user_tag; nothing was sent/ })
    t.match(JSON.parse(dry.out), {
      type: "ACTIVITY_TYPE_CREATE_USER_TAG",
      parameters: { userTagName: "treasury", userIds: [/^[0-9a-f-]{36}$/, /^[0-9a-f-]{36}$/] },
    })
    t.match(await call("tag", "list"), { status: 0, out: "", log: "there is none" })
    t.match(await json("tag", "create", "treasury", "--dry-run"), { dryRun: true, body: /^\{"type"/ })
  })

  await t.test("tags, wallets, accounts, policies and keys", async (t) => {
    t.match(await call("tag", "create", "treasury", "--user", "alice"), { status: 0 })
    t.match(await call("tag", "update", "treasury", "--add-user", "bob", "--remove-user", "alice"), {
      status: 0,
    })
    const { userTags } = await json("user", "show", "bob")
    t.equal(userTags.length, 1)
    t.match(
      await call("wallet", "create", "Savings", "--account", "ethereum", "--account", "solana:2:cold"),
      {
        status: 0,
        out: /^created wallet Savings [0-9a-f-]{36} 0x\w{40} \w{32,44}$/,
      },
    )
    t.match(
      (await call("account", "list", "--wallet", "Savings")).out,
      /cold +\w{32,44} +Solana +m\/44'\/501'\/2'\/0'/,
    )
    t.match(await call("account", "create", "ethereum:1:spare", "--wallet", "Savings"), { status: 0 })
    t.match((await call("account", "show", "spare")).out, /path +m\/44'\/60'\/1'\/0\/0/)
    t.match(await call("wallet", "create", "X", "--account", "etherum"), {
      status: 2,
      log: /there is no kind of account etherum; did you mean ethereum\?/,
    })
    const condition = ["--condition", "activity.kind == 'SIGN_RAW_PAYLOAD'"]
    t.match(await call("policy", "create", "p", "--effect", "allow", ...condition), { status: 0 })
    t.match(await call("policy", "update", "p", "--effect", "deny"), { status: 0 })
    t.match(await json("policy", "show", "p"), { effect: "EFFECT_DENY", condition: condition[1] })
    t.match(await call("policy", "create", "q", "--effect", "alow"), {
      status: 2,
      log: /did you mean allow\?/,
    })
    t.match(await call("policy", "delete", "p"), { status: 0 })
    t.match(await call("key", "generate", "laptop"), { status: 0 })
    t.match(await call("key", "create", "laptop", "--user", "bob"), { status: 0 })
    t.match(await json("whoami", "--as", "laptop"), { username: "bob", organizationId })
    t.match(await call("key", "delete", "laptop", "--user", "bob"), { status: 0 })
  })

  await t.test("C-1928: a new policy is checked before it is sent", async (t) => {
    const consensus = (text: string) => ["--effect", "allow", "--consensus", text]
    const idOf = async (name: string) => idIn((await call("user", "show", name)).out)
    const [alice, bob] = [await idOf("alice"), await idOf("bob")]
    const both = `approvers.any(u, u.id == '${alice}') && approvers.any(u, u.id == '${bob}')`
    const condition = ["--condition", "activity.kind == 'SIGN_RAW_PAYLOAD'"]
    t.match(await call("policy", "create", "two-of-treasury", ...consensus(both), ...condition), {
      status: 0,
      log: "checked   types ok; alice+bob suffice; no hints",
    })
    t.match(await call("policy", "create", "any", ...consensus("approvers.count() >= 2"), "--dry-run"), {
      log: /^checked {3}types ok; root\+backend or root\+alice or root\+bob or \d+ more suffice; no hints$/m,
    })
    const nobody = "approvers.any(u, u.id == 'x')"
    const hint =
      /^checked {3}types ok; no 4 users could approve together; 1 hint\n {2}note {2}consensus, \d+ to/
    const created = await call("policy", "create", "none", ...consensus(nobody), ...condition)
    t.match(created, { status: 0, log: hint })
    t.equal(created.log.split("note  ").length, 2, "the answer's hints are not shown again")
    const faulty = await call("policy", "create", "bad", ...consensus("approvers.size() > 1"))
    t.equal(faulty.status, 3)
    t.notMatch(faulty.log, /checked/, "the answer says why")
    const silent = await json("policy", "create", "silent", ...consensus(both), ...condition)
    t.match(silent, { status: "ACTIVITY_STATUS_COMPLETED" })
    t.match(await call("policy", "delete", "two"), { status: 0, out: "deleted policy two-of-treasury" })
    t.match(await call("policy", "delete", "silent", "NONE"), {
      status: 0,
      out: "deleted policy silent none",
    })
  })

  await t.test(
    "a key of the folder knows the organization in which it became a credential first",
    async (t) => {
      for (const name of ["payer", "owner"]) await call("key", "generate", name)
      t.match(await call("user", "create", "payer", "--api-key", "payer"), { status: 0 })
      t.match(await json("whoami", "--as", "payer"), { username: "payer", organizationId })
      t.match(await call("suborg", "create", "first", "--root-user", "owner"), { status: 0 })
      const { organizationId: own } = await json("whoami", "--as", "owner")
      t.not(own, organizationId)
      t.match(await call("suborg", "create", "second", "--root-user", "payer"), { status: 0 })
      t.match(await json("whoami", "--as", "payer"), { organizationId })
    },
  )

  await t.test("members of a file are those of the request, and options go before", async (t) => {
    const file = join(directory, "policy.json")
    writeFileSync(file, JSON.stringify({ effect: "EFFECT_DENY", condition: "true", notes: "of the file" }))
    t.match(await call("policy", "create", "f", "--file", file, "--notes", "of the option"), { status: 0 })
    t.match(await json("policy", "show", "f"), { effect: "EFFECT_DENY", notes: "of the option" })
    writeFileSync(file, JSON.stringify({ efect: "EFFECT_DENY" }))
    t.match(await call("policy", "create", "g", "--file", file), { status: 2, log: /efect/ })
  })

  await t.test("what the contract requires is named by its option, before anything is stamped", async (t) => {
    t.match(await call("user", "create"), {
      status: 2,
      log: /missing field `users\[0\]\.userName` \(--name\)/,
    })
    t.match(await call("user", "create", "x", "--email", "nowhere"), {
      status: 2,
      log: /must be an e-mail address \(--email\)/,
    })
    t.match(await call("org", "quorum", "--threshold", "two", "--user", "root"), {
      status: 2,
      log: /not a whole number/,
    })
  })

  await t.test("tags of private keys and passkeys are shown by name, id and its beginning", async (t) => {
    t.match(await call("private-key", "create", "oracle", "--curve", "secp256k1"), { status: 0 })
    const tag = idIn((await call("private-key-tag", "create", "oracles", "--private-key", "oracle")).out)
    for (const text of ["oracles", "orac", tag, tag.slice(0, 13)])
      t.match(await json("private-key-tag", "show", text), { tagId: tag, tagName: "oracles" })
    t.match(await call("private-key-tag", "show", "x"), { status: 2, log: /there is no tag “x”/ })
    const file = join(directory, "passkey.json")
    writeFileSync(file, JSON.stringify(new Passkey().create("phone")))
    const made = await call("passkey", "create", "phone", "--user", "alice", "--file", file)
    t.match(made, { status: 0 })
    const id = idIn(made.out)
    for (const text of ["phone", "ph", id, id.slice(0, 13)])
      t.match(await json("passkey", "show", text), { authenticatorId: id, authenticatorName: "phone" })
    t.match(await call("passkey", "show", "tablet"), {
      status: 2,
      log: /there is no passkey “tablet”: there is phone/,
    })
  })

  await t.test("sub-organizations, features and the auth proxy", async (t) => {
    t.match(await call("key", "generate", "customer"), { status: 0 })
    const words = ["suborg", "create", "customer-7", "--root-user", "customer", "--wallet", "First,ethereum"]
    const made = await call(...words)
    t.match(made, { status: 0, out: /^created suborg customer-7 [0-9a-f-]{36}/ })
    t.match(await json("suborg", "show", "customer-7"), {
      name: "customer-7",
      wallets: [{ walletName: "First" }],
    })
    t.match((await call("suborg", "list")).out, idIn(made.out))
    t.match(await json("suborg", "show", idIn(made.out).slice(0, 13)), { name: "customer-7" })
    t.match(await call("suborg", "show", "ffffffff"), {
      status: 2,
      log: /there is no sub-organization “ffffffff”: give its whole name, its id, or the beginning/,
    })
    t.match(await call("suborg", "delete", "customer-7", "--as", "customer"), {
      status: 2,
      log: /organization/,
    })
    const own = ["--as", "customer", "--organization", idIn(made.out)]
    t.match(await call("suborg", "delete", idIn(made.out), ...own), { status: 3 })
    t.match(await call("feature", "create", "strict-deny"), { status: 0 })
    t.match((await call("feature", "list")).out, /^strict-deny/m)
    t.match(await call("feature", "delete", "strict-deny"), { status: 0 })
    t.match(await call("proxy", "enable"), { status: 0, out: /^enabled proxy with user [0-9a-f-]{36}$/m })
    t.match(await call("proxy", "update", "--otp-length", "8", "--otp-alphanumeric", "false"), { status: 0 })
    t.match((await call("proxy", "show")).out, /otpAlphanumeric +false[^]*otpLength +8/)
  })

  await t.test("a request is kept in a private folder until it is completed", async (t) => {
    const folder = join(directory, "requests")
    const before = readdirSync(folder)
    t.match(await call("wallet", "create", "Later", "--as", "alice"), { status: 3 }, "no policy lets alice")
    t.equal(readdirSync(folder).length, before.length + 1, "the refusal may be a lie")
    const kept = readdirSync(folder)
    t.match(await call("wallet", "create", "Later"), { status: 0 })
    t.strictSame(readdirSync(folder), kept, "another user's request is another one")
    t.equal(statSync(folder).mode & 0o777, 0o700)
  })
})

t.test("every resource command has help with an example of itself", async (t) => {
  for (const { name, commands } of RESOURCES) {
    for (const { verb, examples } of commands) {
      const { status, out } = await commandLine({}, name, verb, "--help")
      t.equal(status, 0)
      t.match(out, "Common options:")
      for (const example of examples) t.match(out, `$ countersign ${example}`)
      t.ok(
        examples.length > 0 && examples.every((example) => example.startsWith(`${name} `)),
        `${name} ${verb}`,
      )
    }
  }
})
