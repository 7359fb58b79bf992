// The dialog in which a user reads a request before they stamp it: its meaning first, ids and digests last.
import { useState } from "preact/hooks"
import { useOrganization } from "../api/directory.ts"
import { login } from "../api/login.ts"
import type { ReadBody } from "../../../signer/core/request/read-body.ts"
import { prettyJson } from "../words/visible.ts"
import { Fault, Notice } from "./basics.tsx"
import type { Change } from "./change-model.ts"
import { Dialog } from "./dialog.tsx"
import { FieldRow } from "./fields.tsx"
import { Fingerprint } from "./fingerprint.tsx"
import type { Words } from "../../../signer/core/words/words.ts"
import { RequestContents, RequestMembers, RequestSentence, useWords } from "./request-words.tsx"

type ReviewProps = {
  change: Change
  step: { body: string; request: ReadBody }
  error: Error | undefined
  busy: boolean
  /** To the form; undefined: the change has none. */
  back: (() => void) | undefined
  close: () => void
  stampIt: () => void
}

export function Review(part: ReviewProps) {
  const { change, step, busy, back, close } = part
  const [typed, setTyped] = useState("")
  const { data } = useOrganization()
  const words = useWords(step.request, data)
  const isBlocked = change.grave !== undefined && typed !== change.grave.name
  return (
    <Dialog
      title={change.title}
      onClose={close}
      foot={
        <>
          <button type="button" class="button plain" onClick={back ?? close}>
            {back === undefined ? (change.dismiss ?? "Cancel") : "Back"}
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
        {back === undefined && change.intro}
        {change.about ?? (
          <>
            <RequestSentence words={words} />
            {change.sentence !== undefined && <p>{change.sentence}</p>}
            <RequestContents words={words} />
          </>
        )}
        {change.grave && <Loss grave={change.grave} typed={typed} type={setTyped} />}
        <Stamped {...step} words={words} isBelow={change.about !== undefined} />
      </div>
    </Dialog>
  )
}

type LossProps = { grave: NonNullable<Change["grave"]>; typed: string; type: (text: string) => void }

/** The loss of an irreversible act, whose name has to be typed. */
function Loss({ grave, typed, type }: LossProps) {
  return (
    <>
      <Notice tone="bad">
        <p>{grave.loses}</p>
      </Notice>
      <FieldRow
        field={{ name: "confirm", label: `Type ${grave.name} to go on` }}
        value={typed}
        onChange={(value) => type(String(value))}
      />
    </>
  )
}

/** The request that the stamp covers. `isBelow`: a vote, whose own members say less than the request that it is about. */
function Stamped(part: { body: string; request: ReadBody; words: Words | undefined; isBelow: boolean }) {
  const by =
    login.value?.by === "passkey"
      ? "Your passkey stamps it: the browser will ask you."
      : "The key of this browser stamps it."
  const members = (
    <>
      <RequestMembers words={part.words} isOpen />
      <details>
        <summary>The request as JSON</summary>
        <pre tabIndex={0} aria-label="The request">
          {prettyJson(part.request.members)}
        </pre>
      </details>
      <Fingerprint body={part.body} />
    </>
  )
  return (
    <div class="stack-s">
      {part.isBelow ? (
        <details>
          <summary>What will be stamped</summary>
          <div class="stack-s">{members}</div>
        </details>
      ) : (
        <>
          <h3>What will be stamped</h3>
          {members}
        </>
      )}
      <p class="quiet small">{by} It is an activity like any other: policies decide it.</p>
    </div>
  )
}
