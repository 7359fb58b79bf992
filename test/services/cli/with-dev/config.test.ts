// Sections of an organization's file that need a fetcher, keys outside wallets, or the addresses of requests: they go round, and
// an interrupted command continues. Tags, users and policies are in test/e2e/config-*.test.ts.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { parse } from "yaml"
import { generateApiKey } from "../../../../services/terminal-client/api-key.ts"
import { Passkey } from "../../../harness/authenticator.ts"
import { isLong } from "../../../harness/long.ts"
import { Program } from "../../../harness/program.ts"
import { MOONPAY, organizationWithFile, SECRET } from "./config-fixture.ts"
import { idIn } from "./shared-dev.ts"

const carolKey = generateApiKey().publicKey
const HTML = "<p>{{ .OtpCode }} opens {{ .AppName }}</p>"

/** Blocks in which the test itself runs. */
const HERE = [{ cidr: "127.0.0.0/20", label: "here" }, { cidr: "::1/128" }]

const rich = () => ({
  version: 1,
  users: [
    { userName: "root" },
    { userName: "alice" },
    { userName: "bob" },
    { userName: "backend" },
    { userName: "carol", apiKeys: [{ apiKeyName: "carol", publicKey: carolKey }] },
  ],
  privateKeyTags: [
    { privateKeyTagName: "oracles", privateKeys: ["oracle"] },
    { privateKeyTagName: "spare", privateKeys: [] },
  ],
  policies: [
    {
      policyName: "carol signs with oracles",
      effect: "EFFECT_ALLOW",
      consensus: "approvers.any(user, user.id == '@user:carol')",
      condition: "private_key.tags.contains('@private-key-tag:oracles')",
    },
  ],
  emailTemplates: [
    { templateName: "codes", templateType: "EMAIL_TEMPLATE_TYPE_OTP", subject: "Your code", html: HTML },
  ],
  oauth2Credentials: [{ provider: "OAUTH2_PROVIDER_X", clientId: "app" }],
  fiatOnRampCredentials: [MOONPAY],
  authProxy: { enabled: true, settings: { otpTemplateId: "@email-template:codes", otpLength: 8 } },
  ipAllowlists: [
    { rules: HERE },
    {
      publicKey: carolKey,
      onEvaluationError: "ALLOW",
      rules: [{ cidr: "192.0.2.9/24", label: "office" }, { cidr: "2001:DB8::/48" }],
    },
  ],
})

t.test("sections of access and providers", async (t) => {
  await t.test("export, apply to a fresh organization, diff: nothing to do", async (t) => {
    const { call, json, apply, write, file, withSecret } = await organizationWithFile(t)
    write(rich())
    const plan = await call("config", "diff", file)
    t.match(
      plan.out,
      /^ {8}= Create private key tag "oracles" for private keys [0-9a-f-]{36}$/m,
      "beside the changes stands what the signer reads",
    )
    t.match(plan, { status: 6, out: /create {2}OAuth 2\.0 credential x:app\n.*\+ logins with this client/ })
    t.match(
      plan.out,
      /create {2}IP allowlist\n.*- requests of the organization from addresses outside 127\.0\.0\.0\/20 and ::1\/128 are/,
    )
    t.match(plan.out, /create {2}private key tag oracles\n.*\+ private key oracle has the tag/)
    t.match(await apply(), {
      status: 2,
      log: /the file has no secrets: .*--client-secret x:app=FILE --on-ramp-secret moonpay-sandbox=FILE\. Nothing was sent/,
    })
    t.strictSame(await json("private-key-tag", "list"), [])
    const applied = await apply(...withSecret)
    t.equal(applied.status, 0, applied.log + applied.out)
    t.notMatch(applied.out + applied.log, SECRET)
    t.match(await call("config", "diff", file), { status: 0, out: /nothing to do/ })
    t.match(await json("ip-allowlist", "show", "--key", "carol"), {
      enabled: true,
      onEvaluationError: "ALLOW",
      rules: [{ cidr: "192.0.2.0/24", label: "office" }, { cidr: "2001:db8::/48" }],
    })
    t.match((await call("proxy", "show")).out, /otpTemplateId +[0-9a-f-]{36}/)

    const exported = (await call("config", "export")).out
    t.match(parse(exported), {
      privateKeyTags: rich().privateKeyTags,
      oauth2Credentials: rich().oauth2Credentials,
      fiatOnRampCredentials: [MOONPAY],
      emailTemplates: rich().emailTemplates,
      authProxy: rich().authProxy,
      ipAllowlists: [
        { enabled: true, rules: HERE },
        { publicKey: carolKey, onEvaluationError: "ALLOW" },
      ],
    })
    t.notMatch(exported, /ncrypted|NotARealSecret/)
    const fresh = await organizationWithFile(t)
    writeFileSync(fresh.file, exported)
    const copied = await fresh.apply(...fresh.withSecret)
    t.equal(copied.status, 0, copied.log + copied.out)
    t.match(await fresh.call("config", "diff", fresh.file), { status: 0, out: /nothing to do/ })
    const { users, ...rest } = parse((await fresh.call("config", "export")).out)
    const { users: before, ...same } = parse(exported)
    t.strictSame(rest, same, "all but the users, who have the keys of both organizations")
    t.equal(users.length, before.length)
  })

  await t.test("interrupted in the middle, the same command continues and does nothing twice", async (t) => {
    const { call, json, apply, write, file, withSecret, directory } = await organizationWithFile(t)
    write(rich())
    const words = ["config", "apply", file, "--yes", ...withSecret]
    for (const count of isLong ? [1, 3] : [2]) {
      const environment = { COUNTERSIGN_DATA_DIR: directory }
      const program = new Program({ file: "services/cli/main.ts", words, environment })
      await program.until(new RegExp(`(?:done[^\\n]*\\n[^]*){${count}}`))
      await program.stop()
    }
    const last = await apply(...withSecret)
    t.equal(last.status, 0, last.log + last.out)
    t.match(await apply(), { status: 0, out: /nothing to do/ }, "no secret is needed any more")
    const made = (await json("activity", "list", "--limit", "100")) as { type: string; status: string }[]
    for (const type of ["OAUTH2_CREDENTIAL", "EMAIL_TEMPLATE", "POLICIES"])
      t.equal(made.filter((one) => one.type === `ACTIVITY_TYPE_CREATE_${type}`).length, 1, type)
    t.ok(made.every(({ status }) => status === "ACTIVITY_STATUS_COMPLETED"))
    t.match(await call("config", "diff", file), { status: 0 })
  })

  await t.test("a credential that waits is not sent again, although it is sealed anew", async (t) => {
    const { call, apply, write, ofClient, json } = await organizationWithFile(t)
    const [alice, bob] = [
      (await json("user", "show", "alice")).userId,
      (await json("user", "show", "bob")).userId,
    ]
    const by = (id: string) => `approvers.any(user, user.id == '${id}')`
    const policy = ["--effect", "allow", "--condition", "true", "--consensus", `${by(alice)} && ${by(bob)}`]
    t.match(await call("policy", "create", "both", ...policy), { status: 0 })
    write({ oauth2Credentials: rich().oauth2Credentials })
    const first = await apply(...ofClient, "--as", "alice")
    t.match(first, { status: 4, out: /waiting create OAuth 2\.0 credential x:app/ })
    t.match(await apply(...ofClient, "--as", "alice"), { status: 4 })
    const waiting = await json("activity", "list", "--status", "waiting")
    t.equal(waiting.length, 1)
    t.match(await call("approve", waiting[0].fingerprint, "--as", "bob", "--yes"), { status: 0 })
    t.match(await apply("--as", "alice"), { status: 0, out: /nothing to do/ })
  })

  await t.test(
    "what cannot be changed is kept, or replaced with --prune; what is in use is by hand",
    async (t) => {
      const { call, json, apply, write, withSecret, file } = await organizationWithFile(t)
      write(rich())
      t.match(await apply(...withSecret), { status: 0 })
      const [template] = rich().emailTemplates
      const changed = { ...template, html: "<b>{{ .OtpCode }}</b>" }
      write({ emailTemplates: [changed] })
      t.match(await call("config", "diff", file, "--prune"), {
        status: 6,
        out: /by hand e-mail template codes is used by the auth proxy and cannot be changed: give the new text another/,
      })
      const renamed = { ...changed, templateName: "codes 2" }
      write({
        emailTemplates: [renamed],
        authProxy: { enabled: true, settings: { otpTemplateId: "@email-template:codes 2" } },
        privateKeyTags: [{ privateKeyTagName: "oracles", privateKeys: [] }],
        oauth2Credentials: [],
        ipAllowlists: [{ rules: HERE.toReversed() }],
      })
      const kept = await apply()
      t.match(kept, { status: 0, out: /kept {4}OAuth 2\.0 credential x:app/ })
      for (const name of [
        "private key tag spare",
        "e-mail template codes",
        "IP allowlist of API key carol of user carol",
      ])
        t.match(kept.out, `kept    ${name}`)
      t.match(kept.out, /update {2}private key tag oracles\n.*- private key oracle no longer has the tag/)
      t.notMatch(kept.out, /update {2}IP allowlist/, "the order of rules has no meaning")
      t.match(await apply("--prune"), {
        status: 0,
        out: /delete {2}IP allowlist 0[23]\w{64}\n.*\+ requests of API key carol of user carol may come/,
      })
      t.match(await call("config", "diff", file, "--prune"), { status: 0 })
      t.match(await json("ip-allowlist", "show", "--key", "carol"), { enabled: false, rules: [] })
      t.strictSame(await json("oauth2-credential", "list"), [])
      write({ emailTemplates: [], authProxy: { enabled: true, settings: { otpTemplateId: "" } } })
      t.match(await apply("--prune"), { status: 0 })
      write({ emailTemplates: [template] })
      t.match(await apply(), { status: 0 })
      write({ emailTemplates: [changed] })
      t.match(await apply(), {
        status: 0,
        out: /kept {4}e-mail template codes as it is: it cannot be changed/,
      })
      t.match(await apply("--prune"), { status: 0, out: /replace e-mail template codes/ })
      t.match(parse((await call("config", "export")).out), { emailTemplates: [changed] })
    },
  )

  await t.test(
    "an invitation is no state: it is noted where it would become a user whom the file lacks",
    async (t) => {
      const { call, write, file } = await organizationWithFile(t)
      t.match(await call("feature", "create", "otp-email-auth"), { status: 0 })
      const words = ["invitation", "create", "dora", "--email", "dora@example.com", "--access-type", "web"]
      t.match(await call(...words), { status: 0 })
      write({ users: [{ userName: "root" }] })
      const note =
        /note {4}dora \(dora@example\.com\) is invited: once they have logged in, .* --prune deletes them/
      t.match(await call("config", "diff", file), { status: 0, out: note })
      write({ users: [{ userName: "root" }, { userName: "dora" }] })
      t.notMatch((await call("config", "diff", file)).out, "is invited")
      write({ policies: [] })
      t.notMatch((await call("config", "diff", file)).out, "is invited")
      t.notMatch(parse((await call("config", "export")).out), { invitations: [] })
    },
  )

  await t.test("passkeys and identities stay by hand, and the plan says whose proof is needed", async (t) => {
    const { call, write, file, directory } = await organizationWithFile(t)
    const attestation = join(directory, "passkey.json")
    writeFileSync(attestation, JSON.stringify(new Passkey().create("phone")))
    const made = await call("passkey", "create", "phone", "--user", "alice", "--file", attestation)
    t.match(made, { status: 0 })
    const exported = parse((await call("config", "export")).out)
    const alice = exported.users.find(({ userName }: { userName: string }) => userName === "alice")
    t.match(alice.authenticators, [{ authenticatorName: "phone" }])
    t.match(await call("passkey", "delete", idIn(made.out), "--user", "alice"), { status: 0 })
    const identity = { providerName: "work", issuer: "https://id.example", audience: "app", subject: "1" }
    write({
      users: [{ userName: "alice", authenticators: alice.authenticators, oauthProviders: [identity] }],
    })
    const { status, out } = await call("config", "diff", file)
    t.equal(status, 6)
    t.match(
      out,
      /by hand user alice lacks passkey phone: only the device that holds it proves it, so the user/,
    )
    t.match(
      out,
      /by hand user alice lacks OpenID Connect identity work: only a token of its issuer proves it/,
    )
  })

  await t.test("mistakes in these sections are named with their place", async (t) => {
    const { call, file, ofClient, apply, write } = await organizationWithFile(t)
    const refused = async (text: string, sentence: RegExp | string) => {
      writeFileSync(file, `version: 1\n${text}`)
      t.match(await call("config", "diff", file), { status: 2, log: sentence })
    }
    await refused(
      "ipAllowlists:\n  - rules: [{cidr: 192.0.2.1}]\n",
      /yaml:3:\d+: ipAllowlists\[0\]\.rules\[0\]\.cidr must be a block in CIDR/,
    )
    await refused(
      "ipAllowlists: [{rules: []}, {rules: []}]\n",
      /ipAllowlists\[1\] is "the list of the organization" a second time/,
    )
    await refused(
      `ipAllowlists: [{publicKey: ${carolKey}, rules: []}]\n`,
      /ipAllowlists\[0\]\.publicKey is the API key of no user/,
    )
    await refused(
      "privateKeyTags: [{privateKeyTagName: a, privateKeys: [orcale]}]\n",
      /names the private key "orcale", which does not exist; did you mean "oracle"\?/,
    )
    await refused(
      "emailTemplates: [{templateName: a, templateType: EMAIL_TEMPLATE_TYPE_OTP}]\n",
      /emailTemplates\[0\]\.html is missing/,
    )
    await refused(
      "oauth2Credentials: [{provider: OAUTH2_PROVIDER_X, clientId: a, secret: b}]\n",
      /oauth2Credentials\[0\]\.secret is unknown/,
    )
    write({ oauth2Credentials: rich().oauth2Credentials })
    t.match(await apply("--on-ramp-secret", "moonpay=secret.txt"), {
      status: 2,
      log: /write PROVIDER=FILE for an on-ramp credential of the file; it has none/,
    })
    t.match(await apply("--client-secret", "x:ap=secret.txt"), {
      status: 2,
      log: /write PROVIDER:CLIENT_ID=FILE for an OAuth 2\.0 credential of the file; it has x:app/,
    })
    t.match(await apply(...ofClient), { status: 0 })
  })
})
