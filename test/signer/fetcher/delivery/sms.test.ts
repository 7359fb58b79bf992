import { mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs"
import type http from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import t from "tap"
import { readSettings } from "../../../../signer/core/settings/settings.ts"
import { deliveryOf } from "../../../../signer/fetcher/delivery/delivery.ts"
import { outbox } from "../../../../signer/fetcher/delivery/outbox.ts"
import { deliverySettings, deliverySettingsOf } from "../../../../signer/fetcher/delivery/settings.ts"
import { smsChannel } from "../../../../signer/fetcher/delivery/sms.ts"
import { internet } from "../../../../signer/fetcher/network.ts"
import { webServer } from "../../../harness/web-server.ts"

const SMS = { channel: "sms" as const, to: "+15551234567", text: "123456 is your code & more" }
const ACCOUNT = `AC${"0".repeat(32)}`

const directory = mkdtempSync(join(tmpdir(), "cs-sms-"))
const tokenFile = join(directory, "token")
writeFileSync(tokenFile, "secret\n")

type Asked = { path: string; headers: http.IncomingHttpHeaders; body: string }

/** A provider on the loopback, and the channel that these settings make for it. */
async function provider(
  t: { teardown(clean: () => Promise<void>): unknown },
  settings: { [name: string]: string },
) {
  const asked: Asked[] = []
  const replies: number[] = []
  const server = await webServer((request, response) => {
    const answer = (body: string) => {
      asked.push({ path: request.url ?? "", headers: request.headers, body })
      response.statusCode = replies.shift() ?? 201
      return response.end(body)
    }
    void text(request).then(answer)
  })
  t.teardown(() => server.close())
  const prefix = "COUNTERSIGN_FETCHER_"
  const all = {
    SMS_URL: `http://127.0.0.1:${server.port}`,
    SMS_TOKEN_FILE: tokenFile,
    SMS_FROM: "+15550001111",
    ...settings,
  }
  const environment = Object.fromEntries(Object.entries(all).map(([name, value]) => [prefix + name, value]))
  const values = readSettings(deliverySettings, environment, { prefix })
  return { asked, replies, channel: smsChannel(deliverySettingsOf(values, "").sms!, internet) }
}

t.test("Twilio gets its form, with account and token", async (t) => {
  const { asked, channel } = await provider(t, { SMS_PROVIDER: "twilio", SMS_ACCOUNT: ACCOUNT })
  await channel.send(SMS)
  const [{ path, headers, body } = { path: "", headers: {}, body: "" }] = asked
  t.equal(path, `/2010-04-01/Accounts/${ACCOUNT}/Messages.json`)
  t.match(headers, {
    "content-type": "application/x-www-form-urlencoded",
    authorization: `Basic ${Buffer.from(`${ACCOUNT}:secret`).toString("base64")}`,
  })
  t.strictSame(Object.fromEntries(new URLSearchParams(body)), {
    To: SMS.to,
    From: "+15550001111",
    Body: SMS.text,
  })
})

t.test("a messaging service of Twilio is named as one", async (t) => {
  const { asked, channel } = await provider(t, {
    SMS_PROVIDER: "twilio",
    SMS_ACCOUNT: ACCOUNT,
    SMS_FROM: "MG1",
  })
  await channel.send(SMS)
  t.match(asked[0]?.body, "MessagingServiceSid=MG1")
})

t.test("another provider gets a JSON object, with the token as Bearer", async (t) => {
  const { asked, channel } = await provider(t, { SMS_PROVIDER: "json" })
  await channel.send(SMS)
  t.match(asked, [
    { path: "/", headers: { authorization: "Bearer secret", "content-type": "application/json" } },
  ])
  t.strictSame(JSON.parse(asked[0]!.body), { to: SMS.to, from: "+15550001111", text: SMS.text })
})

t.test("a refusal or redirect of the provider fails without repeating a word", async (t) => {
  const { replies, channel, asked } = await provider(t, { SMS_PROVIDER: "json" })
  const delivery = deliveryOf(undefined, channel)
  for (const status of [302, 400, 401, 500]) {
    replies.push(status)
    const error = await delivery
      .prepare(SMS)()
      .catch((error: unknown) => error as Error)
    t.match(error, { code: "OTP_DELIVERY_FAILED" })
    t.notMatch(`${String(error)} ${String((error as Error).cause)}`, /123456|secret/)
  }
  t.equal(asked.length, 4)
})

t.test("settings that need one another are refused together, and none of them is shown", async (t) => {
  const { faultsOfDelivery } = await import("../../../../signer/fetcher/delivery/settings.ts")
  const faults = (environment: { [name: string]: string }) => {
    try {
      return readSettings(deliverySettings, environment, { check: faultsOfDelivery }) && []
    } catch (error) {
      return (error as { faults: string[] }).faults
    }
  }
  const bad: [fault: RegExp, settings: { [name: string]: string }][] = [
    [/^MAIL_FROM: needed/, { SMTP_URL: "smtps://mail.example" }],
    [/^SMTP_PASSWORD_FILE: needed/, { SMTP_URL: "smtps://me@mail.example", MAIL_FROM: "a@b.example" }],
    [/password/, { SMTP_URL: "smtps://me:hunter2@mail.example", MAIL_FROM: "a@b.example" }],
    [/smtps:/, { SMTP_URL: "https://mail.example", MAIL_FROM: "a@b.example" }],
    [/cannot be read \(ENOENT\)/, { SMTP_CA_FILE: "/nowhere" }],
    [/^SMS_URL: must be an https URL/, { SMS_URL: "http://sms.example" }],
    [/^SMS_URL: needed with json/, { SMS_PROVIDER: "json", SMS_FROM: "A", SMS_TOKEN_FILE: tokenFile }],
    [/^SMS_ACCOUNT: needed/, { SMS_PROVIDER: "twilio", SMS_FROM: "A", SMS_TOKEN_FILE: tokenFile }],
    [/^SMS_FROM: needed/, { SMS_PROVIDER: "twilio", SMS_ACCOUNT: ACCOUNT, SMS_TOKEN_FILE: tokenFile }],
    [/^SMS_TOKEN_FILE: needed/, { SMS_PROVIDER: "twilio", SMS_ACCOUNT: ACCOUNT, SMS_FROM: "A" }],
    [/^SMS_PROVIDER: write/, { SMS_PROVIDER: "pigeon" }],
    [/^OUTBOX: write/, { OUTBOX: "yes" }],
    [
      /^OUTBOX: messages are either/,
      { OUTBOX: "true", SMTP_URL: "smtps://mail.example", MAIL_FROM: "a@b.example" },
    ],
    [/^MAIL_DOMAINS: write/, { MAIL_DOMAINS: "@b.example" }],
    [/^MAIL_FROM: write/, { MAIL_FROM: "login" }],
  ]
  for (const [fault, settings] of bad) {
    const found = faults(settings)
    t.equal(found.length, 1, JSON.stringify(found))
    t.match(found[0], fault)
    t.notMatch(String(found), /hunter2/)
  }
  t.strictSame(faults({ SMTP_URL: "smtps://mail.example", MAIL_FROM: "a@b.example" }), [])
})

t.test("the outbox is a file of its owner, the newest message last", async (t) => {
  const file = join(directory, "new", "outbox.jsonl")
  const channel = outbox(file, () => Date.UTC(2026, 0, 1))
  await channel.send(SMS)
  await channel.send({ ...SMS, text: "second" })
  const lines = readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as object)
  t.strictSame(lines, [
    { sentAt: "2026-01-01T00:00:00.000Z", ...SMS },
    { sentAt: "2026-01-01T00:00:00.000Z", ...SMS, text: "second" },
  ])
  t.equal(statSync(file).mode & 0o077, 0)
})
