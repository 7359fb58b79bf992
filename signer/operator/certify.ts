import * as fs from "node:fs"
import { join } from "node:path"
import { revocationFileOf } from "../core/crypto/revocations.ts"
import { readAnswer, wordsOfAuthority } from "../core/join/answer.ts"
import { requireSameWords } from "../core/join/confirm.ts"
import { JoinFault } from "../core/join/fault.ts"
import { JoinFiles } from "../core/join/files.ts"
import { beginJoin, readAcceptable, revocationState, settingsOf } from "../core/join/join.ts"
import { isServerName } from "../core/join/names.ts"
import { readRequest, type SignedRequest } from "../core/join/request.ts"
import { ask } from "../process/ask.ts"
import { type HolderTerminal, openHolderTerminal } from "../core/seal-commands/holder-terminal.ts"
import { terminal } from "../process/terminal.ts"
import { newTlsKey } from "../process/tls-key.ts"
import { CertificateAuthority } from "./authority/authority.ts"
import { type AuthorityPlaces, placeOfAuthority } from "./authority/place.ts"
import { openAuthorityKey, sealedAuthorityIn } from "./ceremony/authority-key.ts"
import type { CommandResult } from "./command-result.ts"

/** `process`: the name that the operator expects. `words`: those that its host shows; undefined: the operator is asked. */
export type PairByLineCommand = { process: string; line: string; words: string | undefined }

export type CertificateCommand = { address: string; isRenewal: boolean }

/** `serial`: of one certificate, hexadecimal; undefined: all of the process. */
export type RevokeCommand = { process: string; serial: string | undefined }

/** Where the holders of a sealed authority type their shares. */
type OpenTerminal = () => HolderTerminal

async function authorityOf(places: AuthorityPlaces, at: OpenTerminal): Promise<CertificateAuthority> {
  const { directory, remark } = placeOfAuthority(places)
  if (remark !== undefined) terminal.log(remark)
  const sealed = sealedAuthorityIn(directory)
  if (sealed === undefined) return CertificateAuthority.open(directory, Date.now())
  const holder = at()
  try {
    return CertificateAuthority.open(directory, Date.now(), await openAuthorityKey(sealed, holder))
  } finally {
    holder.close()
  }
}

/** Issues the certificate that another process asks for, once the operator has compared the words of its request. */
export async function pairByLine(
  command: PairByLineCommand,
  places: AuthorityPlaces,
  at: OpenTerminal = openHolderTerminal,
): Promise<CommandResult> {
  const { process: name, line, words: given } = command
  const request = readRequest(line)
  if (request.name === "signer")
    throw new JoinFault("refused", "the signer gets its certificate by countersign-signer certificate")
  if (request.name !== name)
    throw new JoinFault("refused", `the request is of ${request.name}, and you expect ${name}`)
  const authority = await authorityOf(places, at)
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
  const answer = authority.answerWith(certificate)
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
  if (authority.revocationFile !== undefined && readAnswer(answer).revocations === undefined)
    terminal.log(
      `Copy ${authority.revocationFile} there first, beside ca.crt: it is too long for the line, which is refused without it.`,
    )
  const serial = certificate.serialNumber.toLowerCase()
  return { lines: [answer], json: { name, answer, words, authorityWords, expires, serial } }
}

function purposeOf({ name, address }: SignedRequest): string {
  return isServerName(name)
    ? `${name} asks for the certificate of a server at ${address}, which callers will trust`
    : `${name} asks for the certificate of a caller, which may ask signer and fetcher whatever the API may`
}

/** Makes the signer's own certificate, whose request and answer never leave this host. */
export async function certify(
  { address, isRenewal }: CertificateCommand,
  places: AuthorityPlaces,
  at: OpenTerminal = openHolderTerminal,
): Promise<CommandResult> {
  const signer = { name: "signer", address }
  const authority = await authorityOf(places, at)
  const files = new JoinFiles(fs, tlsFolder(places), signer.name)
  const { line } = beginJoin(files, signer, { privateKey: newTlsKey(), isRenewal, nowMs: Date.now() })
  const certificate = authority.issue(readRequest(line), Date.now())
  files.install(readAcceptable(files, signer.name, authority.answerWith(certificate), Date.now()))
  const { line: revocationLine } = revocationState(files, authority.certificate)
  const settings = settingsOf(files, signer, [])
  const expires = new Date(certificate.validTo).toISOString()
  const authorityWords = wordsOfAuthority(authority.certificate)
  return {
    lines: [
      `certificate of ${address}, until ${expires}`,
      `authority ${authorityWords}`,
      revocationLine,
      "Settings of the signer, then restart it:",
      ...Object.entries(settings).map(([name, value]) => `  ${name}=${value}`),
    ],
    json: { address, expires, authorityWords, settings },
  }
}

const tlsFolder = ({ dataDirectory }: AuthorityPlaces) => join(dataDirectory, "signer", "tls")

/** Revokes certificates of a process. The signer's own list is replaced at once, where it has a certificate of this authority. */
export async function revoke(
  { process: name, serial }: RevokeCommand,
  places: AuthorityPlaces,
  at: OpenTerminal = openHolderTerminal,
): Promise<CommandResult> {
  const authority = await authorityOf(places, at)
  const { serials, list, number } = authority.revoke({ name, serial }, Date.now())
  const installed = installList(authority, list, tlsFolder(places))
  const file = authority.revocationFile ?? ""
  const shown = serials.map((each) => each.toLowerCase())
  return {
    lines: [
      `revoked: ${name}, serial ${shown.join(", ")}`,
      installed === undefined
        ? `The signer has no certificate of this authority: put ${file} beside the file of COUNTERSIGN_SIGNER_TLS_CA_FILE`
        : `The signer reads ${installed} within five seconds.`,
      `Copy ${file} to each other host, beside its ca.crt and as ca.crl: fetcher and API read it within five seconds.`,
      `It is list ${number}. A host that joins names its list too: one with a lower number, or with none, had its answer before, and needs the copy.`,
    ],
    json: { name, serials: shown, file, installed, list: String(number) },
  }
}

function installList(authority: CertificateAuthority, list: string, folder: string): string | undefined {
  const ca = join(folder, "ca.crt")
  if (!fs.existsSync(ca) || fs.readFileSync(ca, "utf8") !== authority.certificate.toString()) return undefined
  const file = revocationFileOf(ca)
  fs.writeFileSync(`${file}.new`, list, { mode: 0o600 })
  fs.renameSync(`${file}.new`, file)
  return file
}
