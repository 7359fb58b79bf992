import { isIP } from "node:net"
import {
  optionalText,
  invalid,
  shownBy,
  trueOrUnset,
  type Setting,
  shownByOrigin,
  type SettingValues,
} from "../../core/settings/settings.ts"
import { faultsOfFile } from "../../process/settings.ts"

/** The mail server. `isSecure`: TLS from the first byte; else STARTTLS, which only a server on this host may lack. */
export type MailServer = {
  host: string
  port: number
  isSecure: boolean
  isLocal: boolean
  user: string
  passwordFile: string | undefined
  caFile: string | undefined
  from: string
  /** Domains of addresses that a request may send from, in lower case. */
  domains: ReadonlySet<string>
}

/** The provider of text messages. `twilio`: its REST form; `json`: one JSON object for each message. */
export type SmsProvider = {
  kind: "twilio" | "json"
  url: URL
  account: string
  tokenFile: string
  from: string
}

/** The ways out for messages. No request names a host: these are the only ones that messages go to. */
export type DeliverySettings = {
  mail: MailServer | undefined
  sms: SmsProvider | undefined
  /** File that messages are written to in place of being sent; undefined: none is. */
  outboxFile: string | undefined
}

/** Settings without prefix. */
export const deliverySettings = {
  MAIL_DOMAINS: (text: string | undefined) => (text === undefined ? [] : text.split(",").map(readDomain)),
  MAIL_FROM: (text: string | undefined) => (text === undefined ? undefined : readAddress(text)),
  OUTBOX: trueOrUnset,
  SANDBOX_CONTACTS: trueOrUnset,
  SMS_ACCOUNT: optionalText,
  SMS_FROM: optionalText,
  SMS_PROVIDER: (text: string | undefined) => {
    if (text === undefined || text === "twilio" || text === "json") return text
    throw invalid('write "twilio" or "json"')
  },
  SMS_TOKEN_FILE: optionalText,
  SMS_URL: shownByOrigin((text) => (text === undefined ? undefined : readSmsUrl(text))),
  SMTP_CA_FILE: optionalText,
  SMTP_PASSWORD_FILE: optionalText,
  SMTP_URL: shownBy(
    (text) => (text === undefined ? undefined : readSmtpUrl(text)),
    (url) => url?.href ?? "",
  ),
} satisfies { [name: string]: Setting<unknown> }

type DeliveryValues = SettingValues<typeof deliverySettings>

/** Faults of settings that need one another. */
export function faultsOfDelivery(values: Partial<DeliveryValues>): string[] {
  const faults: string[] = []
  const sends = values.SMTP_URL !== undefined || values.SMS_PROVIDER !== undefined
  if (values.OUTBOX && sends)
    faults.push("OUTBOX: messages are either sent or written to the outbox: unset one")
  if (values.SMTP_URL !== undefined && values.MAIL_FROM === undefined)
    faults.push("MAIL_FROM: needed with SMTP_URL: the address that e-mails come from")
  if (values.SMTP_URL?.username && values.SMTP_PASSWORD_FILE === undefined)
    faults.push("SMTP_PASSWORD_FILE: needed with a user in SMTP_URL")
  for (const name of ["SMTP_PASSWORD_FILE", "SMTP_CA_FILE", "SMS_TOKEN_FILE"] as const)
    if (values[name] !== undefined) faults.push(...faultsOfFile(name, values[name]))
  if (values.SMS_PROVIDER === undefined) return faults
  if (values.SMS_FROM === undefined) faults.push("SMS_FROM: needed with SMS_PROVIDER: the sender's number")
  if (values.SMS_TOKEN_FILE === undefined) faults.push("SMS_TOKEN_FILE: needed with SMS_PROVIDER")
  if (values.SMS_PROVIDER === "twilio" && !/^AC[0-9a-f]{32}$/.test(values.SMS_ACCOUNT ?? ""))
    faults.push("SMS_ACCOUNT: needed with twilio: AC and 32 hexadecimal digits")
  if (values.SMS_PROVIDER === "json" && values.SMS_URL === undefined) faults.push("SMS_URL: needed with json")
  return faults
}

/** @param outboxFile where `OUTBOX` writes */
export function deliverySettingsOf(values: DeliveryValues, outboxFile: string): DeliverySettings {
  return {
    mail: mailServerOf(values),
    sms: smsProviderOf(values),
    outboxFile: values.OUTBOX ? outboxFile : undefined,
  }
}

function mailServerOf(values: DeliveryValues): MailServer | undefined {
  const { SMTP_URL: url, MAIL_FROM: from = "", MAIL_DOMAINS: domains } = values
  if (url === undefined) return undefined
  const isSecure = url.protocol === "smtps:"
  return {
    host: hostOf(url),
    port: url.port === "" ? (isSecure ? 465 : 587) : Number(url.port),
    isSecure,
    isLocal: isLoopback(hostOf(url)),
    user: decodeURIComponent(url.username),
    passwordFile: values.SMTP_PASSWORD_FILE,
    caFile: values.SMTP_CA_FILE,
    from,
    domains: new Set([...domains, domainOf(from)]),
  }
}

function smsProviderOf(values: DeliveryValues): SmsProvider | undefined {
  const { SMS_PROVIDER: kind, SMS_ACCOUNT: account = "", SMS_FROM: from = "" } = values
  if (kind === undefined) return undefined
  const base = values.SMS_URL ?? new URL("https://api.twilio.com")
  const url = kind === "json" ? base : new URL(`/2010-04-01/Accounts/${account}/Messages.json`, base)
  return { kind, url, account, tokenFile: values.SMS_TOKEN_FILE ?? "", from }
}

/** The part of an address after its "@", in lower case. */
export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1).toLowerCase()
}

function readSmtpUrl(text: string): URL {
  const url = URL.parse(text)
  const isServer =
    url !== null && /^smtps?:$/.test(url.protocol) && url.host !== "" && /^\/?$/.test(url.pathname)
  if (!isServer || url.search !== "" || url.hash !== "")
    throw invalid("write it as smtps://user@host:465, or smtp://user@host:587 for STARTTLS")
  if (url.password !== "") throw invalid("leave the password out: it belongs in SMTP_PASSWORD_FILE")
  return url
}

/** Messages hold codes: they travel in TLS, except to a program on this host. */
function readSmsUrl(text: string): URL {
  const url = URL.parse(text)
  const isAllowed = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(hostOf(url)))
  if (url !== null && isAllowed && url.username === "" && url.password === "" && url.hash === "") return url
  throw invalid("must be an https URL without user and fragment; http is for programs on this host")
}

function readDomain(text: string): string {
  const domain = text.trim().toLowerCase()
  if (/^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(domain)) return domain
  throw invalid("write domains like example.com, separated by commas")
}

function readAddress(text: string): string {
  if (/^[^\s@<>"]+@[^\s@<>"]+$/.test(text)) return text
  throw invalid("write an address like login@example.com")
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, "$1")
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."))
}
