import { readFileSync } from "node:fs"
import { createTransport } from "nodemailer"
import { isAddress } from "../../core/messages/wording.ts"
import { refuse } from "../../core/refusal.ts"
import { type Channel, DELIVERY_MS, type MailMessage } from "./delivery.ts"
import { domainOf, type MailServer } from "./settings.ts"

const SENDER_NAME = "Notifications"

/** Connections that are kept, and mails on each. */
const POOL = { pool: true, maxConnections: 5, maxMessages: 100 } as const

/**
 * Sends mails by SMTP (RFC 5321) in TLS; plain SMTP only to a server on this host that offers no STARTTLS. Files and
 * addresses in a message are never opened, and nothing is logged.
 */
export function smtpChannel(server: MailServer): Channel<MailMessage> {
  const { host, port, isSecure, isLocal, user, passwordFile, caFile } = server
  const timeouts = {
    connectionTimeout: DELIVERY_MS / 2,
    greetingTimeout: DELIVERY_MS / 2,
    socketTimeout: DELIVERY_MS,
  }
  const transport = createTransport({
    ...POOL,
    ...timeouts,
    host,
    port,
    secure: isSecure,
    requireTLS: !isSecure && !isLocal,
    disableFileAccess: true,
    disableUrlAccess: true,
    logger: false,
    ...(user !== "" && { auth: { user, pass: readFileSync(passwordFile ?? "", "utf8").trim() } }),
    tls: { minVersion: "TLSv1.2", ...(caFile !== undefined && { ca: readFileSync(caFile, "utf8") }) },
  })
  return {
    check: (message) => requireSender(message, server),
    async send(message) {
      const late = AbortSignal.timeout(DELIVERY_MS)
      await Promise.race([
        transport.sendMail(mailOf(message, server)),
        new Promise((_resolve, reject) => {
          late.addEventListener("abort", () => reject(new Error("too late")), { once: true })
        }),
      ])
    },
  }
}

function mailOf(
  { to, subject, text, html, senderAddress, senderName, replyTo }: MailMessage,
  { from }: MailServer,
) {
  const isOwn = senderAddress !== ""
  const address = isOwn ? senderAddress : from
  return {
    from: { name: isOwn && senderName !== "" ? senderName : SENDER_NAME, address },
    to: { name: "", address: to },
    ...(isOwn && replyTo !== "" && { replyTo: { name: "", address: replyTo } }),
    // Given beside the headers, so that no text of a header is parsed for recipients.
    envelope: { from: address, to: [to] },
    subject,
    text,
    html,
    xMailer: false as const,
  }
}

/** @throws OTP_SENDER_NOT_ALLOWED */
function requireSender({ senderAddress, replyTo }: MailMessage, { domains }: MailServer): void {
  const given = [
    ["sendFromEmailAddress", senderAddress],
    ["replyToEmailAddress", senderAddress === "" ? "" : replyTo],
  ] as const
  for (const [name, address] of given) {
    if (address === "" || (isAddress(address) && domains.has(domainOf(address)))) continue
    const sentence = `parameters.${name} is of no domain that this service sends mail for; leave it out`
    throw refuse("OTP_SENDER_NOT_ALLOWED", sentence, { field: `parameters.${name}` })
  }
}
