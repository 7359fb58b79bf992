import { bindKey, findKey } from "../terminal-client/key-folder.ts"
import type { Terminal } from "../terminal-client/terminal.ts"

/**
 * Lets `--as` find the organization of a key of the folder, if it is one. A fault here is only logged, because the key is a
 * credential there already.
 */
export async function recordOrganization(
  publicKey: string,
  organizationId: string,
  keysFolder: string,
  { log }: Pick<Terminal, "log">,
): Promise<void> {
  try {
    const key = await findKey(keysFolder, publicKey)
    if (key) await bindKey(keysFolder, key.name, organizationId)
  } catch (error) {
    log(`${keysFolder} could not record the organization; use --organization. ${(error as Error).message}`)
  }
}

/** Records an organization only for keys that have none yet, so `--as` keeps its meaning for the others. */
export async function recordFirstOrganization(
  publicKeys: readonly string[],
  organizationId: string,
  keysFolder: string,
  terminal: Pick<Terminal, "log">,
): Promise<void> {
  for (const publicKey of publicKeys) {
    const key = await findKey(keysFolder, publicKey).catch(() => undefined)
    if (key !== undefined && key.organizationId === undefined)
      await recordOrganization(publicKey, organizationId, keysFolder, terminal)
  }
}
