import type { IncomingHttpHeaders } from "node:http"

export const activityTimeSettings = ["auto", "string", "object"] as const
/** Setting of how an activity's createdAt and updatedAt are written. */
export type ActivityTimes = (typeof activityTimeSettings)[number]
/** How they are written in one reply: RFC 3339 text, or `{seconds, nanos}`. */
export type TimeForm = "string" | "object"

/** Published clients that send no X-Client-Version: Go (its HTTP library's name) and Rust. */
const PUBLISHED_CLIENTS = /^(?:Go-http-client\/|turnkey-)/i

/**
 * The interface document has strings; published clients parse objects. Those announce themselves, by
 * X-Client-Version (TypeScript, Python, Swift, Kotlin) or by their User-Agent.
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
