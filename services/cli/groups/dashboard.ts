import { existsSync } from "node:fs"
import type { Command } from "commander"
import type { StampOptions } from "../api-options.ts"
import { localUrl } from "../../common/settings.ts"
import { as, type CommandContext, common, stampingClient } from "./options.ts"

type DashboardOptions = StampOptions & { link: boolean }

/** `dashboard`: the same pages as those of a host, served from the administrator's own machine. */
export function addDashboardCommand(
  program: Command,
  { environment, settings, terminal }: CommandContext,
): void {
  as(
    common(
      program
        .command("dashboard")
        .description("serve the dashboard from this machine, and print a link that logs in once"),
    ),
  )
    .option("--no-link", "print no link: the page asks for a credential")
    .action(async (options: DashboardOptions) => {
      const { pinsFile, dashboardListen, authProxyListen } = settings()
      const { client, organizationId } = await stampingClient(options, settings())
      const [
        { freeAddress },
        { onStopRequest },
        { buildDashboard },
        { serveDashboard },
        { oneUseLink },
        pins,
      ] = await Promise.all([
        import("../dev/port.ts"),
        import("../dev/stop-request.ts"),
        import("../dashboard/build.ts"),
        import("../../common/serve-dashboard.ts"),
        import("../dashboard/one-use-link.ts"),
        import("../pins.ts"),
      ])
      const listen = await freeAddress("COUNTERSIGN_DASHBOARD_LISTEN", dashboardListen)
      const trusted = existsSync(pinsFile) ? pins.membersOf(await pins.readTrustedPins(pinsFile)) : undefined
      const url = localUrl(listen)
      const shown = options.link ? await oneUseLink(client, organizationId, url) : url
      const served = await serveDashboard(listen, await buildDashboard(terminal.log), {
        apiUrl: client.url,
        authProxyUrl: localUrl(authProxyListen),
        ...(trusted !== undefined && { pins: trusted }),
      })
      terminal.print(`Dashboard  ${shown}${options.link ? "    one use, 30 min" : ""}`)
      if (trusted === undefined)
        terminal.log(`${pinsFile} does not exist: the page checks no proofs until pins are compared in it`)
      const stop = onStopRequest({ environment, log: terminal.log, onSecond: () => process.exit(1) })
      await stop.requested
      stop.dispose()
      await served.close()
    })
}
