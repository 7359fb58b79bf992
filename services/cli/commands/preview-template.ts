import { writeFile } from "node:fs/promises"
import type { MailTemplate } from "../../../signer/core/messages/otp-message.ts"
import { Refusal } from "../../../signer/core/refusal.ts"
import { previewOf, requireTemplate } from "../../dashboard/words/message-preview.ts"
import { usage } from "../../terminal-client/exit.ts"
import type { Querying } from "../../terminal-client/api-client.ts"
import { Directory } from "../../terminal-client/names/resolve.ts"
import { readText } from "../../terminal-client/files/text-file.ts"
import { printResult, type Terminal } from "../../terminal-client/terminal.ts"

export type PreviewOptions = {
  html?: string
  text?: string
  subject?: string
  appName?: string
  logoUrl?: string
  magicLinkTemplate?: string
  templateVariables?: string
  out?: string
  json?: boolean
}

/** The code of the sample: as long as codes are by default, and valid as long. */
const SAMPLE = { otpLength: 6, otpAlphanumeric: false, otpExpirationSeconds: 300 }

/** Prints a mail as the fetcher would send it, with a sample code. @throws {CliError} usage: no mail can be made of it */
export async function previewTemplate(
  stored: MailTemplate | undefined,
  options: PreviewOptions,
  terminal: Terminal,
): Promise<void> {
  const template = stored ?? (await templateOf(options))
  const { appName = "Example App", logoUrl, magicLinkTemplate, templateVariables } = options
  const terms = { appName, logoUrl, magicLinkTemplate, templateVariables }
  const mail = mailOf(template, terms)
  if (options.out !== undefined) await writeHtml(options.out, mail.html)
  if (options.json) return printResult(terminal, mail, options)
  terminal.print(`Subject: ${mail.subject}`)
  terminal.print("")
  mail.text.split(/\r?\n/).forEach(terminal.print)
  const advice = "to look at the HTML: --out FILE.html, or --json"
  terminal.log(options.out === undefined ? advice : `wrote the HTML to ${options.out}`)
}

async function templateOf({ html, text, subject = "" }: PreviewOptions): Promise<MailTemplate> {
  if (html === undefined)
    throw usage("name a template of the organization, or give the file of a new one with --html FILE")
  return {
    subject,
    html: await readText(html, "--html"),
    text: text === undefined ? "" : await readText(text, "--text"),
  }
}

function mailOf(template: MailTemplate, terms: Parameters<typeof previewOf>[0]) {
  try {
    requireTemplate(template)
    return previewOf(terms, template, SAMPLE).mail
  } catch (fault) {
    if (!(fault instanceof Refusal)) throw fault
    throw usage(fault.message, { cause: fault, reason: fault.code })
  }
}

async function writeHtml(file: string, html: string): Promise<void> {
  await writeFile(file, html, { flag: "wx" }).catch((cause: NodeJS.ErrnoException) => {
    const why =
      cause.code === "EEXIST" ? "exists already; name a new file" : `cannot be written (${cause.code})`
    throw usage(`--out ${file}: it ${why}`, { cause })
  })
}

/** A template of the organization. @throws {CliError} usage: there is none, or files of another one are given */
export async function storedTemplate(
  name: string,
  { html, text, subject }: PreviewOptions,
  querying: Querying,
): Promise<MailTemplate> {
  if ([html, text, subject].some((part) => part !== undefined))
    throw usage(`give the name ${name}, or --html, --text and --subject of a new template`)
  const found = await new Directory(querying).find("email-template", name)
  const { html: body = "", text: plain = "", subject: title = "" } = found as Partial<MailTemplate>
  return { html: body, text: plain, subject: title }
}
