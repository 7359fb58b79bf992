import { readFileSync } from "node:fs"
import { type Check, ok } from "../core/checks.ts"
import { certificateOf, tlsFaultOf } from "../core/crypto/certificate.ts"
import type { Listen } from "./settings.ts"

const DAY_MS = 24 * 60 * 60 * 1000

/** Checks the certificate of a server that listens on TCP, and says how long it is valid. */
export function checkCertificate(listen: Listen, renewal: string): Check[] {
  if (listen.kind === "unix") return []
  const name = "certificate"
  try {
    const [certificate, key, ca] = [listen.certificateFile, listen.keyFile, listen.caFile].map((file) =>
      readFileSync(file),
    ) as [Buffer, Buffer, Buffer]
    const nowMs = Date.now()
    const fault = tlsFaultOf({ certificate, key, ca }, nowMs)
    if (fault !== undefined) return [{ name, state: "FAULT", sentence: `${fault.sentence} (${renewal})` }]
    const { expiresAtMs } = certificateOf({ certificate })
    const days = Math.floor((expiresAtMs - nowMs) / DAY_MS)
    return [
      ok(name, `${days} days left, until ${new Date(expiresAtMs).toISOString()}; to renew it: ${renewal}`),
    ]
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return [{ name, state: "FAULT", sentence: `a file cannot be read (${code ?? message})` }]
  }
}
