import type { IncomingHttpHeaders } from "node:http"
import type { MessageInitShape } from "@bufbuild/protobuf"
import type { TimestampSchema } from "../../../proto/gen/countersign/api/v1/resources_pb.ts"

export const activityTimeSettings = ["auto", "string", "object"] as const
/** Setting: the form of an activity's createdAt and updatedAt. */
export type ActivityTimes = (typeof activityTimeSettings)[number]
/** The form in one reply: RFC 3339 text, or `{seconds, nanos}`. */
export type TimeForm = "string" | "object"

/**
 * User-Agents of published clients without X-Client-Version: Rust (`turnkey-rust-client/`) and old Go releases, which
 * send only the name of their HTTP library.
 */
const PUBLISHED_CLIENTS = /^(?:Go-http-client\/|turnkey-)/i

/**
 * The interface document has strings; published clients parse objects and refuse strings. They are recognized by
 * X-Client-Version (TypeScript, Python, Go) or by their User-Agent. `python-requests/` does not count: the published
 * Python client always sends X-Client-Version, and other scripts use the same library (docs/CHOICES.md C-51).
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

/** A stored time as a message: seconds and nanoseconds, decimal. */
export function timestamp(ms: bigint | number): MessageInitShape<typeof TimestampSchema> {
  const whole = Number(ms)
  return { seconds: String(Math.floor(whole / 1000)), nanos: String((whole % 1000) * 1_000_000) }
}

/** Members createdAt and updatedAt of a stored object. */
export function timestamps({ createdAtMs, updatedAtMs }: { createdAtMs: bigint; updatedAtMs: bigint }) {
  return { createdAt: timestamp(createdAtMs), updatedAt: timestamp(updatedAtMs) }
}
