import type { IncomingHttpHeaders } from "node:http"

export const activityTimeSettings = ["auto", "string", "object"] as const
/** Setting of how an activity's createdAt and updatedAt are written. */
export type ActivityTimes = (typeof activityTimeSettings)[number]
/** How they are written in one reply: RFC 3339 text, or `{seconds, nanos}`. */
export type TimeForm = "string" | "object"

/**
 * Published clients without X-Client-Version: Rust (`turnkey-rust-client/`), and Go before it had one, which nothing but
 * its HTTP library's name tells.
 */
const PUBLISHED_CLIENTS = /^(?:Go-http-client\/|turnkey-)/i

/**
 * The interface document has strings; published clients parse objects and refuse strings. They announce themselves by
 * X-Client-Version (TypeScript, Python, Go) or by their User-Agent. Python's `python-requests/` is no announcement: the
 * published client never comes without X-Client-Version, other scripts have the same library (docs/CHOICES.md C-51).
 */
export function timeForm(headers: IncomingHttpHeaders, setting: ActivityTimes): TimeForm {
  switch (setting) {
    case "string":
    case "object":
      return setting
    case "auto":
      return headers["x-client-version"] !== undefined || PUBLISHED_CLIENTS.test(headers["user-agent"] ?? "")
        ? "object"
        : "string"
    default:
      return setting satisfies never
  }
}

/** A stored time as JSON text. */
export function timeText(ms: number, form: TimeForm): string {
  if (form === "string") return `"${new Date(ms).toISOString()}"`
  return `{"seconds":"${Math.floor(ms / 1000)}","nanos":"${(ms % 1000) * 1_000_000}"}`
}
