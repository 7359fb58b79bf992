// The dialog of every change: a form, what will be stamped, and a receipt.
import type { WholeActivityJson } from "../../common/activity-json.ts"
import type { JsonMembers } from "../../../proto/strict-json.ts"
import { signal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useEffect, useState } from "preact/hooks"
import { activityBody, ApiFault, submit } from "../api/client.ts"
import { dataHasChanged } from "../api/data.ts"
import { useOrganization } from "../api/directory.ts"
import { login, requireLogin } from "../api/login.ts"
import type { ReadBody } from "../../../signer/core/request/read-body.ts"
import { pathOf } from "../words/activity.ts"
import { prettyJson } from "../words/visible.ts"
import { Fault, Notice } from "./basics.tsx"
import { Dialog } from "./dialog.tsx"
import { type FormField, FieldRow, initialOf, type FormValues } from "./fields.tsx"
import { Fingerprint } from "./fingerprint.tsx"
import { Receipt } from "./receipt.tsx"
import { RequestContents, RequestMembers, RequestSentence, useWords } from "./request-words.tsx"

export type Change = {
  title: string
  /** Text of the button that stamps. */
  verb: string
  /** Text of the button that closes the form, where "Cancel" would have two meanings. */
  dismiss?: string
  type: string
  /** Effect of the change, below the words of the request, where these alone do not explain it. */
  sentence?: string
  fields?: readonly FormField[]
  intro?: ComponentChildren
  /** Shown in place of the sentence above what will be stamped: the request that a vote is about. */
  about?: ComponentChildren
  parameters: (values: FormValues) => object | Promise<object>
  /** For irreversible acts: a sentence about the loss, and the name that the user has to type. */
  grave?: { loses: string; name: string }
  /** Shown below the fields while they are filled in. */
  preview?: (values: FormValues) => ComponentChildren
  /** Called with the activity once it is recorded. */
  onDone?: (activity: WholeActivityJson) => void
  /** Shown below the receipt of a completed activity. */
  after?: (activity: WholeActivityJson) => ComponentChildren
}

const current = signal<{ change: Change; number: number } | undefined>(undefined)

export function openChange(change: Change): void {
  current.value = { change, number: (current.value?.number ?? 0) + 1 }
}

export function ChangeDialogs() {
  const open = current.value
  return open && <ChangeDialog key={open.number} change={open.change} />
}

type Step =
  | { at: "form" }
  | { at: "review"; body: string; request: ReadBody }
  | { at: "receipt"; activity: WholeActivityJson }

/** Sentences by the name of their field. */
type Faults = { readonly [name: string]: string }

const close = () => (current.value = undefined)

function ChangeDialog({ change }: { change: Change }) {
  const fields = change.fields ?? []
  const [values, setValues] = useState<FormValues>(
    Object.fromEntries(fields.map((field) => [field.name, initialOf(field)])),
  )
  const [step, setStep] = useState<Step>({ at: "form" })
  const [faults, setFaults] = useState<Faults>({})
  const [error, setError] = useState<Error | undefined>(undefined)
  const [busy, setBusy] = useState(false)
  useEffect(() => document.querySelector<HTMLElement>("dialog [aria-invalid]")?.focus(), [faults])

  const work = async (act: () => Promise<void>) => {
    setBusy(true)
    setError(undefined)
    setFaults({})
    try {
      await act()
    } catch (caught) {
      showFault(caught instanceof Error ? caught : new Error(String(caught)))
    } finally {
      setBusy(false)
    }
  }
  /** Shows a fault beside its field, or above the form if it has none. */
  const showFault = (fault: Error) => {
    const field = fieldAt(fault, fields)
    if (field === undefined) setError(fault)
    else {
      setFaults({ [field.name]: ofField(fault.message) })
      setStep({ at: "form" })
    }
  }
  const review = () =>
    work(async () => {
      const parameters = (await change.parameters(values)) as JsonMembers
      const { faultOfParameters, readBodyText } = await import("./validate.ts")
      const fault = faultOfParameters(change.type, parameters)
      if (fault) throw new ApiFault(fault.sentence, { field: fault.path, reason: "REQUEST_INVALID" })
      const body = activityBody(change.type, parameters, requireLogin().organizationId)
      setStep({ at: "review", body, request: readBodyText(body) })
    })
  const stampIt = (body: string) =>
    work(async () => {
      const activity = await submit(pathOf(change.type), body)
      dataHasChanged()
      change.onDone?.(activity)
      setStep({ at: "receipt", activity })
    })

  if (step.at === "receipt") return <Recorded change={change} activity={step.activity} />
  if (step.at === "review")
    return (
      <Review
        change={change}
        step={step}
        error={error}
        busy={busy}
        back={() => setStep({ at: "form" })}
        stampIt={() => void stampIt(step.body)}
      />
    )
  return (
    <Form
      change={change}
      values={values}
      faults={faults}
      error={error}
      busy={busy}
      set={(name, value) => setValues({ ...values, [name]: value })}
      review={() => void review()}
    />
  )
}

/** The field whose path leads to the member at fault. */
function fieldAt(fault: Error, fields: readonly FormField[]): FormField | undefined {
  const path = fault instanceof ApiFault ? fault.field.replace(/^parameters\./, "") : ""
  if (path === "") return undefined
  return fields.find(
    ({ name, path: own = name }) => path === own || path.startsWith(`${own}.`) || path.startsWith(`${own}[`),
  )
}

type FormProps = {
  change: Change
  values: FormValues
  faults: Faults
  error: Error | undefined
  busy: boolean
  set: (name: string, value: FormValues[string]) => void
  review: () => void
}

function Form({ change, values, faults, error, busy, set, review }: FormProps) {
  return (
    <Dialog title={change.title} onClose={close}>
      <form
        class="dialog-form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          review()
        }}
      >
        <div class="dialog-body">
          {change.intro}
          {error && <Fault error={error} />}
          {change.fields?.map((field) => (
            <FieldRow
              key={field.name}
              field={field}
              value={values[field.name] ?? ""}
              fault={faults[field.name]}
              onChange={(value) => set(field.name, value)}
            />
          ))}
          {change.preview?.(values)}
        </div>
        <div class="dialog-foot">
          <button type="button" class="button plain" onClick={close}>
            {change.dismiss ?? "Cancel"}
          </button>
          <button type="submit" class="button primary" disabled={busy}>
            Review
          </button>
        </div>
      </form>
    </Dialog>
  )
}

function Recorded({ change, activity }: { change: Change; activity: WholeActivityJson }) {
  return (
    <Dialog
      title={change.title}
      onClose={close}
      foot={
        <button type="button" class="button primary" onClick={close}>
          Done
        </button>
      }
    >
      <div class="dialog-body">
        <Receipt activity={activity} type={change.type} />
        {activity.status === "ACTIVITY_STATUS_COMPLETED" && change.after?.(activity)}
      </div>
    </Dialog>
  )
}

/** An error sentence without the path at its beginning, because it is shown beside the field. */
function ofField(sentence: string): string {
  const text = sentence.replace(
    /^(?:invalid request body: )?(?:missing field )?`?parameters[\w.[\]]*`?(?=[: ]|$):? ?/,
    "",
  )
  if (text === "") return "Fill in this field."
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function Review(part: {
  change: Change
  step: { body: string; request: ReadBody }
  error: Error | undefined
  busy: boolean
  back: () => void
  stampIt: () => void
}) {
  const { change, step, busy } = part
  const [typed, setTyped] = useState("")
  const { data } = useOrganization()
  const words = useWords(step.request, data)
  const by =
    login.value?.by === "passkey"
      ? "Your passkey stamps it: the browser will ask you."
      : "The key of this browser stamps it."
  const isBlocked = change.grave !== undefined && typed !== change.grave.name
  return (
    <Dialog
      title={change.title}
      onClose={close}
      foot={
        <>
          <button type="button" class="button plain" onClick={part.back}>
            Back
          </button>
          <button
            type="button"
            class={change.grave ? "button grave" : "button primary"}
            disabled={busy || isBlocked}
            onClick={part.stampIt}
          >
            {busy ? "Stamping…" : change.verb}
          </button>
        </>
      }
    >
      <div class="dialog-body">
        {part.error && <Fault error={part.error} retry={part.stampIt} />}
        {change.about ?? (
          <>
            <RequestSentence words={words} />
            {change.sentence !== undefined && <p>{change.sentence}</p>}
            <RequestContents words={words} />
          </>
        )}
        {change.grave && (
          <>
            <Notice tone="bad">
              <p>{change.grave.loses}</p>
            </Notice>
            <FieldRow
              field={{ name: "confirm", label: `Type ${change.grave.name} to go on` }}
              value={typed}
              onChange={(value) => setTyped(String(value))}
            />
          </>
        )}
        <div class="stack-s">
          <h3>What will be stamped</h3>
          <RequestMembers words={words} isOpen />
          <details>
            <summary>The request as JSON</summary>
            <pre tabIndex={0} aria-label="The request">
              {prettyJson(step.request.members)}
            </pre>
          </details>
          <Fingerprint body={step.body} />
          <p class="quiet small">{by} It is an activity like any other: policies decide it.</p>
        </div>
      </div>
    </Dialog>
  )
}
