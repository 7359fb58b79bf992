// Messages as the fetcher would send them, in this browser.
import type { MailTemplate } from "../../../../signer/core/messages/otp-message.ts"
import type { MessageTerms } from "../../../../signer/core/messages/terms.ts"
import { Notice } from "../../ui/basics.tsx"
import { type Preview, previewOf, requireTemplate, type CodeSample } from "../../words/message-preview.ts"

function render(
  terms: MessageTerms,
  template: MailTemplate | undefined,
  sample: CodeSample,
): Preview | string {
  try {
    return previewOf(terms, template, sample)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** A mail and a text message with a sample code; or why no message could be made. */
export function MessagePreview(part: {
  terms: MessageTerms
  template: MailTemplate | undefined
  sample: CodeSample
  only?: "mail" | "sms"
}) {
  const { terms, only } = part
  const rendered = render(terms, part.template, part.sample)
  if (typeof rendered === "string") return <Refused sentence={rendered} />
  const { mail, sms } = rendered
  const sender = terms.senderAddress
    ? `${terms.senderName ?? ""} <${terms.senderAddress}>`.trim()
    : "the fetcher’s own sender"
  return (
    <div class="stack" role="group" aria-label="Preview">
      {only !== "sms" && (
        <div class="message">
          <div class="message-head">
            <span class="quiet small">From {sender}</span>
            <b>{mail.subject}</b>
          </div>
          <Frame html={mail.html} />
          <details>
            <summary>As plain text</summary>
            <pre tabIndex={0} aria-label="Plain text">
              {mail.text}
            </pre>
          </details>
        </div>
      )}
      {only !== "mail" && (
        <div class="message">
          <span class="quiet small">Text message</span>
          <p class="sms">{sms}</p>
        </div>
      )}
    </div>
  )
}

/** Why a template would be refused, in the words of the API; undefined: it would be accepted. */
export function faultOfTemplate(template: MailTemplate): string | undefined {
  try {
    requireTemplate(template)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

export function Refused({ sentence }: { sentence: string }) {
  return (
    <Notice tone="warn">
      <p class="strong">No message can be made of this.</p>
      <p>{sentence}</p>
    </Notice>
  )
}

/** A preview must not load anything from another host: the request would disclose that somebody views the mail. */
const NO_PICTURES = `<meta http-equiv="content-security-policy" content="img-src 'none'">`

function Frame({ html }: { html: string }) {
  const quiet = html.replace(/<head>/i, (head) => head + NO_PICTURES)
  return (
    <>
      <iframe class="preview" title="Mail" sandbox="" srcdoc={quiet === html ? NO_PICTURES + html : quiet} />
      {/<img/i.test(html) && <span class="quiet small">Pictures are not loaded here.</span>}
    </>
  )
}
