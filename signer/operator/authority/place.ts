import { existsSync } from "node:fs"
import { join } from "node:path"
import { JoinFault } from "../../core/join/fault.ts"

/** Folders of the signer's host. `authorityDirectory`: of the settings. */
export type AuthorityPlaces = { dataDirectory: string; authorityDirectory: string }

/** The folder where the certificate authority is, and a remark for the operator. */
export type AuthorityPlace = { directory: string; remark?: string }

/** The authority's key in its folder: in PEM, or sealed. */
export const AUTHORITY_KEY = "ca.key"

/** Where an authority lies to which no setting gave a place, and where it lay in earlier releases. */
export const usualPlace = (dataDirectory: string) => join(dataDirectory, "authority")

/** The folder that has the authority at present. A medium that is taken away is in no backup. */
export function presentPlaceOf({ dataDirectory, authorityDirectory }: AuthorityPlaces): string {
  return existsSync(join(authorityDirectory, AUTHORITY_KEY)) ? authorityDirectory : usualPlace(dataDirectory)
}

/**
 * Finds the authority: in the folder of the settings, or still in the data directory.
 *
 * @throws {JoinFault} where the signer has a certificate of an authority that is not there, for example while its medium is taken away
 */
export function placeOfAuthority({ dataDirectory, authorityDirectory }: AuthorityPlaces): AuthorityPlace {
  const former = usualPlace(dataDirectory)
  const hasFormer = existsSync(join(former, AUTHORITY_KEY))
  if (authorityDirectory === former) return { directory: former }
  if (existsSync(join(authorityDirectory, AUTHORITY_KEY)))
    return hasFormer
      ? {
          directory: authorityDirectory,
          remark: `${former} has an authority that is not used: destroy its key`,
        }
      : { directory: authorityDirectory }
  if (hasFormer) return { directory: former, remark: stillThere(former, authorityDirectory) }
  const known = join(dataDirectory, "signer", "tls", "ca.crt")
  if (!existsSync(known)) return { directory: authorityDirectory }
  throw new JoinFault(
    "refused",
    `${authorityDirectory} holds no authority, and the signer has a certificate of one: put its medium there, or restore it. ` +
      `To begin with a new authority, move ${known} away; each process then has to join again`,
  )
}

function stillThere(former: string, to: string): string {
  return `the authority still lies in ${former}, beside the root seed, and is used there. To move it: cp -a ${former}/. ${to}/ && rm -r ${former}`
}
