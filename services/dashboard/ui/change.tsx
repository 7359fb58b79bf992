// The dialog of every change: a form, what will be stamped, and a receipt.
import type { WholeActivityJson } from "../../common/activity-json.ts"
import type { JsonMembers } from "../../../proto/strict-json.ts"
import { signal } from "@preact/signals"
import { useEffect, useLayoutEffect, useState } from "preact/hooks"
import { activityBody, ApiFault, submit } from "../api/client.ts"
import { dataHasChanged } from "../api/data.ts"
import { requireLogin } from "../api/login.ts"
import type { ReadBody } from "../../../signer/core/request/read-body.ts"
import { pathOf } from "../words/activity.ts"
import { Fault, Skeleton } from "./basics.tsx"
import { type Change, fieldAt, ofField } from "./change-model.ts"
import { Dialog } from "./dialog.tsx"
import { FieldRow, initialOf, type FormValues } from "./fields.tsx"
import { Receipt } from "./receipt.tsx"
import { Review } from "./review.tsx"

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
  const { isDirect, values, setValues, step, setStep, faults, error, busy, review, stampIt } =
    useChange(change)
  if (step.at === "receipt") return <Recorded change={change} activity={step.activity} />
  if (step.at === "review")
    return (
      <Review
        change={change}
        step={step}
        error={error}
        busy={busy}
        back={isDirect ? undefined : () => setStep({ at: "form" })}
        close={close}
        stampIt={() => void stampIt(step.body)}
      />
    )
  if (isDirect && error === undefined)
    return (
      <Dialog title={change.title} onClose={close}>
        <div class="dialog-body">
          <Skeleton />
        </div>
      </Dialog>
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

/** The state of a change, and its two steps: to the review, and to the receipt. */
function useChange(change: Change) {
  const fields = change.fields ?? []
  // Without anything to fill in, the dialog begins with what will be stamped.
  const isDirect = fields.length === 0 && change.preview === undefined
  const [values, setValues] = useState<FormValues>(
    Object.fromEntries(fields.map((field) => [field.name, initialOf(field)])),
  )
  const [step, setStep] = useState<Step>({ at: "form" })
  const [faults, setFaults] = useState<Faults>({})
  const [error, setError] = useState<Error | undefined>(undefined)
  const [busy, setBusy] = useState(false)
  useLayoutEffect(() => document.querySelector<HTMLElement>("dialog [aria-invalid]")?.focus(), [faults])

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

  useEffect(() => {
    if (isDirect) void review()
  }, [])

  return { isDirect, values, setValues, step, setStep, faults, error, busy, review, stampIt }
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
