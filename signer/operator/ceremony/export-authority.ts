import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { UsageFault } from "../../core/command-line.ts"
import type { HolderAct } from "../../core/holder-acts/acts.ts"
import { fileAct } from "../../core/holder-acts/file-act.ts"
import { JoinFault } from "../../core/join/fault.ts"
import type { SealedFile } from "../../core/sealed-seed/format.ts"
import type { SignerConfig } from "../../enclave/config.ts"
import type { HolderTerminal } from "../../core/seal-commands/holder-terminal.ts"
import { readSealed } from "./change-file.ts"
import type { CommandResult } from "../command-result.ts"
import { requireApprovedFileAct } from "../holders/file-approvals.ts"
import { type AuthorityPlaces, AUTHORITY_KEY, placeOfAuthority } from "../authority/place.ts"
import { openAuthorityKey, sealedAuthorityIn } from "./authority-key.ts"

/** `file`: where the key goes in PEM. */
export type ExportCommand = { file: string; approvals: readonly string[] }

/**
 * Takes the authority's key out of its sealed file. The holders of the root seed approve it, where there are any, and a threshold of the
 * authority's shares opens the file.
 */
export async function exportAuthority(
  { file, approvals }: ExportCommand,
  config: SignerConfig,
  holder: HolderTerminal,
): Promise<CommandResult> {
  const sealed = requireSealedAuthority(config)
  requireApprovedFileAct(exportAct(sealed), approvals, readSealed(config))
  const key = await openAuthorityKey(sealed, holder)
  writeKey(file, key.export({ format: "pem", type: "pkcs8" }) as string)
  const lines = [
    `${file} has the key of the certificate authority, in clear. The sealed one stays where it was.`,
    "Whoever has this key can pose as every process of the deployment: keep it on a medium of its own, or destroy it after its use.",
  ]
  return { lines, json: { file } }
}

/** The act names the sealed file: its text is worth nothing for another authority, or after a change of shares. */
export const exportAct = (sealed: SealedFile): HolderAct => fileAct("export-authority", [], sealed)

/** @throws {JoinFault} when the key is not sealed */
export function requireSealedAuthority(places: AuthorityPlaces): SealedFile {
  const { directory } = placeOfAuthority(places)
  const sealed = sealedAuthorityIn(directory)
  if (sealed !== undefined) return sealed
  throw new JoinFault(
    "refused",
    `${join(directory, AUTHORITY_KEY)} is not sealed, or not there: nothing was exported. countersign-signer change-shares --authority seals it`,
  )
}

/** @throws {UsageFault} when there is such a file */
function writeKey(file: string, pem: string): void {
  try {
    writeFileSync(file, pem, { mode: 0o600, flag: "wx" })
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause
    throw new UsageFault(`${file} is there already, and was not changed: name another file`)
  }
}
