// kill -9 of the fetcher while it sends and checks one-time codes: no guess is forgotten, and no code counts twice.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import t from "tap"
import { freshDatabase } from "../harness/database.ts"
import { isLong } from "../harness/long.ts"
import { type Json, type Reply, System } from "../harness/system.ts"

/** Milliseconds from a request to the kill: the request reaches the fetcher, its store and its way back. */
const DELAYS_MS = isLong ? Array.from({ length: 40 }, (_, at) => at * 2) : [8]

/** Guesses at one code that are evaluated. */
const MAX_GUESSES = 3

t.test("kill -9 of the fetcher in the middle of codes:", async (t) => {
  const { url } = await freshDatabase(t)
  const system = await System.startWithFetcher(url, [], { COUNTERSIGN_FETCHER_OUTBOX: "true" })
  t.teardown(() => system.stop())
  const { organizationId, root } = await system.createOrganization()
  const bodyOf = (type: string, parameters: object) => system.body(type, organizationId, parameters)
  const send = (body: string) => {
    const path = (JSON.parse(body) as { type: string }).type
      .replace(/^ACTIVITY_TYPE_|_V2$/g, "")
      .toLowerCase()
    return system.post(`submit/${path}`, body, root).catch(() => undefined)
  }
  const feature = { name: "FEATURE_NAME_OTP_EMAIL_AUTH", value: "" }
  await send(bodyOf("SET_ORGANIZATION_FEATURE", feature))

  const codes = () =>
    readFileSync(join(system.directory, "fetcher", "outbox.jsonl"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { to: string; text: string })
  const codesTo = (contact: string) =>
    codes()
      .filter(({ to }) => to === contact)
      .map(({ text }) => /\b[0-9A-Z]{6,9}\b/.exec(text)![0])
  const start = (contact: string) =>
    bodyOf("INIT_OTP_V2", { otpType: "OTP_TYPE_EMAIL", contact, appName: "Acme" })

  /** Kills the fetcher so long after the requests began, and starts it again. */
  async function killDuring(bodies: string[], delayMs: number): Promise<(Reply | undefined)[]> {
    const answers = Promise.all(bodies.map(send))
    await pause(delayMs)
    await system.killFetcher()
    await system.startFetcher()
    return answers
  }

  /** The answer to a body that is sent until the fetcher is there for it. */
  async function answered(body: string): Promise<Reply> {
    for (;;) {
      const reply = await send(body)
      if (reply !== undefined && reply.status < 500) return reply
      await pause(50)
    }
  }
  const resultOf = ({ json }: Reply, name: string) =>
    ((json["activity"] as Json | undefined)?.["result"] as Json | undefined)?.[name] as Json | undefined

  for (const delayMs of DELAYS_MS) {
    const at = `after ${delayMs} ms`

    t.test(`${at}, guesses that were answered stay counted`, async (t) => {
      const contact = `guess-${delayMs}@example.com`
      const { otpId } = resultOf(await answered(start(contact)), "initOtpResult")!
      const [right] = codesTo(contact)
      const guess = (digit: string) => bodyOf("VERIFY_OTP", { otpId, otpCode: digit + right!.slice(1) })
      const digits = ["2", "3", "4", "5"].filter((digit) => !right!.startsWith(digit)).slice(0, MAX_GUESSES)
      await killDuring(digits.map(guess).slice(0, 2), delayMs)
      for (const digit of digits) {
        const { status, json } = await answered(guess(digit))
        t.match({ status, json }, { status: 400, json: { message: "Invalid OTP code" } })
      }
      const { status, json } = await answered(bodyOf("VERIFY_OTP", { otpId, otpCode: right }))
      t.match(
        { status, json },
        { status: 400, json: { message: "Invalid OTP code" } },
        "the right one is late",
      )
    })

    t.test(`${at}, a code opens once`, async (t) => {
      const contact = `right-${delayMs}@example.com`
      const { otpId } = resultOf(await answered(start(contact)), "initOtpResult")!
      const [otpCode] = codesTo(contact)
      const first = bodyOf("VERIFY_OTP", { otpId, otpCode })
      const [interrupted] = await killDuring([first], delayMs)
      const again = await answered(first)
      const second = await answered(bodyOf("VERIFY_OTP", { otpId, otpCode, expirationSeconds: "60" }))
      const tokens = [interrupted, again, second].flatMap(
        (reply) => (reply && resultOf(reply, "verifyOtpResult")?.["verificationToken"]) ?? [],
      )
      t.equal(new Set(tokens).size, 1, "one token")
      t.equal(second.status, 400, "another request gets none")
    })

    // Each test starts the fetcher again. The short form has the two in which a guess or a code could count twice.
    const skip = isLong ? false : "long form: npm run test:long -- test/e2e/code-kills.test.ts"
    t.test(`${at}, a request for a code is one code, and at most one message`, { skip }, async (t) => {
      const contact = `start-${delayMs}@example.com`
      const body = start(contact)
      await killDuring([body], delayMs)
      const started = resultOf(await answered(body), "initOtpResult")!
      t.same(resultOf(await answered(body), "initOtpResult"), started)
      const sent = codesTo(contact)
      t.ok(sent.length <= 1)
      // A kill between the store and the message loses the message: the user asks again.
      const { otpId } =
        sent.length === 1 ? started : resultOf(await answered(start(contact)), "initOtpResult")!
      const otpCode = codesTo(contact).at(-1)
      const verified = await answered(bodyOf("VERIFY_OTP", { otpId, otpCode }))
      t.match(resultOf(verified, "verifyOtpResult"), { verificationToken: /^eyJ/ })
    })
  }
})
