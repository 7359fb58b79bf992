import { setTimeout as pause } from "node:timers/promises"
import { commandText } from "../../../signer/core/command-text.ts"
import { counted } from "../../../signer/core/counted.ts"
import { query } from "../../terminal-client/api-client.ts"
import { type ChangeOptions, resultOf } from "../../terminal-client/changes/change.ts"
import type { Stamping } from "../../terminal-client/changes/stamping.ts"
import { CliError, ExitCode, usage } from "../../terminal-client/exit.ts"
import { printResult } from "../../terminal-client/terminal.ts"
import { findEndpoint, printChange, submitWebhookChange } from "./webhook-endpoints.ts"

export type DeliveryOptions = { status?: string[]; event?: string[]; limit: string }

type Output = { json?: boolean }

type Time = { seconds: string; nanos: string }

type Delivery = {
  deliveryId: string
  eventType: string
  status: string
  attemptCount: number
  httpStatus?: number
  error?: string
  createdAt: Time
}

type Attempt = Pick<Delivery, "httpStatus" | "error"> & { startedAt: Time; durationMilliseconds: number }

type Shown = { webhookDelivery: Delivery; body: string; attempts: Attempt[] }

const POLL_MS = 300
const LONGEST_WAIT_MS = 30_000

export async function listDeliveries(
  endpoint: string | undefined,
  options: DeliveryOptions & Output,
  context: Stamping,
): Promise<void> {
  const { status = [], event = [], limit } = options
  const reply = await query<{ webhookDeliveries: Delivery[] }>(context, "list_webhook_deliveries", {
    ...(endpoint !== undefined && { endpointId: (await findEndpoint(endpoint, context)).endpointId }),
    filterByStatus: status.map((word) => word.toUpperCase()),
    filterByEventType: event.map((word) => word.toUpperCase()),
    paginationOptions: { limit },
  })
  if (options.json) return printResult(context.terminal, reply, options)
  if (reply.webhookDeliveries.length === 0) context.terminal.log("no delivery")
  for (const delivery of reply.webhookDeliveries) context.terminal.print(lineOf(delivery))
}

export async function showDelivery(deliveryId: string, options: Output, context: Stamping) {
  const shown = await query<Shown>(context, "get_webhook_delivery", { deliveryId })
  if (options.json) return printResult(context.terminal, shown, options)
  printShown(shown, context)
}

/** @throws {CliError} usage: neither deliveries nor --all-dead, or both */
export async function redeliver(
  endpoint: string,
  deliveryIds: readonly string[],
  options: { allDead?: true } & ChangeOptions,
  context: Stamping,
): Promise<void> {
  if (deliveryIds.length > 0 === (options.allDead === true))
    throw usage("name the deliveries to send again, or use --all-dead")
  const { endpointId } = await findEndpoint(endpoint, context)
  const parameters = { endpointId, deliveryIds }
  const activity = await submitWebhookChange("redeliver_webhook_deliveries", parameters, options, context)
  if (activity === undefined) return
  const which =
    deliveryIds.length > 0 ? counted(deliveryIds.length, "delivery", "deliveries") : "the dead deliveries"
  const line = () =>
    `sending ${which} again; ${commandText`countersign webhook deliveries ${endpoint}`} shows them`
  printChange(activity, line, options, context)
}

/** Sends a test and waits until the first attempt has ended. @throws {CliError} fault: it was not delivered */
export async function testEndpoint(
  endpoint: string,
  options: ChangeOptions,
  context: Stamping,
): Promise<void> {
  const { endpointId } = await findEndpoint(endpoint, context)
  const activity = await submitWebhookChange("send_webhook_test_event", { endpointId }, options, context)
  if (activity === undefined) return
  const shown = await untilAttempted(String(resultOf(activity)["deliveryId"]), context)
  if (options.json) printResult(context.terminal, shown, options)
  else printShown(shown, context)
  const { status, httpStatus, error } = shown.webhookDelivery
  if (status === "DELIVERED") return
  const why =
    error ??
    (httpStatus === undefined ? "no attempt was made; is the worker running?" : `it answered ${httpStatus}`)
  throw new CliError(ExitCode.fault, `the test was not delivered: ${why}`)
}

async function untilAttempted(deliveryId: string, context: Stamping): Promise<Shown> {
  const giveUp = performance.now() + LONGEST_WAIT_MS
  for (;;) {
    const shown = await query<Shown>(context, "get_webhook_delivery", { deliveryId })
    // An attempt of the list can be newer than the delivery, which is read before it.
    const { attemptCount, status } = shown.webhookDelivery
    const isOver = attemptCount > 0 || status !== "PENDING"
    if (isOver || performance.now() > giveUp) return shown
    await pause(POLL_MS)
  }
}

function printShown({ webhookDelivery, body, attempts }: Shown, { terminal }: Stamping): void {
  terminal.print(lineOf(webhookDelivery))
  for (const { startedAt, durationMilliseconds, ...end } of attempts)
    terminal.print(`  ${timeOf(startedAt)}  ${durationMilliseconds} ms  ${endOf(end)}`)
  if (body !== "") terminal.print(body)
}

function lineOf({ deliveryId, eventType, status, createdAt, ...end }: Delivery): string {
  return [deliveryId, timeOf(createdAt), eventType, status, endOf(end)].join("  ")
}

function endOf({ httpStatus, error }: Pick<Delivery, "httpStatus" | "error">): string {
  return error ?? (httpStatus === undefined ? "no attempt yet" : `HTTP ${httpStatus}`)
}

function timeOf({ seconds }: Time): string {
  return new Date(Number(seconds) * 1000).toISOString().replace(".000", "")
}
