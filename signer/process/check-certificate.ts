import * as fs from "node:fs"
import { type Check, ok } from "../core/checks.ts"
import { counted } from "../core/counted.ts"
import { certificateOf, readTlsFiles, revocationsIn, tlsFaultOf } from "../core/crypto/certificate.ts"
import type { Listen } from "./settings.ts"

const DAY_MS = 24 * 60 * 60 * 1000

/** Checks the certificate of a server that listens on TCP, and says how long it is valid. */
export function checkCertificate(listen: Listen, renewal: string): Check[] {
  if (listen.kind === "unix") return []
  const name = "certificate"
  try {
    const { certificateFile: certificate, keyFile: key, caFile: ca } = listen
    const files = readTlsFiles({ certificate, key, ca }, fs)
    const nowMs = Date.now()
    const fault = tlsFaultOf(files, nowMs)
    if (fault !== undefined) return [{ name, state: "FAULT", sentence: `${fault.sentence} (${renewal})` }]
    const { expiresAtMs } = certificateOf(files)
    const days = Math.floor((expiresAtMs - nowMs) / DAY_MS)
    const terms = `${counted(days, "day")} left, until ${new Date(expiresAtMs).toISOString()}; to renew it: ${renewal}`
    return [ok(name, `${terms}; ${revocationsIn(files)}`)]
  } catch (error) {
    const { code, message, path = "a file" } = error as NodeJS.ErrnoException
    const advice = code === "EACCES" ? "; the process's user must own it" : ""
    return [{ name, state: "FAULT", sentence: `${path} cannot be read (${code ?? message})${advice}` }]
  }
}
