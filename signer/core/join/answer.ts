import { type KeyObject, sign, verify, X509Certificate } from "node:crypto"
import { create } from "@bufbuild/protobuf"
import { JoinAnswerSchema, JoinServerSchema } from "../../../proto/gen/countersign/state/v1/join_pb.ts"
import { tlsFaultOf } from "../crypto/certificate.ts"
import { lengthPrefixed } from "../crypto/length-prefixed.ts"
import { derOfList, pemOfList, readRevocationLists } from "../crypto/revocations.ts"
import { wordsOfKey } from "../crypto/key-words.ts"
import { JoinFault } from "./fault.ts"
import { malformed, readLine, writeLine } from "./line.ts"
import { hostOf, isServerName, type JoinedServer, requireAddress } from "./names.ts"

/** Extended key usages of RFC 5280 §4.2.1.12. */
const SERVER_AUTH = "1.3.6.1.5.5.7.3.1"
const CLIENT_AUTH = "1.3.6.1.5.5.7.3.2"

/** A list of 800 numbers. A longer one is carried as a file. */
const MAX_LIST_BYTES = 32 * 1024

/**
 * A certificate with the authority that issued it, and the servers of the same authority. `revocations`: the authority's list of revoked
 * certificates in PEM; undefined: none was revoked, or the list is too long.
 */
export type Answer = {
  certificate: X509Certificate
  authority: X509Certificate
  servers: JoinedServer[]
  revocations?: string | undefined
}

/** An answer that was read. `listNumber`: number of the authority's latest list, which may be missing; 0: there is none. */
export type ReadAnswer = Answer & { listNumber: bigint; signature: Uint8Array }

/** `authorityKey`: signs the answer, so that nobody on its way takes the list out of it. */
export function writeAnswer(answer: Answer, authorityKey: KeyObject): string {
  const { certificate, authority, servers, revocations = "" } = answer
  const list = derOfList(revocations)
  const [{ number } = { number: 0n }] = readRevocationLists(Buffer.from(revocations)) ?? []
  return writeLine(
    "answer",
    create(JoinAnswerSchema, {
      certificate: Uint8Array.from(certificate.raw),
      authority: Uint8Array.from(authority.raw),
      servers: servers.map((server) => create(JoinServerSchema, server)),
      revocations: list.length > MAX_LIST_BYTES ? new Uint8Array(0) : list,
      listNumber: number,
      signature: sign("sha256", signedBytes(answer, number), authorityKey),
    }),
  )
}

const DOMAIN = Buffer.from("countersign/v1/join-answer")

function signedBytes(
  { certificate, servers }: Pick<Answer, "certificate" | "servers">,
  number: bigint,
): Uint8Array {
  const list = Buffer.alloc(8)
  list.writeBigUInt64BE(number)
  const places = servers.flatMap(({ name, address }) => [Buffer.from(name), Buffer.from(address)])
  return lengthPrefixed(DOMAIN, certificate.raw, list, ...places)
}

/** @throws {JoinFault} for a line that is no answer. Whether its certificates can be used is not checked. */
export function readAnswer(line: string): ReadAnswer {
  const { certificate, authority, servers, revocations, listNumber, signature } = readLine("answer", line)
  return {
    certificate: readCertificate(certificate),
    authority: readCertificate(authority),
    servers: servers.map(({ name, address }) => {
      if (!isServerName(name)) throw malformed("answer")
      return { name, address: requireAddress(address) }
    }),
    revocations: revocations.length === 0 ? undefined : pemOfList(revocations),
    listNumber,
    signature,
  }
}

/** The request that an answer has to fit: its terms, and its key. */
type Expected = { name: string; address: string; privateKey: KeyObject }

/** @throws {JoinFault} unless the certificate is of this key, name, authority and time */
export function requireAnswerTo(
  { name, address, privateKey }: Expected,
  answer: ReadAnswer,
  nowMs: number,
): void {
  const { certificate, authority, revocations, listNumber, signature } = answer
  if (!certificate.checkPrivateKey(privateKey))
    throw new JoinFault(
      "refused",
      `the answer is of another key than the one that waits here for ${name}: take the answer to the last request of this host, or make a new request`,
    )
  const isOfAuthority =
    authority.ca &&
    authority.publicKey.asymmetricKeyType === "ec" &&
    certificate.checkIssued(authority) &&
    certificate.verify(authority.publicKey)
  if (!isOfAuthority || !authority.verify(authority.publicKey))
    throw refusedBy("its certificate is not signed by the authority beside it")
  if (!verify("sha256", signedBytes(answer, listNumber), authority.publicKey, signature))
    throw refusedBy(
      "it was changed on its way, or made by an earlier release: have the signer's host answer a new request",
    )
  if (certificate.ca || certificate.subject !== `CN=${name}`)
    throw refusedBy(`its certificate is of ${certificate.subject.slice(0, 100)}, and ${name} asked`)
  const usage = isServerName(name) ? SERVER_AUTH : CLIENT_AUTH
  if (certificate.keyUsage?.join(" ") !== usage)
    throw refusedBy(`its certificate is not for a ${isServerName(name) ? "server" : "caller"}`)
  if (address !== "" && certificate.checkHost(hostOf(address)) === undefined)
    throw refusedBy(`its certificate does not name the host of ${address}`)
  const lists = revocations === undefined ? [] : readRevocationLists(Buffer.from(revocations))
  if (lists?.every((list) => list.isOf(authority)) !== true)
    throw refusedBy("its list of revoked certificates is not signed by the authority beside it")
  const key = Buffer.from(privateKey.export({ format: "pem", type: "pkcs8" }))
  const files = {
    certificate: Buffer.from(certificate.toString()),
    ca: Buffer.from(authority.toString()),
    key,
  }
  const fault = tlsFaultOf(files, nowMs)
  if (fault !== undefined) throw refusedBy(fault.sentence)
}

/** Words of an authority, to compare on both hosts: another authority has other words. */
export function wordsOfAuthority(authority: X509Certificate): string {
  return wordsOfKey(authority.raw.toString("hex"))
}

function refusedBy(reason: string): JoinFault {
  return new JoinFault("refused", `the answer cannot be used: ${reason}`)
}

function readCertificate(der: Uint8Array): X509Certificate {
  try {
    return new X509Certificate(der)
  } catch (cause) {
    throw malformed("answer", cause)
  }
}
