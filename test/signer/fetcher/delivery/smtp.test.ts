import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import t from "tap"
import type { MailMessage } from "../../../../signer/fetcher/delivery/delivery.ts"
import { deliveryOf } from "../../../../signer/fetcher/delivery/delivery.ts"
import { deliverySettings, deliverySettingsOf } from "../../../../signer/fetcher/delivery/settings.ts"
import { smtpChannel } from "../../../../signer/fetcher/delivery/smtp.ts"
import { type Environment, readSettings } from "../../../../signer/core/settings/settings.ts"
import { TestAuthority } from "../../../harness/certificates.ts"
import { mailServer } from "../../../harness/mail-server.ts"

const MAIL: MailMessage = {
  channel: "mail",
  to: "ann@example.com",
  subject: "Sign in to Ü & Co",
  text: "Your code: 123456",
  html: "<p>123456</p>",
  senderAddress: "",
  senderName: "",
  replyTo: "",
}

const directory = mkdtempSync(join(tmpdir(), "cs-smtp-"))
const passwordFile = join(directory, "password")
writeFileSync(passwordFile, "secret\n")

/** The channel that these settings make. */
function channelOf(settings: { [name: string]: string }) {
  const prefix = "COUNTERSIGN_FETCHER_"
  const named = Object.entries({ MAIL_FROM: "login@acme.example", ...settings }).map(([name, value]) => [
    prefix + name,
    value,
  ])
  const values = readSettings(deliverySettings, Object.fromEntries(named) as Environment, { prefix })
  return smtpChannel(deliverySettingsOf(values, "").mail!)
}

t.test("a mail has one recipient, one plain and one HTML part, and nothing else", async (t) => {
  const server = await mailServer()
  t.teardown(() => server.close())
  const channel = channelOf({ SMTP_URL: `smtp://127.0.0.1:${server.port}` })
  await channel.send(MAIL)
  const [mail] = server.mails
  t.match(mail, { from: "login@acme.example", to: ["ann@example.com"], user: "" })
  const { message = "" } = mail ?? {}
  t.match(message, /^From: Notifications <login@acme\.example>$/im)
  t.match(message, /^Subject: =\?UTF-8\?Q\?Sign_in_to_=C3=9C_=26_Co\?=$/im)
  t.strictSame(
    [...message.matchAll(/^Content-Type: ([a-z/]+)/gim)].map(([, type]) => type),
    ["multipart/alternative", "text/plain", "text/html"],
  )
  t.notMatch(message, /X-Mailer|http/i)
})

t.test("TLS from the first byte and STARTTLS, with the operator's authority and password", async (t) => {
  const authority = await TestAuthority.create(directory)
  const certificate = await authority.issue("localhost")
  for (const secure of [true, false]) {
    const server = await mailServer({ certificate, secure, password: "secret" })
    t.teardown(() => server.close())
    const url = `${secure ? "smtps" : "smtp"}://mailer@localhost:${server.port}`
    const settings = { SMTP_URL: url, SMTP_PASSWORD_FILE: passwordFile }
    await channelOf({ ...settings, SMTP_CA_FILE: certificate.caFile }).send(MAIL)
    t.match(server.mails, [{ isSecure: true, user: "mailer" }])
    await t.rejects(channelOf(settings).send(MAIL), "a certificate that nobody vouches for")
    t.equal(server.mails.length, 1)
  }
})

t.test("a sender's name and address for replies are used with an approved address alone", async (t) => {
  const server = await mailServer()
  t.teardown(() => server.close())
  const channel = channelOf({ SMTP_URL: `smtp://127.0.0.1:${server.port}`, MAIL_DOMAINS: "shop.example" })
  const own = {
    senderAddress: "hi@SHOP.example",
    senderName: "Shop\r\nBcc: eve@example.com",
    replyTo: "help@acme.example",
  }
  const send = (changes: Partial<MailMessage>) => {
    const message = { ...MAIL, ...changes }
    channel.check?.(message)
    return channel.send(message)
  }
  await send(own)
  const { message = "", from, to } = server.mails[0] ?? {}
  t.match({ from, to }, { from: "hi@shop.example", to: ["ann@example.com"] })
  t.match(message, /^Reply-To: help@acme\.example$/im)
  t.notMatch(message, /^Bcc:/im)
  await send({ ...own, senderAddress: "" })
  t.match(server.mails[1]?.message, /^From: Notifications <login@acme\.example>$/im)
  t.notMatch(server.mails[1]?.message, /^Reply-To/im)
  const refused = { code: "OTP_SENDER_NOT_ALLOWED" }
  for (const changes of [
    { senderAddress: "ceo@bank.example" },
    { ...own, replyTo: "eve@evil.example" },
    { senderAddress: "a@evil.example,b@shop.example" },
    { senderAddress: "<a@evil.example> b@shop.example" },
  ])
    t.throws(() => channel.check?.({ ...MAIL, ...changes }), refused, changes.senderAddress)
  t.equal(server.mails.length, 2)
})

t.test("a server's refusal, its silence and its absence fail without repeating a word", async (t) => {
  const server = await mailServer({ unknown: MAIL.to })
  const delivery = deliveryOf(channelOf({ SMTP_URL: `smtp://127.0.0.1:${server.port}` }), undefined)
  const failed = { code: "OTP_DELIVERY_FAILED" }
  const error = await delivery
    .prepare(MAIL)()
    .catch((error: unknown) => error as Error)
  t.match(error, failed)
  t.notMatch(`${String(error)} ${String((error as Error).cause)}`, /550|123456/)
  await server.close()
  await t.rejects(delivery.prepare(MAIL)(), failed, "nobody listens")
  t.throws(() => deliveryOf(undefined, undefined).prepare(MAIL), { code: "OTP_DELIVERY_UNCONFIGURED" })
})
