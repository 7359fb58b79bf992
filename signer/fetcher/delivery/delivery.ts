import { refuse } from "../../core/refusal.ts"

/** A message to one contact. It may hold a code: it is never logged. */
export type Message = MailMessage | SmsMessage
export type MailMessage = {
  channel: "mail"
  to: string
  subject: string
  text: string
  html: string
  /** "": the operator's address. */
  senderAddress: string
  /** Used with an address of its own alone, like `replyTo`. */
  senderName: string
  replyTo: string
}
export type SmsMessage = { channel: "sms"; to: string; text: string }

/** Sends one prepared message. @throws OTP_DELIVERY_FAILED */
export type SendMessage = () => Promise<void>

/** The ways out for messages, as the operator set them. */
export type MessageDelivery = {
  /** Checks a message before anything is stored. @throws OTP_DELIVERY_UNCONFIGURED, OTP_SENDER_NOT_ALLOWED */
  prepare(message: Message): SendMessage
}

/** Sends messages of one channel. `check` throws for a message that is not sent. */
export type Channel<M> = { check?(message: M): void; send(message: M): Promise<void> }

/** Time for one message, less than the API tier waits. */
export const DELIVERY_MS = 10_000

export function deliveryOf(
  mail: Channel<MailMessage> | undefined,
  sms: Channel<SmsMessage> | undefined,
): MessageDelivery {
  return {
    prepare(message) {
      return message.channel === "mail"
        ? prepared(mail, message, "e-mails", "SMTP_URL")
        : prepared(sms, message, "text messages", "SMS_PROVIDER")
    },
  }
}

function prepared<M extends Message>(
  channel: Channel<M> | undefined,
  message: M,
  kind: string,
  setting: string,
): SendMessage {
  if (channel === undefined) {
    const sentence = `this service cannot send ${kind}: its operator has not set COUNTERSIGN_FETCHER_${setting}`
    throw refuse("OTP_DELIVERY_UNCONFIGURED", sentence)
  }
  channel.check?.(message)
  return async () => {
    try {
      await channel.send(message)
    } catch {
      // Neither the reply of a server nor an error of its client is shown or kept: it may repeat the message.
      throw refuse(
        "OTP_DELIVERY_FAILED",
        `the message was not taken by the service that sends ${kind}; try again`,
      )
    }
  }
}
