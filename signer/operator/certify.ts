import * as fs from "node:fs"
import { join } from "node:path"
import { wordsOfAuthority, writeAnswer } from "../core/join/answer.ts"
import { requireSameWords } from "../core/join/confirm.ts"
import { JoinFault } from "../core/join/fault.ts"
import { JoinFiles } from "../core/join/files.ts"
import { beginJoin, readAcceptable, settingsOf } from "../core/join/join.ts"
import { isServerName } from "../core/join/names.ts"
import { readRequest, type SignedRequest } from "../core/join/request.ts"
import { ask } from "../process/ask.ts"
import { terminal } from "../process/terminal.ts"
import { newTlsKey } from "../process/tls-key.ts"
import { CertificateAuthority } from "./authority/authority.ts"
import type { CommandResult } from "./command-result.ts"

/** `process`: the name that the operator expects. `words`: those that its host shows; undefined: the operator is asked. */
export type PairByLineCommand = { process: string; line: string; words: string | undefined }

export type CertificateCommand = { address: string; isRenewal: boolean }

const authorityOf = (dataDirectory: string) =>
  CertificateAuthority.open(join(dataDirectory, "authority"), Date.now())

/** Issues the certificate that another process asks for, once the operator has compared the words of its request. */
export async function pairByLine(command: PairByLineCommand, dataDirectory: string): Promise<CommandResult> {
  const { process: name, line, words: given } = command
  const request = readRequest(line)
  if (request.name === "signer")
    throw new JoinFault("refused", "the signer gets its certificate by countersign-signer certificate")
  if (request.name !== name)
    throw new JoinFault("refused", `the request is of ${request.name}, and you expect ${name}`)
  const authority = authorityOf(dataDirectory)
  authority.requireOpen(request, Date.now())
  const { servers } = authority
  if (!isServerName(name) && servers.length === 0)
    throw new JoinFault(
      "refused",
      "no server of this deployment has a certificate yet: countersign-signer certificate HOST:PORT first",
    )
  terminal.log(`${purposeOf(request)}. Words of its request:`)
  const { words } = request
  await requireSameWords({ shownBy: `the host of ${name}`, words, given }, ask)
  const certificate = authority.issue(request, Date.now())
  const answer = writeAnswer({ certificate, authority: authority.certificate, servers })
  const authorityWords = wordsOfAuthority(authority.certificate)
  const expires = new Date(certificate.validTo).toISOString()
  terminal.log(
    `Issued until ${expires}. Words of the authority, to compare on the host of ${name}: ${authorityWords}`,
  )
  terminal.log(
    `Give the line to: ${isServerName(name) ? "countersign-fetcher join" : "countersign-node join api"} --answer LINE`,
  )
  if (!isServerName(name) && name !== "api")
    terminal.log(`Signer and fetcher answer ${name} once their settings CALLERS list it.`)
  const serial = certificate.serialNumber.toLowerCase()
  return { lines: [answer], json: { name, answer, words, authorityWords, expires, serial } }
}

function purposeOf({ name, address }: SignedRequest): string {
  return isServerName(name)
    ? `${name} asks for the certificate of a server at ${address}, which callers will trust`
    : `${name} asks for the certificate of a caller, which may ask signer and fetcher whatever the API may`
}

/** Makes the signer's own certificate, whose request and answer never leave this host. */
export function certify({ address, isRenewal }: CertificateCommand, dataDirectory: string): CommandResult {
  const signer = { name: "signer", address }
  const files = new JoinFiles(fs, join(dataDirectory, "signer", "tls"), signer.name)
  const { line } = beginJoin(files, signer, { privateKey: newTlsKey(), isRenewal, nowMs: Date.now() })
  const authority = authorityOf(dataDirectory)
  const certificate = authority.issue(readRequest(line), Date.now())
  const answer = { certificate, authority: authority.certificate, servers: authority.servers }
  readAcceptable(files, signer.name, writeAnswer(answer), Date.now())
  files.install(certificate, authority.certificate)
  const settings = settingsOf(files, signer, [])
  const expires = new Date(certificate.validTo).toISOString()
  const authorityWords = wordsOfAuthority(authority.certificate)
  return {
    lines: [
      `certificate of ${address}, until ${expires}`,
      `authority ${authorityWords}`,
      "Settings of the signer, then restart it:",
      ...Object.entries(settings).map(([name, value]) => `  ${name}=${value}`),
    ],
    json: { address, expires, authorityWords, settings },
  }
}
