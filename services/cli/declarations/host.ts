import { existsSync } from "node:fs"
import { localUrl } from "../../common/settings.ts"
import { clientOf, findStampingKey } from "../api-options.ts"
import type { InboxOptions } from "../../dev/inbox.ts"
import { completionScript, SHELLS } from "../completion/scripts.ts"
import type { DevOptions } from "../../dev/start-dev-system.ts"
import { usage } from "../../terminal-client/exit.ts"
import { type CommandCall, command, type Declaration } from "./command.ts"

/** `dev`, `dev inbox` and `dev link`. */
export const development: readonly Declaration[] = [
  command<DevOptions>({
    words: "dev",
    about: "run a development system: all processes, the database and the dashboard",
    options: [
      ["--reset", "delete all data first"],
      ["--no-seed", "do not create organization Dev"],
      ["--https", "serve API, auth proxy and dashboard over HTTPS, by an authority in the data directory"],
    ],
    examples: ["dev", "dev --reset", "dev --https"],
    run: async (call) => (await import("../../dev/dev.ts")).dev(call),
  }),
  command<InboxOptions>({
    words: "dev inbox",
    about: "print the e-mails and text messages of the development system, newest first",
    options: [
      ["--watch", "keep printing new messages"],
      ["--json", "print each message on one line"],
    ],
    examples: ["dev inbox --watch"],
    run: async ({ options, settings, terminal }) => {
      const { devInbox } = await import("../../dev/inbox.ts")
      const { layout } = await import("../../dev/layout.ts")
      await devInbox(layout(settings().dataDirectory).outbox, options, terminal)
    },
  }),
  command({
    words: "dev link",
    about: "print a new link that logs in once to the dashboard of the running development system",
    shared: "stamp",
    examples: ["dev link", "dev link --as alice"],
    run: async ({ settings, terminal, stamping }) => {
      const { devLink } = await import("../../dev/link.ts")
      const { layout } = await import("../../dev/layout.ts")
      const { dashboardListen, dashboardUrl = localUrl(dashboardListen), dataDirectory } = settings()
      const { mark } = layout(dataDirectory)
      await devLink({ ...(await stamping()), dashboardUrl, mark }, terminal)
    },
  }),
]

/** `collection`. */
export const collection: Declaration = command({
  words: "collection",
  about: "print the API's operations as a collection of requests for Postman and Bruno",
  shared: "call",
  examples: ["collection > collection.json"],
  run: async ({ options, settings, terminal }) => {
    const { collectionText } = await import("../commands/collection.ts")
    terminal.print(collectionText(clientOf(options, settings()).url))
  },
})

/** `dashboard`: the same pages as those of a host, served from the administrator's own machine. */
export const dashboard: Declaration = command<{ link: boolean }>({
  words: "dashboard",
  about: "serve the dashboard from this machine, and print a link that logs in once",
  options: [["--no-link", "print no link: the page asks for a credential"]],
  shared: "stamp",
  examples: ["dashboard --profile acme"],
  run: serve,
})

async function serve({ environment, options, settings, stamping, terminal }: CommandCall<{ link: boolean }>) {
  const { pinsFile, dashboardListen, authProxyListen } = settings()
  const { client, organizationId } = await stamping()
  const [
    { freeAddress },
    { onStopRequest },
    { buildApart },
    { dashboardPages, serveDashboard },
    { oneUseLink },
    pins,
  ] = await Promise.all([
    import("../../dev/port.ts"),
    import("../../dev/stop-request.ts"),
    import("../../dev/build-apart.ts"),
    import("../../common/serve-dashboard.ts"),
    import("../../terminal-client/one-use-link.ts"),
    import("../../terminal-client/pins.ts"),
  ])
  const listen = await freeAddress("COUNTERSIGN_DASHBOARD_LISTEN", dashboardListen)
  const trusted = existsSync(pinsFile) ? pins.membersOf(await pins.readTrustedPins(pinsFile)) : undefined
  const url = localUrl(listen)
  const shown = options.link ? await oneUseLink(client, organizationId, url) : url
  const pages = await dashboardPages(await buildApart(terminal.log), {
    apiUrl: client.url,
    authProxyUrl: localUrl(authProxyListen),
    ...(trusted !== undefined && { pins: trusted }),
  })
  const served = await serveDashboard(listen, pages)
  terminal.print(`Dashboard  ${shown}${options.link ? "    one use, 30 min" : ""}`)
  if (trusted === undefined)
    terminal.log(`${pinsFile} does not exist: the page checks no proofs until pins are compared in it`)
  const stop = onStopRequest({ environment, log: terminal.log, onSecond: () => process.exit(1) })
  await stop.requested
  stop.dispose()
  await served.close()
}

/** `doctor`. */
export const doctor: Declaration = command({
  words: "doctor",
  about:
    "check what commands rely on: the API, the clock, the pins, the key and its user, the API's certificates, and a dashboard that is configured",
  shared: "stamp",
  examples: ["doctor", "doctor --profile acme --json"],
  run: async ({ options, settings, terminal }) => {
    const present = settings()
    const { doctor: examine } = await import("../commands/doctor.ts")
    const findKey = async () => ({
      ...(await findStampingKey(options, present)),
      keysFolder: options.keysFolder ?? present.keysFolder,
    })
    await examine({ url: clientOf(options, present).url, settings: present, findKey }, options, terminal)
  },
})

/** `completion`. */
export const completion: Declaration = command<object, [shell: string]>({
  words: "completion <shell>",
  about: `print a script that completes commands in ${SHELLS.join(", ")}`,
  examples: ["completion bash > ~/.local/share/bash-completion/completions/countersign"],
  run: async ({ whole, terminal }, name) => {
    const shell = SHELLS.find((one) => one === name)
    if (shell === undefined) throw usage(`${name}: use ${SHELLS.join(", ")}`)
    for (const line of completionScript(shell, await whole()).split("\n")) terminal.print(line)
  },
})
