// The signer's sentences for common mistakes: each names the value and the remedy.
import t from "tap"
import { type Answer, ethereumAccount, signParams } from "../../../harness/api-client.ts"
import { newKey, stampWith } from "../../../harness/stamper.ts"
import { subOrganization } from "../../../harness/sub-organization.ts"
import { quorumOfThree } from "../../../hostile/quorum.ts"
import { asRoot, setup } from "../../../hostile/setup.ts"

const SIGN = "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2"
const CREATE_WALLET = "ACTIVITY_TYPE_CREATE_WALLET"

/** Sentence and field of a refusal. */
function saidBy(answer: Answer): { sentence: string; field: string } {
  if (answer.is !== "refused") throw new Error(`not refused but ${answer.is}`)
  const { sentence, field } = answer
  return { sentence, field }
}

t.test(
  "a timestamp in seconds is recognized, and the refusal of a wrong clock names both times",
  async (t) => {
    const { boundary, client, acme, address } = await setup(t)
    const now = boundary.nowMs()
    const field = "timestampMs"
    const iso = (ms: number) => new Date(ms).toISOString()
    const said = async (timestampMs: number) =>
      saidBy(
        await client.send(
          client.body(SIGN, acme.organizationId, signParams(address), timestampMs),
          acme.root,
        ),
      )
    const seconds = Math.floor(now / 1000)
    t.same(await said(seconds), {
      sentence: `timestampMs ${seconds} is in 1970: it looks like seconds; send milliseconds`,
      field,
    })
    const early = now - 3_600_000
    t.same(await said(early), {
      sentence: `timestampMs is an hour old or older: it is ${iso(early)}, the service's time is ${iso(now)}; stamp a new request`,
      field,
    })
    const late = now + 301_000
    const ahead = "timestampMs is more than five minutes ahead of the service's clock"
    t.same(await said(late), {
      sentence: `${ahead}: it is ${iso(late)}, the service's time is ${iso(now)}; set the caller's clock`,
      field,
    })
    const beyond = 9_000_000_000_000_000
    t.match(await said(beyond), { sentence: `${ahead}: it is ${beyond} ms, ` }, "no calendar has this time")
  },
)

t.test("a stamp that does not fit names its public key", async (t) => {
  const { client, acme, address } = await setup(t)
  const body = client.body(SIGN, acme.organizationId, signParams(address))
  const said = saidBy(await client.offer(`${body} `, stampWith(acme.root, body)))
  t.equal(
    said.sentence,
    `could not verify api key signature: public key ${acme.root.publicKeyHex} did not sign this body: ` +
      "another private key, or the body changed after stamping",
  )
})

t.test("an empty organization id is recognized", async (t) => {
  const { client, acme, address } = await setup(t)
  const said = async (id: string) =>
    saidBy(await client.send(client.body(SIGN, id, signParams(address)), acme.root))
  const beginning = "malformed organization ID provided"
  t.same(await said(""), {
    sentence: `${beginning}: organizationId is empty: is ORGANIZATION_ID set?`,
    field: "organizationId",
  })
  t.same(await said("acme"), { sentence: beginning, field: "organizationId" })
})

t.test(
  "a wallet's id in signWith is recognized, in each spelling, and another organization's is not",
  async (t) => {
    const fixture = await setup(t)
    const { client, walletId } = fixture
    const { attempt, submit } = asRoot(fixture)
    const name = "Wallet of the name First"
    await submit("UPDATE_WALLET", { walletId, walletName: name })
    const beginning = "Could not find any resource to sign with."
    for (const id of [walletId, walletId.toUpperCase()])
      t.same(saidBy(await attempt("SIGN_RAW_PAYLOAD_V2", signParams(id))), {
        sentence: `${beginning} ${id} is wallet ${name}: sign with an address of one of its accounts (list_wallet_accounts)`,
        field: "parameters.signWith",
      })
    const globex = await client.createOrganization()
    const theirs = client.body(SIGN, globex.organizationId, signParams(walletId))
    t.equal(
      saidBy(await client.send(theirs, globex.root)).sentence,
      `${beginning} Nothing in this organization signs with ${walletId}`,
    )
    await submit("DELETE_WALLETS", { walletIds: [walletId], deleteWithoutExport: true })
    t.match(saidBy(await attempt("SIGN_RAW_PAYLOAD_V2", signParams(walletId))).sentence, beginning)
  },
)

t.test("a vote that does not count names those whose votes do", async (t) => {
  const fixture = await quorumOfThree(t)
  const { client, alice, eve, propose, approve } = fixture
  const { fingerprint } = await propose()
  const vote = fixture.approval(fingerprint)
  const said = saidBy(await client.send(vote, eve.key))
  t.equal(
    said.sentence,
    `the vote of user ${eve.userId} does not count for this activity; those of root members do`,
  )
  t.ok(await approve(alice, fingerprint))
})

t.test("a vote that does not count names the users whose votes a policy counts", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const { submit } = asRoot(fixture)
  const users = []
  for (const name of ["ann", "ben", "cat", "dan", "eva"]) users.push(await client.user(acme, name))
  const [ann, ben, cat, dan, eva] = users
  const one = `approvers.any(u, u.id == '${ann!.userId}')`
  const others = [ben, cat].map((user) => `u.id == '${user!.userId}'`).join(" || ")
  await submit("CREATE_POLICY_V3", {
    policyName: "two",
    effect: "EFFECT_ALLOW",
    consensus: `${one} && approvers.any(u, ${others})`,
    notes: "",
  })
  const body = client.body(CREATE_WALLET, acme.organizationId, { walletName: "W", accounts: [] })
  const opened = await client.send(body, ann!.key)
  if (opened.is !== "outcome") throw new Error(opened.is)
  const fingerprint = `sha256:${Buffer.from(opened.outcome.activityFingerprint).toString("hex")}`
  const vote = client.body("ACTIVITY_TYPE_APPROVE_ACTIVITY", acme.organizationId, { fingerprint })
  for (const stranger of [dan, eva])
    t.equal(
      saidBy(await client.send(vote, stranger!.key)).sentence,
      `the vote of user ${stranger!.userId} does not count for this activity; those of root members, ` +
        `ben (${ben!.userId}), cat (${cat!.userId}) do`,
    )
})

t.test("the refusal of an unknown fingerprint names its possible causes", async (t) => {
  const fixture = await setup(t)
  const { sentence } = saidBy(
    await asRoot(fixture).attempt("APPROVE_ACTIVITY", { fingerprint: `sha256:${"ab".repeat(32)}` }),
  )
  t.match(
    sentence,
    /^No activity found with fingerprint\. Consensus activities must target an existing activity by fingerprint: /,
  )
  t.match(sentence, /settled .*of another organization.*lapse .*\(24 h\)/)
})

t.test("the refusal of a path in the notation with h names the notation with an apostrophe", async (t) => {
  const { attempt } = asRoot(await setup(t))
  const wallet = (path: string) =>
    attempt("CREATE_WALLET", { walletName: "W", accounts: [{ ...ethereumAccount(0), path }] })
  t.same(saidBy(await wallet("m/44h/60'/0'/0/0")), {
    sentence: "invalid path: part 1 is 44h: a hardened index is written 44'",
    field: "parameters.accounts[0].path",
  })
  t.match(saidBy(await wallet("m/44'/60H")).sentence, "part 2 is 60H: a hardened index is written 60'")
  t.equal(saidBy(await wallet("m/44x")).sentence, "invalid path: part 1 is no index")
})

t.test("a wrong length of a mnemonic names its member, also in a sub-organization", async (t) => {
  const { attempt } = asRoot(await setup(t))
  const wallet = { walletName: "W", accounts: [], mnemonicLength: 13 }
  t.equal(saidBy(await attempt("CREATE_WALLET", wallet)).field, "parameters.mnemonicLength")
  const child = subOrganization([{ name: "root", key: newKey() }], { wallet })
  t.equal(
    saidBy(await attempt("CREATE_SUB_ORGANIZATION_V8", child)).field,
    "parameters.wallet.mnemonicLength",
  )
})
