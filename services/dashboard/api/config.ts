// Settings of the page. A static host serves them as the file config.json beside the build.

/** Public keys of a deployment, docs/formats/pins.md. */
export type PinsJson = { readonly [member: string]: string }

export type DashboardSettings = {
  /** Base URL of the API. */
  apiUrl: string
  /** Base URL of the auth proxy; absent: the host of the page knows none. */
  authProxyUrl?: string
  /** The deployment's pins, from the profile of the user who serves the page; absent: the page has no pins. */
  pins?: PinsJson
}

let loaded: Promise<DashboardSettings> | undefined

/** @throws {Error} if the page's host has no configuration */
export function loadConfig(): Promise<DashboardSettings> {
  loaded ??= fetch("/config.json").then(async (reply) => {
    if (!reply.ok) throw new Error(`the host of this page answered ${reply.status} for /config.json`)
    return (await reply.json()) as DashboardSettings
  })
  return loaded
}
