// Checks live replies against the hand-made tables. Every documented member must be there with its type, every enum value from
// its list, and no member that the tables do not know.
import { isDeepStrictEqual } from "node:util"
import { ACTIVITY_STATUS, ACTIVITY_STATUS_BEYOND } from "./tables/enums.ts"
import { type Fields, type FieldType, isRequired, timestamp } from "./tables/field.ts"
import { authProxyQueries, authProxyReplies } from "./tables/auth-proxy-operations.ts"
import { keyQueries, keyReplies } from "./tables/key-operations.ts"
import { oauthQueries, oauthReplies } from "./tables/oauth-operations.ts"
import { onRampQueries, onRampReplies } from "./tables/on-ramp-operations.ts"
import { otpReplies } from "./tables/otp-operations.ts"
import { neighbourQueries, neighbourReplies } from "./tables/neighbours.ts"
import { policyQueries, policyReplies } from "./tables/policy-operations.ts"
import type { Reply } from "./tables/reply.ts"
import { secretQueries, secretReplies } from "./tables/secret-operations.ts"
import { queryOperations } from "./tables/query.ts"
import { activity, errorBody } from "./tables/resources.ts"
import { submitOperations } from "./tables/submit.ts"
import { userQueries, userReplies } from "./tables/user-operations.ts"
import { webhookQueries, webhookReplies } from "./tables/webhook-operations.ts"

export type Json = { readonly [name: string]: unknown }

export type ActivityExpectation = {
  /** The type that was submitted. */
  type: string
  status?: (typeof ACTIVITY_STATUS)[number] | (typeof ACTIVITY_STATUS_BEYOND)[number]
  /** The parameters that were submitted; the intent must echo them. */
  parameters?: Json
  /** The form in which this caller gets createdAt and updatedAt. */
  times?: "string" | "object"
}

/** Throws with all faults of a reply, unless it has exactly the shape of the table. */
export function requireShape(reply: unknown, table: Fields): Json {
  throwAll(faultsOf(reply, table))
  return reply as Json
}

/** Checks `{activity}` as a submit operation or get_activity answers it, and hands out the activity. */
export function requireActivity(reply: unknown, expected: ActivityExpectation): Json {
  throwAll(faultsOfActivity(reply, expected))
  return (reply as { activity: Json }).activity
}

/** Checks the activity of a completed request and hands out the member of its result. */
export function requireResult(reply: unknown, expected: ActivityExpectation): Json {
  const { result } = requireActivity(reply, { status: "ACTIVITY_STATUS_COMPLETED", ...expected })
  return Object.values(result as Json)[0] as Json
}

/** Checks the reply of a query of the document, or of one that published clients need beside it. */
export function requireQueryReply(path: string, reply: unknown): Json {
  const operation = [
    ...queryOperations,
    ...neighbourQueries,
    ...keyQueries,
    ...userQueries,
    ...oauthQueries,
    ...onRampQueries,
    ...policyQueries,
    ...secretQueries,
    ...authProxyQueries,
    ...webhookQueries,
  ].find((operation) => operation.path === path)
  if (operation === undefined) throw new Error(`no table describes the query ${path}`)
  return requireShape(reply, operation.reply)
}

/** Checks the body of a reply that is not 200 and, where given, its gRPC code. */
export function requireError(reply: unknown, code?: number): Json {
  const error = requireShape(reply, errorBody)
  if (code !== undefined && error["code"] !== code)
    throwAll([`code: ${String(error["code"])} instead of ${code}`])
  return error
}

export function faultsOfActivity(reply: unknown, expected: ActivityExpectation): string[] {
  const { type, status, parameters, times = "string" } = expected
  const fields: Fields =
    times === "string"
      ? activity
      : {
          ...activity,
          createdAt: { type: timestamp, presence: "required" },
          updatedAt: { type: timestamp, presence: "required" },
        }
  const faults = faultsOf(reply, { activity: { type: { kind: "record", fields }, presence: "required" } })
  if (faults.length > 0) return faults

  const told = (reply as { activity: Json }).activity
  if (told["type"] !== type) faults.push(`activity.type: ${String(told["type"])} instead of ${type}`)
  if (status !== undefined && told["status"] !== status)
    faults.push(`activity.status: ${String(told["status"])} instead of ${status}`)
  if (times === "string") {
    for (const name of ["createdAt", "updatedAt"]) {
      if (!isRfc3339(told[name] as string)) faults.push(`activity.${name}: no RFC 3339 time`)
    }
  }
  const { intent, result } = told as { intent: Json; result: Json }
  const table = replyTable(type)
  if (table === undefined) return [...faults, `no table describes ${type}`]
  faults.push(...faultsOfIntent(intent, table, parameters))
  faults.push(...faultsOfResult(result, table, told["status"] as string))
  return faults
}

export function faultsOf(value: unknown, fields: Fields, at = ""): string[] {
  if (!isObject(value)) return [`${at || "reply"}: ${nameOf(value)} instead of an object`]
  const path = (name: string) => (at ? `${at}.${name}` : name)
  const faults: string[] = []
  for (const [name, field] of Object.entries(fields)) {
    if (name in value) faults.push(...faultsOfType(value[name], field.type, path(name)))
    else if (isRequired(field)) faults.push(`${path(name)}: missing`)
  }
  for (const name of Object.keys(value)) if (!(name in fields)) faults.push(`${path(name)}: in no table`)
  return faults
}

function faultsOfType(value: unknown, type: FieldType, at: string): string[] {
  switch (type.kind) {
    case "string":
    case "boolean":
    case "number":
      return nameOf(value) === type.kind ? [] : [`${at}: ${nameOf(value)} instead of ${type.kind}`]
    case "openEnum":
      return nameOf(value) === "string" ? [] : [`${at}: ${nameOf(value)} instead of a string`]
    case "object":
      return isObject(value) ? [] : [`${at}: ${nameOf(value)} instead of an object`]
    case "enum":
      return faultsOfEnum(value, [...type.values, ...type.beyond], at)
    case "enumByPrefix":
      return faultsOfEnum(value, type.values, at)
    case "timestamp":
      return faultsOfTimestamp(value, at)
    case "list":
      if (!Array.isArray(value)) return [`${at}: ${nameOf(value)} instead of a list`]
      return value.flatMap((item, index) => faultsOfType(item, type.of, `${at}[${index}]`))
    case "record":
      return faultsOf(value, type.fields, at)
    default:
      return type satisfies never
  }
}

function faultsOfEnum(value: unknown, values: readonly string[], at: string): string[] {
  if (typeof value !== "string") return [`${at}: ${nameOf(value)} instead of an enum value`]
  return values.includes(value) ? [] : [`${at}: ${value} is no value of its enumeration`]
}

function faultsOfTimestamp(value: unknown, at: string): string[] {
  const decimal = { type: { kind: "string" }, presence: "required" } as const
  const faults = faultsOf(value, { seconds: decimal, nanos: decimal }, at)
  if (faults.length > 0) return faults
  return Object.entries(value as Json)
    .filter(([, digits]) => !/^\d+$/.test(digits as string))
    .map(([name]) => `${at}.${name}: no decimal number`)
}

function faultsOfIntent(intent: Json, table: Reply, parameters: Json | undefined): string[] {
  const names = Object.keys(intent)
  if (names.length !== 1 || names[0] !== table.intent)
    return [`activity.intent: [${names.join(", ")}] instead of ${table.intent}`]
  if (parameters === undefined) return []
  return faultsOfEcho(intent[table.intent], parameters, `activity.intent.${table.intent}`)
}

// Submitted members come back unchanged; null members may be absent, absent lists may come back empty.
function faultsOfEcho(echo: unknown, sent: unknown, at: string): string[] {
  if (Array.isArray(sent) && Array.isArray(echo) && sent.length === echo.length)
    return sent.flatMap((item, index) => faultsOfEcho(echo[index], item, `${at}[${index}]`))
  if (!isObject(sent) || !isObject(echo))
    return isDeepStrictEqual(echo, sent) ? [] : [`${at}: not as submitted`]
  const faults: string[] = []
  for (const [name, value] of Object.entries(sent)) {
    if (value === null) {
      if (name in echo) faults.push(`${at}.${name}: sent as null, yet echoed`)
    } else if (!(name in echo)) faults.push(`${at}.${name}: not echoed`)
    else faults.push(...faultsOfEcho(echo[name], value, `${at}.${name}`))
  }
  for (const [name, value] of Object.entries(echo)) {
    if (!(name in sent) && !(Array.isArray(value) && value.length === 0))
      faults.push(`${at}.${name}: never submitted`)
  }
  return faults
}

function faultsOfResult(result: Json, table: Reply, status: string): string[] {
  const names = Object.keys(result)
  if (status !== "ACTIVITY_STATUS_COMPLETED")
    return names.length === 0 ? [] : [`activity.result: [${names.join(", ")}] before completion`]
  if (names.length !== 1 || names[0] !== table.result)
    return [`activity.result: [${names.join(", ")}] instead of ${table.result}`]
  return faultsOf(result[table.result], table.resultFields, `activity.result.${table.result}`)
}

function replyTable(type: string): Reply | undefined {
  return [
    ...submitOperations,
    ...neighbourReplies,
    ...keyReplies,
    ...userReplies,
    ...oauthReplies,
    ...otpReplies,
    ...onRampReplies,
    ...policyReplies,
    ...secretReplies,
    ...authProxyReplies,
    ...webhookReplies,
  ].find((reply) => reply.type === type)
}

function isRfc3339(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text) && !Number.isNaN(Date.parse(text))
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function nameOf(value: unknown): string {
  if (value === null) return "null"
  return Array.isArray(value) ? "list" : typeof value
}

function throwAll(faults: readonly string[]): void {
  if (faults.length > 0)
    throw new Error(`the reply departs from the interface document:\n  ${faults.join("\n  ")}`)
}
