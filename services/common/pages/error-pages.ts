import type { Context, Handler } from "../context.ts"
import { reply } from "../context.ts"
import { type Mender, type ReasonEntry, reasons } from "../errors/reasons.ts"
import { html, type Html, prose } from "./html.ts"
import { type HtmlPage, sendPage } from "./page.ts"

/** Path of the list of reasons; the page of one is below it. */
export const ERRORS_PATH = "/docs/errors"

/** The list of all reasons. */
export function errorList(host: HtmlPage["host"]): Handler {
  return (context) => {
    if (wantsJson(context)) return reply(context, JSON.stringify([...reasons.values()].map(toJson)))
    return sendPage(context, { title: "Errors", host, body: listBody() })
  }
}

/** The page of one reason. An unknown one gets the list, with status 404. */
export function errorPage(host: HtmlPage["host"]): Handler {
  return (context) => {
    const name = context.path.slice(ERRORS_PATH.length + 1)
    const entry = reasons.get(name)
    if (entry !== undefined && wantsJson(context)) return reply(context, JSON.stringify(toJson(entry)))
    if (entry !== undefined) return sendPage(context, { title: name, host, body: entryBody(entry) })
    return sendPage(
      context,
      { title: "Unknown reason", host, body: listBody("There is no such reason. ") },
      404,
    )
  }
}

/** The page is the same for a browser, which accepts HTML, and for a program that accepts anything. */
function wantsJson(context: Context): boolean {
  context.vary("Accept")
  return context.accepts("html", "json") === "json"
}

function toJson({ reason, status, publicCode, meaning, remedy, mender, ...entry }: ReasonEntry) {
  const why = whyOf({ ...entry, reason, status, publicCode, meaning, remedy, mender })
  return {
    reason,
    status,
    turnkeyErrorCode: publicCode,
    whatHappened: meaning,
    why,
    whatToDo: remedy,
    mender,
  }
}

const MENDERS: { readonly [mender in Mender]: string } = {
  caller: "The author of the program that sent the request.",
  administrator:
    "An administrator of the organization, who may change its policies, features and settings; the caller alone cannot.",
  operator: "The operator of this deployment. Callers can tell them the request id.",
  time: "Usually nobody has to: the cause ends by itself. If it stays, the operator finds the request id in the log.",
}

/** Denials are stored as failed activities; every other refusal has written nothing. Reasons of the services promise neither. */
const KEPT: ReadonlySet<string> = new Set(["PERMISSION_DENIED", "VELOCITY_CONTROL_EXCEEDED"])

function whyOf({ reason, step, isFinal, status, publicCode }: ReasonEntry): string {
  const given = `It is given in this step: ${step.charAt(0).toLowerCase()}${step.slice(1)}.`
  if (KEPT.has(reason)) return `${given} The denial is kept as a failed activity, so that an auditor sees it.`
  if (isFinal) return `${given} An activity that waited for votes ends with it.`
  if (publicCode === undefined || status === 500) return given
  return `${given} Nothing was written: the same body may be sent again when the cause is gone.`
}

function entryBody(entry: ReasonEntry): Html {
  const { reason, status, publicCode, meaning, remedy, mender } = entry
  return html`<h1><code>${reason}</code></h1>
<ul class="chips"><li>HTTP ${status ?? "as the API answered"}</li>${publicCode === undefined ? [] : html`<li><code>${publicCode}</code></li>`}</ul>
<h2>What happened</h2><p>${prose(meaning)}</p>
<h2>Why</h2><p>${prose(whyOf(entry))}</p>
<h2>What to do</h2><div class="do"><p>${prose(sentence(remedy))}</p></div>
<h2>Who can mend it</h2><p>${MENDERS[mender]}</p>
<p class="lead">The error's <code>message</code> names the values of this case. <code>requestId</code> in its
<code>details</code> names the line in the service's log.</p>`
}

function listBody(before = ""): Html {
  const steps = Map.groupBy(reasons.values(), ({ step }) => step)
  const sections = [...steps].map(
    ([step, entries]) =>
      html`<h2>${step}</h2><div class="scroll"><table><thead><tr><th>Reason</th><th>HTTP</th><th>Meaning</th></tr></thead><tbody>${entries.map(
        ({ reason, status, meaning }) =>
          html`<tr><td><a href="${ERRORS_PATH}/${reason}"><code>${reason}</code></a></td><td>${status ?? "any"}</td><td>${prose(meaning)}</td></tr>`,
      )}</tbody></table></div>`,
  )
  return html`<h1>Errors</h1><p class="lead">${before}Every error names its reason in <code>details</code>. The list is closed: no
other reason is given.</p>${sections}`
}

function sentence(text: string): string {
  const words = text.replace(/^operator: /, "The operator: ")
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}
