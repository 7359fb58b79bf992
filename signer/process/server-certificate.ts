import * as fs from "node:fs"
import { ServerCredentials } from "@grpc/grpc-js"
import { pathOfFile, readTlsFiles, type TlsFiles, verifiedBy } from "../core/crypto/certificate.ts"
import { CERTIFICATE_REFRESH_MS, RenewedCertificate } from "../core/crypto/renewed-certificate.ts"
import { FAULT, StartError } from "../core/settings/start-fault.ts"
import { log } from "./log.ts"
import { observeHandshake } from "./refused-callers.ts"
import type { Listen } from "./settings.ts"

type TcpListen = Extract<Listen, { kind: "tcp" }>

/** Mutual TLS whose certificate is renewed from its files: each new connection uses their present content. */
export class RenewedServerCredentials extends ServerCredentials {
  /** @param onRenewed ends connections with the former one. @throws {StartError} when a file cannot be used */
  constructor(files: TcpListen, onRenewed: () => void) {
    const certificate = openCertificate(files)
    super(
      { requestCert: true, rejectUnauthorized: true, SNICallback: observeHandshake },
      contextOf(certificate.files),
    )
    setInterval(() => {
      if (certificate.refresh() !== "renewed") return
      this.updateSecureContextOptions(contextOf(certificate.files))
      onRenewed()
    }, CERTIFICATE_REFRESH_MS).unref()
  }

  _equals(other: ServerCredentials): boolean {
    return other === this
  }
}

const contextOf = (files: TlsFiles) => ({ ...verifiedBy(files), cert: [files.certificate], key: [files.key] })

function openCertificate({ certificateFile, keyFile, caFile }: TcpListen): RenewedCertificate {
  const paths = { certificate: certificateFile, key: keyFile, ca: caFile }
  const opened = RenewedCertificate.open({
    read: () => readTlsFiles(paths, fs),
    nowMs: () => Date.now(),
    log,
  })
  if (opened instanceof RenewedCertificate) return opened
  throw new StartError(FAULT, `${pathOfFile(opened.file, paths)}: ${opened.sentence}`)
}
