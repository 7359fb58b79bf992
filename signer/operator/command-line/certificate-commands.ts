import { UsageFault } from "../../core/command-line.ts"
import type { CertificateCommand, RevokeCommand } from "../certify.ts"
import type { ExportCommand } from "../ceremony/export-authority.ts"
import type { Values } from "./options.ts"

type CertificateCommands =
  | ({ name: "certificate"; json: boolean } & CertificateCommand)
  | ({ name: "revoke"; json: boolean } & RevokeCommand)

/** A command of the certificate authority. @throws {UsageFault} */
export function readCertificateCommand(
  name: "certificate" | "revoke",
  rest: readonly string[],
  values: Values,
): CertificateCommands {
  const { json = false } = values
  return name === "certificate"
    ? { name, json, ...certificateOf(rest, values) }
    : { name, json, ...revocationOf(rest, values) }
}

function certificateOf(
  [address]: readonly string[],
  { renew: isRenewal = false }: Values,
): CertificateCommand {
  if (address !== undefined) return { address, isRenewal }
  throw new UsageFault("certificate needs HOST:PORT, the signer's address: signer.internal:7443")
}

/** `revoke NAME` */
function revocationOf([process]: readonly string[], { serial }: Values): RevokeCommand {
  if (process === undefined) throw new UsageFault("revoke needs the name of a process: revoke api")
  if (serial !== undefined && !/^[0-9a-f]{2,40}$/i.test(serial))
    throw new UsageFault("--serial: write the serial number in hexadecimal, as pair printed it")
  return { process, serial }
}

/** `export-authority FILE` */
export function exportOf([file]: readonly string[], { approvals = [] }: Values): ExportCommand {
  if (file === undefined)
    throw new UsageFault("export-authority needs the file to make, which will have the key in clear")
  return { file, approvals }
}
