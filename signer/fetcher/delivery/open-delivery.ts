import { log } from "../../process/log.ts"
import type { Network } from "../network.ts"
import { type MessageDelivery, deliveryOf } from "./delivery.ts"
import { outbox } from "./outbox.ts"
import type { DeliverySettings } from "./settings.ts"
import { smsChannel } from "./sms.ts"

/** The ways out for messages, as the operator set them. A fetcher that sends no mail does not load the package for it. */
export async function openDelivery(
  settings: DeliverySettings,
  network: Network,
  nowMs: () => number,
): Promise<MessageDelivery> {
  const { mail, sms, outboxFile } = settings
  if (outboxFile !== undefined) {
    log("warn", "messages are not sent: codes are written to a file, and its reader can log in as anybody", {
      outbox: outboxFile,
    })
    const channel = outbox(outboxFile, nowMs)
    return deliveryOf(channel, channel)
  }
  const smtp = mail && (await import("./smtp.ts")).smtpChannel(mail)
  return deliveryOf(smtp, sms && smsChannel(sms, network))
}
