// Invitations, IP allowlists, MFA policies, session profiles and velocity controls by name.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { Passkey } from "../../../harness/authenticator.ts"
import { devOrganization, idIn } from "./shared-dev.ts"

t.test("login methods, and limits", async (t) => {
  const { call, json, directory } = await devOrganization(t)

  await t.test(
    "an invitation is sent in the name of the key's user, listed and withdrawn by name",
    async (t) => {
      const dora = ["invitation", "create", "dora", "--email", "dora@example.com", "--access-type", "web"]
      t.match(await call(...dora), { status: 3, log: /OTP disallowed/ })
      t.match(await call("feature", "create", "otp-email-auth"), { status: 0 })
      t.match(await call("tag", "create", "treasury"), { status: 0 })
      const dry = await call(...dora, "--tag", "treasury", "--sender", "alice", "--dry-run")
      const alice = (await json("user", "show", "alice")).userId
      t.match(JSON.parse(dry.out), {
        parameters: { invitations: [{ senderUserId: alice, receiverUserTags: [/^[0-9a-f-]{36}$/] }] },
      })
      const made = await call(...dora)
      t.match(made, { status: 0, out: /^created invitation dora [0-9a-f-]{36}$/ })
      t.match(await call(...dora.map((word) => word.replace("dora", "eva"))), { status: 0 })
      const listed = await call("invitation", "list")
      t.match(listed.out, /^NAME +EMAIL +STATUS +ID\ndora +dora@example\.com +created +[0-9a-f-]{36}\neva /)
      t.match(await json("invitation", "list"), [
        { receiverUserName: "dora", senderUserId: (await json("user", "show", "root")).userId },
        {},
      ])
      t.match(await call("invitation", "delete", "dor"), {
        status: 0,
        out: /^deleted invitation dora$/,
      })
      t.match((await call("invitation", "list")).out, /dora +dora@example\.com +revoked/)
      t.match(await call("invitation", "delete", "dora"), {
        status: 2,
        log: /there is no open invitation “dora”: .*eva/,
      })
      t.match(await call("invitation", "delete", idIn(made.out)), { status: 3, log: /INVITATION_SETTLED/ })
      t.match(await call("invitation", "create", "x", "--email", "x@example.com", "--access-type", "wep"), {
        status: 2,
        log: /did you mean web\?/,
      })
    },
  )

  await t.test("an IP allowlist of the organization, and one of a key by its name", async (t) => {
    const own = ["--allow", "127.0.0.0/20=here", "--allow", "::1/128"]
    t.match(
      await call("ip-allowlist", "set", "--allow", "192.0.2.0/24"),
      { status: 3 },
      "it excludes the caller",
    )
    t.match(await call("ip-allowlist", "set", ...own), { status: 0, out: "updated ip allowlist" })
    t.match(await json("ip-allowlist", "show"), {
      enabled: true,
      onEvaluationError: "DENY",
      rules: [{ cidr: "127.0.0.0/20", label: "here" }, { cidr: "::1/128" }],
    })
    const backend = ["--key", "backend"]
    const block = ["--allow", "198.51.100.7/32", "--on-evaluation-error", "ALLOW"]
    t.match(await call("ip-allowlist", "update", ...backend, ...block), { status: 0 })
    const [{ credential }] = (await json("user", "show", "backend")).apiKeys
    t.match(await json("ip-allowlist", "show", ...backend), {
      publicKey: credential.publicKey,
      onEvaluationError: "ALLOW",
      rules: [{ cidr: "198.51.100.7/32" }],
    })
    t.match(
      (await call("ip-allowlist", "show", "--key", credential.publicKey)).out,
      /cidr +198\.51\.100\.7\/32/,
    )
    t.match(await call("whoami", "--as", "backend"), { status: 3 }, "the key's requests come from elsewhere")
    t.match(await call("ip-allowlist", "set", ...backend, ...block, "--enabled", "false"), { status: 0 })
    t.match(await call("whoami", "--as", "backend"), { status: 0 })
    t.match(await call("ip-allowlist", "delete", ...backend), { status: 0, out: "deleted ip allowlist" })
    t.match(await call("ip-allowlist", "delete", ...backend), { status: 3, log: /has no IP allowlist/ })
    t.match(await call("ip-allowlist", "delete"), { status: 0 })
    t.match(await json("ip-allowlist", "show"), { enabled: false, rules: [] })
    t.match(await call("ip-allowlist", "show", "--key", "nobody"), { status: 2, log: /there is no API key/ })
  })

  await t.test("an MFA policy of a user, with steps that name the user's credentials", async (t) => {
    const file = join(directory, "passkey.json")
    writeFileSync(file, JSON.stringify(new Passkey().create("phone")))
    const phone = idIn((await call("passkey", "create", "phone", "--user", "alice", "--file", file)).out)
    const condition = ["--condition", "activity.action == 'EXPORT'"]
    const words = ["mfa-policy", "create", "exports", "--user", "alice", ...condition, "--order", "1"]
    const made = await call(...words, "--require", "passkey:phone,email-otp", "--require", "api-key:alice")
    t.match(made, { status: 0, out: /^created mfa policy exports [0-9a-f-]{36}$/ })
    const alice = await json("user", "show", "alice")
    const shown = await json("mfa-policy", "show", "exp", "--user", "alice")
    t.match(shown, {
      mfaPolicyId: idIn(made.out),
      condition: condition[1],
      order: 1,
      requiredAuthenticationMethods: [
        {
          any: [
            { type: "AUTHENTICATION_TYPE_PASSKEY", id: phone },
            { type: "AUTHENTICATION_TYPE_EMAIL_OTP" },
          ],
        },
        { any: [{ type: "AUTHENTICATION_TYPE_API_KEY", id: alice.apiKeys[0].apiKeyId }] },
      ],
    })
    t.match(
      (await call("mfa-policy", "list", "--user", "alice")).out,
      /^ORDER +NAME +ID +CONDITION\n1 +exports +/,
    )
    const change = ["mfa-policy", "update", "exports", "--user", "alice"]
    t.match(await call(...change, "--require", "passkey", "--order", "7"), { status: 0 })
    t.match(await json("mfa-policy", "show", "exports", "--user", "alice"), {
      condition: condition[1],
      order: 7,
      requiredAuthenticationMethods: [{ any: [{ type: "AUTHENTICATION_TYPE_PASSKEY" }] }],
    })
    t.match(await call(...change, "--require", "paskey"), { status: 2, log: /did you mean passkey\?/ })
    t.match(await call(...change, "--require", "passkey:tablet"), {
      status: 2,
      log: /there is no passkey “tablet”/,
    })
    t.match(await call(...change, "--require", "email-otp:x"), { status: 2, log: /names no credential/ })
    t.match(await call("mfa-policy", "delete", "exports", "--user", "bob"), {
      status: 2,
      log: /there is no MFA policy “exports”: there is none at all/,
    })
    t.match(await call("mfa-policy", "delete", "exports"), {
      status: 2,
      log: /missing field `userId` \(--user\)/,
    })
    t.match(await call("mfa-policy", "list"), { status: 2, log: /--user/ })
    t.match(await call("mfa-policy", "delete", "exports", "--user", "alice"), { status: 0 })
    t.strictSame(await json("mfa-policy", "list", "--user", "alice"), [])
  })

  await t.test("a session profile is shown by name", async (t) => {
    const scope = "activity.action == 'SIGN'"
    t.match(await call("session-profile", "create", "signing", "--scope", scope), { status: 0 })
    t.match(await json("session-profile", "show", "sign"), { sessionProfileName: "signing", scope })
    const id = (await json("session-profile", "show", "signing")).sessionProfileId
    const words = ["--user", "bob", "--condition", "true", "--order", "1", "--require", "session:signing"]
    const dry = await json("mfa-policy", "create", "m", ...words, "--dry-run")
    t.match(JSON.parse(dry.body).parameters, { requiredAuthenticationMethods: [{ any: [{ id }] }] })
  })

  await t.test("velocity controls of activities and of transfers, which the signer enforces", async (t) => {
    const create = (name: string, ...words: string[]) => call("velocity-control", "create", name, ...words)
    const signatures = ["--identifier", "signatures", "--source", "sign-raw-payload-v2"]
    const made = await create("Signatures of a day", ...signatures, "--limit", "count <= 1 in 1d by user")
    t.match(made, { status: 0, out: /^created velocity control Signatures of a day [0-9a-f-]{36}$/ })
    t.match(await json("velocity-control", "show", "sig"), {
      name: "Signatures of a day",
      identifier: "signatures",
      dataSource: {
        activityExecution: { filter: { activity: [{ activityType: "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2" }] } },
      },
      aggregation: {
        method: "VELOCITY_CONTROL_AGGREGATION_METHOD_COUNT",
        operator: "VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN_OR_EQUAL",
        threshold: "1",
        window: { rolling: { duration: "86400" } },
        groupBy: { user: {} },
      },
    })
    const alice = (await json("user", "show", "alice")).userId
    const policy = ["--condition", "activity.action == 'SIGN' && controls.signatures"]
    const consensus = ["--consensus", `approvers.any(user, user.id == '${alice}')`]
    t.match(await call("policy", "create", "few", "--effect", "allow", ...policy, ...consensus), {
      status: 0,
    })
    t.match(await call("sign", "message", "one", "--with", "First", "--as", "alice"), { status: 0 })
    t.match(await call("sign", "message", "two", "--with", "First", "--as", "alice"), { status: 3 })
    const ether = ["eip155:1/slip44:60@18", "sign-transaction-v2", "refuse-unknown"].flatMap((one) => [
      "--source",
      one,
    ])
    t.match(await create("Ether", "--identifier", "spent", ...ether, "--limit", "sum < 1.5"), { status: 0 })
    t.match(await json("velocity-control", "show", "spent"), {
      dataSource: {
        chainAssetTransfer: {
          definition: [{ caip19: "eip155:1/slip44:60", decimals: "18" }],
          filter: { activity: [{ activityType: "ACTIVITY_TYPE_SIGN_TRANSACTION_V2" }] },
          unknownAmount: "VELOCITY_CONTROL_UNKNOWN_AMOUNT_REFUSED",
        },
      },
      aggregation: { threshold: "1.5", window: { infinite: {} }, groupBy: { organization: {} } },
    })
    t.match((await call("velocity-control", "list")).out, /^IDENTIFIER +NAME +ID\n[^]*^spent +Ether +/m)
    t.match(await create("X", "--identifier", "x", "--source", "activities", "--limit", "few"), {
      status: 2,
      log: /--limit few: not a limit; write it like “sum <= 1\.5 in 24h by wallet”/,
    })
    t.match(await create("X", "--identifier", "x", "--source", "sign-raw-paylod", "--limit", "count < 1"), {
      status: 2,
      log: /--source sign-raw-paylod: there is no such value; did you mean sign-raw-payload\?/,
    })
    t.match(await call("policy", "delete", "few"), { status: 0 })
    t.match(await call("velocity-control", "delete", "signatures"), { status: 0 })
    t.match(await call("velocity-control", "show", "signatures"), { status: 2 })
  })
})
