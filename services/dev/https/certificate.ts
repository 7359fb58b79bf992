import { X509Certificate } from "node:crypto"
import { readFile, rm } from "node:fs/promises"
import { join } from "node:path"
import { type Layout, programs } from "../layout.ts"
import { environmentFor } from "../process-environment.ts"
import { outputOf } from "../run-program.ts"

/** A certificate for `localhost`, and the file of the authority that issued it, for programs that have to trust it. */
export type LocalCertificate = { certificate: string; key: string; authorityFile: string }

/** A certificate with less time left is replaced. */
const RENEWED_BEFORE_MS = 30 * 24 * 60 * 60 * 1000

/**
 * The certificate of the data directory. The operator's program makes it, with an authority whose key is destroyed at once: a browser
 * believes what it trusts about every site, and nobody can issue for another one any more. A renewal begins with a new authority.
 *
 * @throws {CliError} fault
 */
export async function localCertificate(
  { https, authority }: Layout,
  environment: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<LocalCertificate> {
  const at = (name: string) => join(https, "signer", "tls", name)
  const read = async () => ({
    certificate: await readFile(at("signer.crt"), "utf8"),
    key: await readFile(at("signer.key"), "utf8"),
    authorityFile: authority,
  })
  const present = await read().catch(() => undefined)
  const destroyKey = () => rm(join(https, "authority"), { recursive: true, force: true })
  if (present !== undefined && lasts(present.certificate)) {
    // An earlier start may have ended before.
    await destroyKey()
    return present
  }
  await rm(https, { recursive: true, force: true })
  const own = {
    ...environmentFor("signer", environment),
    COUNTERSIGN_DATA_DIR: https,
    COUNTERSIGN_SIGNER_AUTHORITY_DIRECTORY: "",
    COUNTERSIGN_SIGNER_AUDIT_DIRECTORY: "",
  }
  await outputOf([programs.operator, "certificate", "localhost:443"], own, signal)
  await destroyKey()
  return read()
}

function lasts(certificate: string): boolean {
  return Date.parse(new X509Certificate(certificate).validTo) > Date.now() + RENEWED_BEFORE_MS
}
