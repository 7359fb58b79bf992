import type { IncomingHttpHeaders } from "node:http"
import { isPublishedClient } from "./published-client.ts"
import type { MessageInitShape } from "@bufbuild/protobuf"
import type { TimestampSchema } from "../../../proto/gen/countersign/api/v1/resources_pb.ts"

export const activityTimeSettings = ["auto", "string", "object"] as const
/** Setting: the form of an activity's createdAt and updatedAt. */
export type ActivityTimes = (typeof activityTimeSettings)[number]
/** The form in one reply: RFC 3339 text, or `{seconds, nanos}`. */
export type TimeForm = "string" | "object"

/** The interface document has strings; published clients parse objects and refuse strings (docs/choices C-51). */
export function timeForm(headers: IncomingHttpHeaders, setting: ActivityTimes): TimeForm {
  switch (setting) {
    case "string":
    case "object":
      return setting
    case "auto":
      return isPublishedClient(headers) ? "object" : "string"
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
