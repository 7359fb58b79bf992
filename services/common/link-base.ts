import type { Context } from "./context.ts"

const HOST = /^(?:[A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/

/**
 * Origin of links in replies: the configured one, else the one that the caller asked. Any caller can choose it for their
 * own reply, and no reply is stored. A Host header of another form than a name or an address gives none: links are paths.
 */
export function linkBaseOf({ req, state }: Pick<Context, "req" | "state">): string {
  if (state.publicUrl !== undefined) return state.publicUrl
  const { host = "", "x-forwarded-proto": scheme } = req.headers
  return HOST.test(host) ? `${scheme === "https" ? "https" : "http"}://${host}` : ""
}
