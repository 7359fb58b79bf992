// Settings of traces: those of this software, and the variables that OpenTelemetry names (OpenTelemetry Specification,
// "Environment Variable Specification" and "OpenTelemetry Protocol Exporter").
import {
  type CrossCheck,
  invalid,
  optionalText,
  type Setting,
  type SettingValues,
  shownAsWritten,
  shownBy,
  wholeNumber,
} from "../../../signer/core/settings/settings.ts"
import { readableFile } from "../settings.ts"
import { readPairs } from "./pairs.ts"
import type { TracingSettings } from "./open-tracing.ts"

/** Percent of the requests that are recorded if no setting says another number. */
const DEFAULT_PERCENT = 10

export const traceSettings = {
  COUNTERSIGN_TRACES_URL: receiverUrl("http://localhost:4318/v1/traces"),
  COUNTERSIGN_TRACES_PERCENT: shownBy(
    (text) => (text === undefined ? undefined : wholeNumber(DEFAULT_PERCENT, 0, 100)(text)),
    (percent) => String(percent ?? DEFAULT_PERCENT),
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: receiverUrl("http://localhost:4318"),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: receiverUrl("http://localhost:4318/v1/traces"),
  OTEL_EXPORTER_OTLP_HEADERS: shownBy(optionalText, (text) => (text === undefined ? "" : "[hidden]")),
  OTEL_EXPORTER_OTLP_HEADERS_FILE: readableFile,
  OTEL_EXPORTER_OTLP_PROTOCOL: optionalText,
  OTEL_RESOURCE_ATTRIBUTES: shownAsWritten(attributes),
  OTEL_SDK_DISABLED: disabled,
  OTEL_SERVICE_NAME: optionalText,
  OTEL_TRACES_SAMPLER: optionalText,
  OTEL_TRACES_SAMPLER_ARG: probability,
}

/** The settings that OpenTelemetry names, and the file of headers, which is the form of a secret here. */
export const otelNames: readonly string[] = Object.keys(traceSettings).filter((name) =>
  name.startsWith("OTEL_"),
)

type TraceValues = SettingValues<typeof traceSettings>

/** The address of an OTLP/HTTP receiver. */
function receiverUrl(example: string): Setting<string | undefined> {
  return (text) => {
    if (text === undefined) return undefined
    const url = URL.parse(text)
    if (url !== null && /^https?:$/.test(url.protocol) && !hasCredentials(url) && url.hash === "")
      return url.href
    throw invalid(`must be the address of an OTLP/HTTP receiver, such as ${example}`)
  }
}

/** They would be printed with the settings, and no request can be sent to such an address. */
function hasCredentials({ username, password }: URL): boolean {
  return username !== "" || password !== ""
}

/** A Boolean of OpenTelemetry: `true` and `false` in any case. */
function disabled(text = "false"): boolean {
  const lower = text.toLowerCase()
  if (lower === "true" || lower === "false") return lower === "true"
  throw invalid("write true or false")
}

function attributes(text = ""): ReadonlyMap<string, string> {
  const pairs = readPairs(text)
  if (pairs !== undefined) return pairs
  throw invalid("write name=value, separated by commas; percent-encode commas in values")
}

const SAMPLERS = ["always_on", "always_off", "traceidratio"] as const
type Sampler = { rule: (typeof SAMPLERS)[number]; followsCaller: boolean }
const PARENT_BASED = "parentbased_"

/** Undefined: no sampler has this name. */
function samplerOf(text: string): Sampler | undefined {
  const followsCaller = text.startsWith(PARENT_BASED)
  const rule = SAMPLERS.find((one) => one === (followsCaller ? text.slice(PARENT_BASED.length) : text))
  return rule && { rule, followsCaller }
}

/** A probability from 0 to 1, the argument of a ratio. */
function probability(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const number = /^(?:\d+(?:\.\d*)?|\.\d+)$/.test(text) ? Number(text) : Number.NaN
  if (number <= 1) return number
  throw invalid("write a number from 0 to 1, such as 0.25")
}

/** Values that cannot be followed are faults where there is a receiver: platforms set these variables for all programs. */
export const faultsOfTraces: CrossCheck<typeof traceSettings> = (values) => {
  if (urlOf(values) === undefined) return []
  const { OTEL_EXPORTER_OTLP_PROTOCOL: protocol = SENT, OTEL_TRACES_SAMPLER: sampler } = values
  const isHeaders = values.OTEL_EXPORTER_OTLP_HEADERS !== undefined
  const isUnknown = sampler !== undefined && samplerOf(sampler) === undefined
  return [
    ...(isHeaders ? [`OTEL_EXPORTER_OTLP_HEADERS: ${SECRET_HEADERS}`] : []),
    ...(protocol === SENT ? [] : [`OTEL_EXPORTER_OTLP_PROTOCOL: ${OTHER_PROTOCOL}`]),
    ...(isUnknown ? [`OTEL_TRACES_SAMPLER: ${UNKNOWN_SAMPLER}`] : []),
  ]
}

const SECRET_HEADERS =
  "headers may be secret: write them into a file, and name it in OTEL_EXPORTER_OTLP_HEADERS_FILE"
/** The one encoding that is sent. A receiver of gRPC has another port, so another protocol is not ignored. */
const SENT = "http/json"
const OTHER_PROTOCOL = `traces are sent as ${SENT} alone: write that, with the address of an OTLP/HTTP receiver`
const UNKNOWN_SAMPLER = `write one of ${SAMPLERS.join(", ")}, or one of them behind ${PARENT_BASED}`

/** How a process records its requests. A setting of this software takes precedence over those of OpenTelemetry. */
export function readTracing(values: TraceValues): TracingSettings {
  return {
    url: urlOf(values),
    ...samplingOf(values),
    headersFile: values.OTEL_EXPORTER_OTLP_HEADERS_FILE,
    serviceName: values.OTEL_SERVICE_NAME,
    attributes: values.OTEL_RESOURCE_ATTRIBUTES,
  }
}

/** Undefined: traces are off. */
function urlOf(values: Partial<TraceValues>): string | undefined {
  if (values.OTEL_SDK_DISABLED === true) return undefined
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base } = values
  return (
    values.COUNTERSIGN_TRACES_URL ??
    values.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ??
    (base === undefined ? undefined : underTraces(base))
  )
}

/** The address of traces at a receiver of several signals, which has the path of each signal behind its own. */
function underTraces(base: string): string {
  const url = new URL(base)
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/v1/traces`
  return url.href
}

function samplingOf(values: TraceValues): Pick<TracingSettings, "share" | "followsCaller"> {
  const { COUNTERSIGN_TRACES_PERCENT: percent, OTEL_TRACES_SAMPLER: name } = values
  const sampling = name === undefined ? undefined : samplerOf(name)
  if (percent !== undefined || sampling === undefined)
    return { share: (percent ?? DEFAULT_PERCENT) / 100, followsCaller: true }
  return { share: shareOf(sampling, values.OTEL_TRACES_SAMPLER_ARG), followsCaller: sampling.followsCaller }
}

function shareOf({ rule }: Sampler, argument = 1): number {
  switch (rule) {
    case "always_on":
      return 1
    case "always_off":
      return 0
    case "traceidratio":
      return argument
    default:
      return rule satisfies never
  }
}
