import { once } from "node:events"
import { readFileSync } from "node:fs"
import type { AddressInfo } from "node:net"
import { SMTPServer } from "smtp-server"
import type { CertificateFiles } from "./certificates.ts"

/** A mail as the server got it: its envelope, and the whole message as text. */
export type ReceivedMail = { from: string; to: string[]; isSecure: boolean; user: string; message: string }

export type MailServer = { port: number; mails: ReceivedMail[]; close(): Promise<void> }

type Options = {
  /** Certificate for STARTTLS, or for TLS from the first byte. Without one the server offers neither. */
  certificate?: CertificateFiles
  secure?: boolean
  /** The password that every user has; undefined: nobody logs in. */
  password?: string
  /** Recipients that are refused. */
  unknown?: string
}

/** A real SMTP server on the loopback. */
export async function mailServer({
  certificate,
  secure = false,
  password,
  unknown,
}: Options = {}): Promise<MailServer> {
  const mails: ReceivedMail[] = []
  const server = new SMTPServer({
    secure,
    logger: false,
    closeTimeout: 10,
    ...(certificate && {
      key: readFileSync(certificate.keyFile),
      cert: readFileSync(certificate.certificateFile),
    }),
    disabledCommands: [...(certificate ? [] : ["STARTTLS"]), ...(password === undefined ? ["AUTH"] : [])],
    authOptional: password === undefined,
    onAuth: ({ username, password: given }, _session, done) => {
      if (given === password) done(null, { user: username })
      else done(new Error("wrong password"))
    },
    onRcptTo: ({ address }, _session, done) => {
      if (address === unknown) done(new Error("550 no such user"))
      else done()
    },
    onData: (stream, session, done) => {
      const parts: Buffer[] = []
      stream.on("data", (part: Buffer) => parts.push(part))
      stream.on("end", () => {
        const { mailFrom, rcptTo } = session.envelope
        mails.push({
          from: mailFrom === false ? "" : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          isSecure: session.secure,
          user: String(session.user ?? ""),
          message: Buffer.concat(parts).toString(),
        })
        done()
      })
    },
  })
  server.on("error", () => {})
  server.listen(0, "127.0.0.1")
  await once(server.server, "listening")
  return {
    port: (server.server.address() as AddressInfo).port,
    mails,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
