import { existsSync } from "node:fs"
import type { ApiClient } from "../terminal-client/api-client.ts"
import { oneUseLink } from "../terminal-client/one-use-link.ts"
import { CliError, ExitCode } from "../terminal-client/exit.ts"
import type { Terminal } from "../terminal-client/terminal.ts"

type DevLink = {
  client: ApiClient
  organizationId: string
  /** Base URL of the dashboard that the development system serves. */
  dashboardUrl: string
  /** File that marks the data directory of a development system. */
  mark: string
}

/**
 * Prints a new link to the dashboard of the running development system. Only there: elsewhere another program could listen at
 * the address, and the link would log it in.
 *
 * @throws {CliError} fault: no development system; unreachable: it does not run, or serves its dashboard elsewhere
 */
export async function devLink(
  { client, organizationId, dashboardUrl, mark }: DevLink,
  terminal: Terminal,
): Promise<void> {
  if (!existsSync(mark))
    throw new CliError(
      ExitCode.fault,
      `${mark} is missing: start a development system first, npx countersign dev`,
    )
  if ((await apiUrlOf(dashboardUrl)) !== client.url)
    throw new CliError(
      ExitCode.unreachable,
      `no dashboard of ${client.url} answers at ${dashboardUrl}: start the system with npx countersign dev, and set COUNTERSIGN_DASHBOARD_LISTEN here as there`,
    )
  terminal.print(`${await oneUseLink(client, organizationId, dashboardUrl)}    one use, 30 min`)
}

/** The API that a dashboard names to its pages; undefined: no dashboard answers. */
async function apiUrlOf(dashboardUrl: string): Promise<unknown> {
  try {
    const reply = await fetch(`${dashboardUrl}/config.json`, { signal: AbortSignal.timeout(5_000) })
    return ((await reply.json()) as { apiUrl?: unknown }).apiUrl
  } catch {
    return undefined
  }
}
