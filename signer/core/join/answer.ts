import { type KeyObject, X509Certificate } from "node:crypto"
import { create } from "@bufbuild/protobuf"
import { JoinAnswerSchema, JoinServerSchema } from "../../../proto/gen/countersign/state/v1/join_pb.ts"
import { tlsFaultOf } from "../crypto/certificate.ts"
import { wordsOfKey } from "../crypto/key-words.ts"
import { JoinFault } from "./fault.ts"
import { malformed, readLine, writeLine } from "./line.ts"
import { hostOf, isServerName, type JoinedServer, requireAddress } from "./names.ts"

/** Extended key usages of RFC 5280 §4.2.1.12. */
const SERVER_AUTH = "1.3.6.1.5.5.7.3.1"
const CLIENT_AUTH = "1.3.6.1.5.5.7.3.2"

/** A certificate with the authority that issued it, and the servers of the same authority. */
export type Answer = { certificate: X509Certificate; authority: X509Certificate; servers: JoinedServer[] }

export function writeAnswer({ certificate, authority, servers }: Answer): string {
  return writeLine(
    "answer",
    create(JoinAnswerSchema, {
      certificate: Uint8Array.from(certificate.raw),
      authority: Uint8Array.from(authority.raw),
      servers: servers.map((server) => create(JoinServerSchema, server)),
    }),
  )
}

/** @throws {JoinFault} for a line that is no answer. Whether its certificates can be used is not checked. */
export function readAnswer(line: string): Answer {
  const { certificate, authority, servers } = readLine("answer", line)
  return {
    certificate: readCertificate(certificate),
    authority: readCertificate(authority),
    servers: servers.map(({ name, address }) => {
      if (!isServerName(name)) throw malformed("answer")
      return { name, address: requireAddress(address) }
    }),
  }
}

/** The request that an answer has to fit: its terms, and its key. */
type Expected = { name: string; address: string; privateKey: KeyObject }

/** @throws {JoinFault} unless the certificate is of this key, name, authority and time */
export function requireAnswerTo(
  { name, address, privateKey }: Expected,
  answer: Answer,
  nowMs: number,
): void {
  const { certificate, authority } = answer
  if (!certificate.checkPrivateKey(privateKey))
    throw new JoinFault(
      "refused",
      `the answer is of another key than the one that waits here for ${name}: take the answer to the last request of this host, or make a new request`,
    )
  const isOfAuthority =
    authority.ca && certificate.checkIssued(authority) && certificate.verify(authority.publicKey)
  if (!isOfAuthority || !authority.verify(authority.publicKey))
    throw refusedBy("its certificate is not signed by the authority beside it")
  if (certificate.ca || certificate.subject !== `CN=${name}`)
    throw refusedBy(`its certificate is of ${certificate.subject.slice(0, 100)}, and ${name} asked`)
  const usage = isServerName(name) ? SERVER_AUTH : CLIENT_AUTH
  if (certificate.keyUsage?.join(" ") !== usage)
    throw refusedBy(`its certificate is not for a ${isServerName(name) ? "server" : "caller"}`)
  if (address !== "" && certificate.checkHost(hostOf(address)) === undefined)
    throw refusedBy(`its certificate does not name the host of ${address}`)
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
