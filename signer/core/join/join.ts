import type { KeyObject, X509Certificate } from "node:crypto"
import { readRevocationLists, revocationFileOf } from "../crypto/revocations.ts"
import { JoinFault } from "./fault.ts"
import { type Answer, type ReadAnswer, readAnswer, requireAnswerTo } from "./answer.ts"
import type { JoinFiles } from "./files.ts"
import { isServerName } from "./names.ts"
import { readRequest, REQUEST_LIFETIME_MS, requireTimely, writeRequest } from "./request.ts"

/** A process that asks for a certificate. `address`: of a server, "" for a caller. */
export type Joiner = { name: string; address: string }

/** `privateKey`: a new one, of P-256. `isRenewal`: the files in use are to be replaced. */
type Begin = { privateKey: KeyObject; isRenewal: boolean; nowMs: number }

/** Makes the line that asks for the key's certificate, and keeps both until the answer is here. @throws {JoinFault} */
export function beginJoin(
  files: JoinFiles,
  { name, address }: Joiner,
  { privateKey, isRenewal, nowMs }: Begin,
): { line: string; words: string } {
  if (files.areThere && !isRenewal)
    throw new JoinFault(
      "refused",
      `${name} has a certificate, ${files.paths.certificate}${validityOf(files)}: add --renew to ask for the next one`,
    )
  const terms = { name, address, expiresAtMs: nowMs + REQUEST_LIFETIME_MS }
  const line = writeRequest(terms, privateKey)
  files.begin(privateKey, line)
  return { line, words: readRequest(line).words }
}

/** An answer that fits the request that waits. `address`: of the request. `isKnown`: its authority is the one in use. */
export type Acceptable = ReadAnswer & { address: string; isKnown: boolean }

/** Checks an answer; nothing is changed. @throws {JoinFault} */
export function readAcceptable(files: JoinFiles, name: string, line: string, nowMs: number): Acceptable {
  const answer = readAnswer(line)
  const request = files.pending()
  if (request === undefined) throw nothingWaits(files, name, answer)
  requireAnswerTo(request, answer, nowMs)
  // An answer that was kept back names no list of a later time.
  requireTimely(request, nowMs)
  requireNewestList(files, answer)
  return {
    ...answer,
    address: request.address,
    isKnown: files.authority?.fingerprint256 === answer.authority.fingerprint256,
  }
}

/** Without the list a certificate that was revoked would be accepted. */
function requireNewestList(files: JoinFiles, { authority, revocations = "", listNumber }: ReadAnswer): void {
  const [given] = readRevocationLists(Buffer.from(revocations)) ?? []
  if ([given, files.listOf(authority)].some((list) => (list?.number ?? 0n) >= listNumber)) return
  throw new JoinFault(
    "refused",
    `the authority's list of revoked certificates, number ${listNumber}, is not in the line, for which it may be too long: copy ca.crl ` +
      `of the signer's host to ${revocationFileOf(files.paths.ca)}, and give the answer again. Nothing was changed`,
  )
}

/** What is known here of revoked certificates, for people. */
export function revocationState(files: JoinFiles, authority: X509Certificate) {
  const list = files.listOf(authority)
  if (list === undefined)
    return { line: "revoked certificates: none, the authority has no list of them", revoked: 0 }
  const { number, serials } = list
  return {
    line: `revoked certificates: ${serials.size}, by list ${number} of the authority`,
    revoked: serials.size,
  }
}

function nothingWaits(files: JoinFiles, name: string, { certificate }: Answer): JoinFault {
  const isInstalled = files.certificate?.fingerprint256 === certificate.fingerprint256
  return new JoinFault(
    "refused",
    isInstalled
      ? `this answer was used already: ${files.paths.certificate} is its certificate`
      : `no request of ${name} waits for an answer here: it was made on another host, by another user or in another folder`,
  )
}

function validityOf(files: JoinFiles): string {
  const validTo = files.certificate?.validTo
  return validTo === undefined ? "" : `, until ${new Date(validTo).toISOString()}`
}

/** Settings that make a process use its certificate. Callers get those of every server that the answer names. */
export function settingsOf(files: JoinFiles, { name, address }: Joiner, servers: Answer["servers"]) {
  const { certificate, key, ca } = files.paths
  if (isServerName(name)) {
    const prefix = `COUNTERSIGN_${name.toUpperCase()}_`
    return {
      [`${prefix}LISTEN`]: address,
      [`${prefix}TLS_CERTIFICATE_FILE`]: certificate,
      [`${prefix}TLS_KEY_FILE`]: key,
      [`${prefix}TLS_CA_FILE`]: ca,
    }
  }
  return Object.assign(
    {},
    ...servers.map((server) => {
      const prefix = `COUNTERSIGN_${server.name.toUpperCase()}_`
      return {
        [`${prefix}ADDRESS`]: server.address,
        [`${prefix}CA_FILE`]: ca,
        [`${prefix}CLIENT_CERTIFICATE_FILE`]: certificate,
        [`${prefix}CLIENT_KEY_FILE`]: key,
      }
    }),
  ) as { [name: string]: string }
}
