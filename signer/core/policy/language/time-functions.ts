import { expressionFault, type Span } from "./fault.ts"
import { type Checked, checkedNode } from "./checked.ts"
import { readCronSpan } from "./cron.ts"
import type { Syntax } from "./syntax.ts"
import { bool, timestamp } from "./types.ts"

// The functions Timestamp and CronSpan. Their arguments are literals, so that they are read once.

type Call = Extract<Syntax, { kind: "call" }>

export function timestampOf(node: Call): Checked {
  requireParameters(node, 1)
  const [argument] = node.parameters.map(requireText)
  const instant = readTimestamp(argument?.text ?? "")
  if (instant !== undefined) return checkedNode(node, timestamp, { kind: "literal", value: instant })
  throw expressionFault("type", argument ?? node, "not an instant of RFC 3339 with offset zero", {
    expected: "an instant such as '2026-01-01T00:00:00Z'",
  })
}

export function cronSpanOf(node: Call, clock: string): Checked {
  requireParameters(node, 3)
  const texts = node.parameters.map(requireText)
  const [cron = "", duration = "", zone = ""] = texts.map(({ text }) => text)
  const span = readCronSpan(cron, duration, zone)
  if (!("wrong" in span)) return checkedNode(node, bool, { kind: "cron", cron: span, clock })
  const { sentence, expected } = CRON_FAULTS[span.wrong]
  throw expressionFault("type", texts[span.wrong] ?? node, sentence, { expected })
}

const CRON_FAULTS = [
  {
    sentence: "not a schedule",
    expected: "minute, hour, day of month, month and day of week (0 to 6), as in '0 9 * * 1-5'",
  },
  { sentence: "not a duration", expected: "days, hours, minutes up to 7d, as in '1d12h'" },
  { sentence: "not a time zone", expected: "a name of the IANA database, as in 'America/New_York'" },
] as const

export function requireParameters({ name, parameters, ...span }: Call, count: number): void {
  if (parameters.length === count) return
  const wanted = count === 1 ? "one argument" : `${count} arguments`
  throw expressionFault("type", span, `${name.name} takes ${wanted}`, {
    expected: String(count),
    found: String(parameters.length),
  })
}

function requireText(node: Syntax): Span & { readonly text: string } {
  if (node.kind === "literal" && typeof node.value === "string")
    return { text: node.value, offset: node.offset, length: node.length }
  throw expressionFault("type", node, "the argument must be a literal", {
    expected: "a string in single quotes",
  })
}

const INSTANT = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d{1,3}))?(?:[Zz]|[+-]00:00)$/

/**
 * Reads an instant of RFC 3339 as milliseconds since the Unix epoch: offset zero, at most milliseconds, 1970 or later, no
 * leap second. Undefined for any other text.
 */
export function readTimestamp(text: string): bigint | undefined {
  const match = INSTANT.exec(text)
  if (match === null) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number)
  const fraction = Number((match[7] ?? "").padEnd(3, "0"))
  if (year < 1970 || hour > 23 || minute > 59 || second > 59) return undefined
  const midnight = Date.UTC(year, month - 1, day)
  // Date turns a day that its month does not have into one of the next month.
  const date = new Date(midnight)
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined
  return BigInt(midnight + ((hour * 60 + minute) * 60 + second) * 1000 + fraction)
}
