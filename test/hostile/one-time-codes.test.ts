// The API tier relays orders, statements, messages' ids and codes, and wants a code that was sent to somebody else.
import { copyFileSync, readFileSync as readFile, rmSync } from "node:fs"
import { fromBinary, toBinary } from "@bufbuild/protobuf"
import t, { type Test } from "tap"
import type { FetchedStatement } from "../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { EmailTemplateRecordSchema, RecordSchema } from "../../proto/gen/countersign/state/v1/record_pb.ts"
import { valueOf } from "../harness/api-client.ts"
import { asking, codes, emailTemplate, otherCode, publishedClaims, sealCode, WRONG } from "../harness/otp.ts"
import { newKeySet } from "../harness/fetcher.ts"
import { newKey, stampWith } from "../harness/stamper.ts"
import { relayed } from "./relayed.ts"
import { restated } from "./restated.ts"
import { refused, setup } from "./setup.ts"

const SPENT = { code: "FETCH_ORDER_SPENT" }

async function started(t: Test) {
  const fixture = await setup(t)
  return { fixture, ...(await codes(fixture)) }
}

t.test("O1: orders of one activity, however many, are one attempt", async (t) => {
  const { fixture, startPlain, attempt } = await started(t)
  const { otpId, otpCode } = await startPlain()
  const wrong = relayed(fixture, "VERIFY_OTP", { otpId, otpCode: otherCode(otpCode) })
  for (let round = 0; round < 5; round++) t.match(await wrong.send(await wrong.ask()), WRONG)
  t.match(await attempt("VERIFY_OTP", { otpId, otpCode: `${otpCode}X` }), WRONG, "the second attempt")
  const right = relayed(fixture, "VERIFY_OTP", { otpId, otpCode })
  t.match(await right.send(await right.ask()), { is: "outcome" }, "the third one")
})

t.test("O1: a restart of fetcher and signer gives no attempt back", async (t) => {
  const { fixture, startPlain, attempt } = await started(t)
  const [first, second] = [await startPlain(), await startPlain()]
  const restart = async () => {
    fixture.boundary.clock.pass(1)
    fixture.fakeFetcher.restart()
    await fixture.boundary.restart()
    fixture.fakeFetcher.obey(fixture.boundary)
    fixture.boundary.clock.pass(1)
  }
  for (let round = 0; round < 3; round++) {
    t.match(await attempt("VERIFY_OTP", { ...first, otpCode: otherCode(first.otpCode) }), WRONG)
    await restart()
  }
  t.match(await attempt("VERIFY_OTP", first), WRONG)
  t.match(await attempt("VERIFY_OTP", second), { is: "outcome" }, "the unaltered twin")
  await restart()
  t.match(await attempt("VERIFY_OTP", second), WRONG, "a used code stays used")
})

t.test("O1: an order stays used across a restart", async (t) => {
  const { fixture, startPlain } = await started(t)
  const { fakeFetcher } = fixture
  const init = await relayed(fixture, "INIT_OTP_V3", asking()).order()
  const plain = await startPlain({ contact: "bob@example.com" })
  const verify = await relayed(fixture, "VERIFY_OTP", plain).order()
  for (const order of [init, verify]) {
    t.ok(await fakeFetcher.fetch(order))
    await t.rejects(fakeFetcher.fetch(order), SPENT)
    fakeFetcher.restart()
    await t.rejects(fakeFetcher.fetch(order), SPENT, "after a restart")
  }
  t.equal(fakeFetcher.messages.length, 2)
})

t.test("O1: the attempt is on disk before an answer leaves", async (t) => {
  const { fixture, startPlain, attempt } = await started(t)
  const plain = await startPlain()
  const { fakeFetcher } = fixture
  const { otpId, otpCode } = plain
  for (let round = 0; round < 2; round++)
    t.match(await attempt("VERIFY_OTP", { otpId, otpCode: otherCode(otpCode) + round }), WRONG)
  const { codes: store } = fakeFetcher
  const { write } = store
  let writes = 0
  store.write = (...change) => {
    // The process dies after the first write: the token was not made.
    if (++writes > 1) throw new Error("killed")
    write.apply(store, change)
  }
  const before = store.durableSequence
  await t.rejects(relayed(fixture, "VERIFY_OTP", plain).ask())
  t.equal(store.durableSequence, before + 1n, "also before a refusal")
  fakeFetcher.restart()
  fixture.boundary.clock.pass(1)
  t.match(await attempt("VERIFY_OTP", plain), WRONG, "the third attempt was counted")
})

t.test("O3: a withheld statement is stated again, and nothing is sent or counted twice", async (t) => {
  const { fixture, attempt } = await started(t)
  const { fakeFetcher } = fixture
  const init = relayed(fixture, "INIT_OTP_V2", asking())
  await init.ask()
  const answer = await init.send(await init.ask())
  t.match(answer, { is: "outcome" })
  t.equal(fakeFetcher.messages.length, 1)
  if (answer.is !== "outcome") return
  const { otpId } = valueOf(answer.outcome, "initOtpResult")
  const otpCode = fakeFetcher.newestCode
  const verify = relayed(fixture, "VERIFY_OTP", { otpId, otpCode })
  await verify.ask()
  t.match(await attempt("VERIFY_OTP", { otpId, otpCode }), WRONG, "another body")
  t.match(await verify.send(await verify.ask()), { is: "outcome" }, "the same body")
})

t.test("O3: a statement serves the activity that it was ordered for, and no other", async (t) => {
  const { fixture, startPlain } = await started(t)
  const plain = await startPlain()
  const other = relayed(fixture, "VERIFY_OTP", plain)
  const [first, second] = [
    relayed(fixture, "INIT_OTP_V3", asking()),
    relayed(fixture, "INIT_OTP_V3", asking()),
  ]
  const [mine, theirs, token] = [await first.ask(), await second.ask(), await other.ask()]
  const invented = { finding: { case: "codeStarted", value: { otpId: plain.otpId, targetBundle: "{}" } } }
  const cases: [what: string, fetched: FetchedStatement][] = [
    ["of another request", theirs],
    ["relabelled", { ...theirs, order: mine.order! }],
    ["of another kind", { ...token, order: mine.order! }],
    ["made up by the API tier", restated(mine, invented as never)],
    ["with an earlier state", restated(mine, { stateSequence: 1n })],
  ]
  for (const [what, fetched] of cases)
    await refused(t, fixture, "STATEMENT_INVALID", () => first.send(fetched), what)
  t.match(await first.send(mine), { is: "outcome" }, "the unaltered twin")
})

t.test("O3: an altered order starts nothing, and an altered body has no stamp", async (t) => {
  const { fixture } = await started(t)
  const { client, acme, fakeFetcher } = fixture
  const order = await relayed(fixture, "INIT_OTP_V3", asking()).order()
  const text = Buffer.from(order.order).toString("latin1").replace("ann@example.com", "eve@example.com")
  const swapped = { ...order, order: Uint8Array.from(Buffer.from(text, "latin1")) }
  await t.rejects(fakeFetcher.fetch(swapped), { code: "FETCH_ORDER_FORGED" })
  const body = client.body("ACTIVITY_TYPE_INIT_OTP_V3", acme.organizationId, asking())
  const stamp = stampWith(acme.root, body)
  const altered = body.replace("ann@example.com", "eve@example.com")
  await refused(t, fixture, "STAMP_INVALID", () => client.offer(altered, stamp))
  t.strictSame(fakeFetcher.messages, [])
})

t.test("O3: a client seals a code to no key but the fetcher's", async (t) => {
  const { fixture, start } = await started(t)
  const { bundle, code } = await start()
  const { publicKeyHex } = newKey()
  const own = { keySet: newKeySet() }
  const forged = JSON.stringify({
    ...JSON.parse(bundle),
    enclaveQuorumPublic: own.keySet.publicHex.slice(130),
  })
  await t.rejects(sealCode(code, forged, publicKeyHex, fixture.fakeFetcher), /does not match signer key/)
  const { data } = JSON.parse(bundle) as { data: string }
  const target = Buffer.from(data, "hex")
    .toString()
    .replace(/"04[0-9a-f]{128}"/, `"${own.keySet.publicHex.slice(0, 130)}"`)
  const injected = JSON.stringify({ ...JSON.parse(bundle), data: Buffer.from(target).toString("hex") })
  await t.rejects(
    sealCode(code, injected, publicKeyHex, fixture.fakeFetcher),
    /signature verification failed/,
  )
  t.ok(await sealCode(code, bundle, publicKeyHex, fixture.fakeFetcher))
})

t.test("O3: neither statements nor replies nor the store hold a code", async (t) => {
  const { fixture } = await started(t)
  const init = relayed(fixture, "INIT_OTP_V3", asking())
  const statement = await init.ask()
  const answer = await init.send(statement)
  const code = fixture.fakeFetcher.newestCode
  const bigints = (_name: string, value: unknown) => (typeof value === "bigint" ? String(value) : value)
  t.notMatch(JSON.stringify(answer, bigints), code)
  t.notOk(Buffer.from(statement.statement!.statement).includes(code))
  fixture.fakeFetcher.restart(() => {
    const bytes = readFile(fixture.fakeFetcher.storeFile)
    t.notOk(bytes.includes(code))
    t.notOk(bytes.includes("ann@example.com"))
  })
})

t.test("O4: codes of a store that was restored from an older copy are void", async (t) => {
  const { fixture, startPlain, attempt } = await started(t)
  const { fakeFetcher, boundary } = fixture
  const older = `${fakeFetcher.storeFile}.older`
  const [plain, twin] = [await startPlain(), await startPlain({ contact: "bob@example.com" })]
  fakeFetcher.restart(() => copyFileSync(fakeFetcher.storeFile, older))
  for (let round = 0; round < 2; round++)
    t.match(await attempt("VERIFY_OTP", { ...plain, otpCode: otherCode(plain.otpCode) }), WRONG)
  fakeFetcher.restart()
  t.match(await attempt("VERIFY_OTP", twin), { is: "outcome" }, "the store as it was: the unaltered twin")
  await boundary.restart()
  fakeFetcher.restart(() => {
    for (const end of ["-wal", "-shm"]) rmSync(`${fakeFetcher.storeFile}${end}`, { force: true })
    copyFileSync(older, fakeFetcher.storeFile)
  })
  boundary.clock.pass(1)
  t.match(await attempt("VERIFY_OTP", plain), WRONG, "its attempts are lost, and so is the code")
  t.match(await attempt("VERIFY_OTP", twin), WRONG, "a used code is not used again")
  const next = await startPlain({ contact: "cyd@example.com" })
  t.match(await attempt("VERIFY_OTP", next), { is: "outcome" }, "codes that are sent from now on")
})

t.test("what remains: who stamps for the organization and reads a code in clear uses it", async (t) => {
  const { fixture, startPlain, start, attempt, submit, verify } = await started(t)
  const { publicKeyHex: attackers } = newKey()
  const plain = await startPlain()
  t.match(await attempt("VERIFY_OTP", { ...plain, publicKey: attackers }), { is: "outcome" })
  const { otpId, bundle, code } = await start()
  const { publicKeyHex: users } = newKey()
  const encryptedOtpBundle = await sealCode(code, bundle, users, fixture.fakeFetcher)
  const bound = { otpId, encryptedOtpBundle, publicKey: attackers }
  t.match(await attempt("VERIFY_OTP", bound), { code: "REQUEST_INVALID" }, "a sealed code names its key")
  const token = await verify("VERIFY_OTP_V2", { otpId, encryptedOtpBundle })
  t.match(await publishedClaims(token, fixture), { public_key: users }, "whoever sends it")
  await submit("SET_ORGANIZATION_FEATURE", { name: "FEATURE_NAME_SEALED_OTP_ONLY", value: "" })
  t.match(await attempt("INIT_OTP_V2", asking()), { code: "OTP_SEALED_ONLY" }, "the switch that closes it")
})

t.test(
  "O6: a mail has the template of the signed document, whatever texts the API tier stores",
  async (t) => {
    const { fixture, submit } = await started(t)
    const { client, acme, boundary, fakeFetcher } = fixture
    const create = async (text: string) => {
      const made = await submit(
        "CREATE_EMAIL_TEMPLATE",
        emailTemplate({ html: `<p>${text} {{ .OtpCode }}</p>` }),
      )
      return valueOf(made, "createEmailTemplateResult").templateId
    }
    const [templateId, deleted] = [await create("honest"), await create("deleted")]
    const record = fromBinary(RecordSchema, client.records.get(templateId)!)
    const payload = fromBinary(EmailTemplateRecordSchema, record.payload)
    payload.html = "<p>Tell {{ .OtpCode }} to Eve</p>"
    const altered = { ...record, payload: toBinary(EmailTemplateRecordSchema, payload) }
    await submit("DELETE_EMAIL_TEMPLATE", { templateId: deleted })
    const records = [toBinary(RecordSchema, altered), client.records.get(deleted)!]
    for (const [round, changes] of [{ emailCustomization: { templateId } }, {}].entries()) {
      const contact = `user${round}@example.com`
      const { order } = relayed(fixture, "INIT_OTP_V3", asking({ contact, ...changes }), records)
      await fakeFetcher.fetch(await order())
      t.match(fakeFetcher.messages.at(-1), { to: contact, html: /^<p>honest [0-9A-Z]{9}<\/p>$/ })
      await boundary.restart()
      fakeFetcher.obey(boundary)
    }
    const other = await codes(fixture, await client.createOrganization("Other"))
    const named = { emailCustomization: { templateId } }
    const unknown = { is: "refused", code: "RESOURCE_UNKNOWN" }
    t.match(await other.attempt("INIT_OTP_V3", asking(named)), unknown, "of another organization")
    t.equal(acme.organizationId, record.organizationId)
  },
)

t.test("O6: no member of a request becomes another header of a mail", async (t) => {
  const { fixture, attempt, submit } = await started(t)
  const invalid = (field: string) => ({
    is: "refused",
    code: "OTP_MESSAGE_INVALID",
    field: `parameters.${field}`,
  })
  for (const end of ["\r\nBcc: eve@example.com", "\nBcc: eve@example.com", "\u2028", "\u0085"]) {
    const mails = { appName: `Acme${end}` }
    t.match(await attempt("INIT_OTP_V3", asking(mails)), invalid("appName"))
    const name = { sendFromEmailAddress: "login@acme.example", sendFromEmailSenderName: `Acme${end}` }
    t.match(await attempt("INIT_OTP_V3", asking(name)), invalid("sendFromEmailSenderName"))
    const replyTo = {
      sendFromEmailAddress: "login@acme.example",
      replyToEmailAddress: `a@acme.example${end}`,
    }
    t.match(await attempt("INIT_OTP_V3", asking(replyTo)), invalid("replyToEmailAddress"))
    const sender = { sendFromEmailAddress: `login@acme.example${end}` }
    t.match(await attempt("INIT_OTP_V3", asking(sender)), invalid("sendFromEmailAddress"))
  }
  const subject = 'For {{ index .TemplateVariables "name" }}'
  await submit("CREATE_EMAIL_TEMPLATE", emailTemplate({ subject }))
  const mailFor = (name: string) =>
    asking({ emailCustomization: { templateVariables: JSON.stringify({ name }) } })
  t.match(await attempt("INIT_OTP_V3", mailFor("Ann\r\nBcc: eve@example.com")), invalid("emailCustomization"))
  t.equal(fixture.fakeFetcher.messages.length, 0, "nothing was sent")
  t.match(
    await attempt("INIT_OTP_V3", mailFor("Ann <ann@example.com>")),
    { is: "outcome" },
    "the unaltered twin",
  )
  t.match(fixture.fakeFetcher.messages.at(-1), { subject: "For Ann <ann@example.com>" })
})
